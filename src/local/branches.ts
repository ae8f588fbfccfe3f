/** The branches of a clone, and the pull requests that were fetched (docs/contract/local.md#live-work). */
import { refsOf } from '../git/git.ts'
import { readChangedFiles } from '../git/working-tree-files.ts'
import { DAY_MS, later } from '../vocabulary/clock.ts'
import { type CloneOptions, filesOf, LATEST_MS, type MergedOptions, patchIdOf } from './clone-options.ts'
import type { Head } from './stacks.ts'
import { type Diff, derivedId, derivedWork, type LocalWork } from './work.ts'

/** Branches without a commit for longer do not count. */
const ACTIVE_MS = 14 * DAY_MS
const BRANCHES_MAX = 200

export interface Branch {
  /** The full name of the reference. */
  ref: string
  /** As others call it; null for a pull request, whose branch is not known. */
  name: string | null
  /** Of all branches with this commit. */
  names: readonly string[]
  sha: string
  committed_at: Date
  author: string
  subject: string
  pr_number: number | null
  /** Its place below the page of the repository. */
  pr_path: string | null
}

const FORMAT = '%(refname)%00%(symref)%00%(objectname)%00%(committerdate:unix)%00%(authorname)%00%(subject)'
const PULL_REF = /^refs\/deconflict\/(pull|merge-requests)\/(\d+)$/

/**
 * The branches, and then the pull requests, with recent commits that are not in the base branch, the newest first. A remote branch
 * that a local one has, or that a pull request is, counts once. `merged`: the heads of the base branch; `left_out`: how many branches
 * were too many. Undefined if git fails, or does not end in time.
 */
export async function listBranches(
  { git, now, base, remote, left_ms }: CloneOptions,
  {
    merged,
    checked_out,
    are_pulls_fetched,
  }: { merged: readonly string[]; checked_out: readonly Head[]; are_pulls_fetched: boolean },
): Promise<{ branches: Branch[]; left_out: number } | undefined> {
  const bases = base === undefined ? [] : refsOf(base, remote)
  const unmerged = merged.map((sha) => `--no-merged=${sha}`)
  const list = (refs: readonly string[], excluded: readonly string[]) =>
    git.output(['for-each-ref', '--sort=-committerdate', `--format=${FORMAT}`, ...excluded, ...refs], {
      timeout_ms: left_ms(),
    })
  // A pull request whose commits are checked out is that work, or below it.
  const heads = checked_out.flatMap(({ head }) => (head === null ? [] : [`--no-merged=${head}`]))
  const listed = await Promise.all([
    list(['refs/heads', ...(remote === undefined ? [] : [`refs/remotes/${remote}`])], unmerged),
    are_pulls_fetched ? list(['refs/deconflict'], [...unmerged, ...heads]) : '',
  ])
  if (listed.includes(undefined)) return undefined
  const since = later(now, -ACTIVE_MS)
  const all = listed.flatMap((output = '') =>
    output.split('\n').flatMap((line) => branchOf(line, remote) ?? []),
  )
  const recent = all.filter(({ committed_at, ref }) => committed_at >= since && !bases.includes(ref))
  const found = distinct(recent)
  // Anybody can open pull requests: they take neither the place nor the time of branches.
  const named = found.filter(({ name }) => name !== null)
  const pulls = found.filter(({ name }) => name === null)
  const branches = [...named.slice(0, BRANCHES_MAX), ...pulls]
  const here = new Set(checked_out.map(({ branch }) => branch))
  const older = named.slice(BRANCHES_MAX).filter(({ names }) => !names.some((name) => here.has(name)))
  return { branches, left_out: older.length }
}

function branchOf(line: string, remote: string | undefined): Branch | null {
  const [ref = '', symref, sha = '', time, author = '', subject = ''] = line.split('\0')
  if (ref === '' || symref !== '') return null
  const [, kind, number] = PULL_REF.exec(ref) ?? []
  const local = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
  const prefix = `refs/remotes/${remote}/`
  const name = local ?? (ref.startsWith(prefix) ? ref.slice(prefix.length) : null)
  const pr_number = number === undefined ? null : Number(number)
  const pr_path = number === undefined ? null : `${kind === 'pull' ? 'pull' : '-/merge_requests'}/${number}`
  const committed_at = new Date(Math.min(Number(time) * 1000, LATEST_MS))
  const names = name === null ? [] : [name]
  return { ref, name, names, sha, committed_at, author, subject, pr_number, pr_path }
}

/** One for each name and for each commit. What is known of the same commit is put together. */
function distinct(branches: readonly Branch[]): Branch[] {
  const byCommit = new Map<string, Omit<Branch, 'names'> & { names: Set<string> }>()
  for (const each of branches) {
    const known = byCommit.get(each.sha) ?? { ...each, names: new Set() }
    for (const name of each.names) known.names.add(name)
    known.name ??= each.name
    known.pr_number ??= each.pr_number
    known.pr_path ??= each.pr_path
    byCommit.set(each.sha, known)
  }
  const names = new Set<string>()
  const found = [...byCommit.values()].map((each) => ({ ...each, names: [...each.names] }))
  return found.filter(({ name }) => {
    if (name === null) return true
    const isNew = !names.has(name)
    names.add(name)
    return isNew
  })
}

export interface BranchWork {
  work: LocalWork
  branch: Branch
}

/** What a commit changes since `fork`, or else since the base branch: nothing if both have no commit in common. Null if git fails or the time is over. */
export async function readCommitted(
  sha: string,
  { git, base, remote, merged, commits, cache, hasher, left_ms }: MergedOptions,
  fork?: string,
): Promise<Diff | null> {
  return cache.get(`branch ${sha} ${fork ?? ''}`, fork ?? merged.join(), left_ms(), async (known) => {
    const from = fork ?? commits?.baseOf(sha) ?? (base && (await git.mergeBase(base, remote, sha)))
    // A shallow clone does not know whether the branch has a root of its own, as one of a generated site has.
    if (from === '' && (await git.output(['rev-parse', '--is-shallow-repository'])) === 'false')
      return { base_sha: null, files: [], patch_id: '' }
    if (!from) return null
    if (known?.base_sha === from) return known
    const log = ['log', '--format=%ct', '--reverse', `${from}..${sha}`]
    const begun = await git.output(log, { timeout_ms: left_ms() })
    const how = { base, remote, between: [from, sha] as const, timeout_ms: left_ms() }
    const changed = await readChangedFiles(git, how)
    if (begun === undefined || changed === undefined) return null
    const begun_at = Number.parseInt(begun, 10) * 1000
    const files = filesOf(changed.changes, hasher())
    const { paths, late_ms = 0 } = changed
    return { base_sha: from, files, patch_id: patchIdOf(files), is_cut: paths.length > 0, late_ms, begun_at }
  })
}

/** The changes of a branch against the base branch; null if it has none, undefined if git fails or the time is over. */
export async function readBranchWork(
  branch: Branch,
  options: MergedOptions,
): Promise<BranchWork | null | undefined> {
  const { base, pullRequestUrl, left_ms } = options
  const known = left_ms() > 0 ? await readCommitted(branch.sha, options) : null
  if (known === null) return undefined
  if (known.files.length === 0) return null
  const { pr_number, pr_path, name } = branch
  const created_at = new Date(Math.min(known.begun_at || LATEST_MS, branch.committed_at.getTime()))
  // Anybody can open a pull request from a fork: its title and its author are not shown to agents.
  const is_by_newcomer = pr_number !== null && name === null
  const work = derivedWork(
    pr_number === null ? 'branch' : 'pull_request',
    {
      // A branch can have the name of a reference, but not a space.
      id: derivedId(name ?? ` ${branch.ref}`, created_at),
      title: branch.subject || (name ?? branch.ref),
      actor: is_by_newcomer ? 'another contributor' : branch.author || 'unknown',
      is_by_newcomer,
      branch: name,
      base_branch: base ?? null,
      pr_number,
      pr_url: pr_path === null ? null : pullRequestUrl(pr_path),
      created_at,
      updated_at: branch.committed_at,
      expires_at: later(branch.committed_at, ACTIVE_MS),
    },
    known,
  )
  return { work, branch }
}
