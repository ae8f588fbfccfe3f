/** What is left of work whose first commits the base branch has (docs/contract/local.md#live-work). */
import { readCommitted } from './branches.ts'
import { type MergedOptions, mappedAtOnce } from './clone-options.ts'
import { hashOf } from './diff-cache.ts'
import { type Brought, type MergedCommit, readLines, readLog } from './merged-work.ts'
import type { Stand } from './stacks.ts'
import { type Diff, type LocalWork, withFiles } from './work.ts'

/**
 * What is left of work of which the base branch has got the first part, or all, exactly as it is, and has not taken it back: in one
 * commit, as by a squash, or commit by commit, as by a rebase. Neither leaves another trace of the merge. Other work is missing.
 */
export async function findLeft(
  work: readonly LocalWork[],
  options: MergedOptions,
  standOf: (work: LocalWork) => Stand | undefined,
): Promise<ReadonlyMap<LocalWork, LocalWork>> {
  if (work.length === 0) return new Map()
  const commits = await readLog(options)
  const standing = standingOf(commits)
  const since = ({ activity: { base_sha, pushed_base_sha } }: LocalWork) => {
    const at = commits.findIndex(({ sha }) => sha === (base_sha ?? pushed_base_sha))
    return at === -1 ? commits : commits.slice(0, at)
  }
  const longest = Math.max(...work.map((each) => since(each).length))
  const brought = await readLines(options, commits, commits.slice(0, longest))
  const left = await mappedAtOnce(work, async (each) => {
    const names = new Set(each.files.map(({ path }) => path))
    const found = since(each).flatMap((commit) => (standing.has(commit) && brought[commit.sha]) || [])
    const within = found.filter(({ paths }) => paths.length > 0 && paths.every((path) => names.has(path)))
    const diff = within.length > 0 ? await readLeft(each, within, { ...options, stand: standOf(each) }) : null
    return diff ? [[each, withFiles(each, diff)] as const] : []
  })
  return new Map(left.flat())
}

/** What work changes since the part that the base branch has got by these commits; null if there is none, or git fails. */
async function readLeft(
  { patch_id = '', activity: { base_sha, pushed_base_sha } }: LocalWork,
  within: readonly Brought[],
  { stand, ...options }: MergedOptions & { stand: Stand | undefined },
): Promise<Pick<Diff, 'files' | 'base_sha'> | null> {
  const from = base_sha ?? pushed_base_sha
  const ids = new Set(within.map((each) => each.patch_id))
  if (ids.has(patch_id)) return { files: [], base_sha: from }
  if (from === null || stand === undefined) return null
  const name = `merged part ${from}..${stand.head}`
  const state = hashOf([...ids].sort().join())
  const known = options.cache.read(name, state) as { last: string } | undefined
  const last = known?.last ?? (await findLast({ from, head: stand.head }, within, options))
  if (!known && options.left_ms() > 0) options.cache.write(name, state, { last })
  return last === from ? null : stand.readSince(last)
}

/** The last own commit that the base branch has got, with all before it; `from` if there is none. */
async function findLast(
  { from, head }: { from: string; head: string },
  within: readonly Brought[],
  { git, ...options }: MergedOptions,
): Promise<string> {
  const log = ['log', '--first-parent', '-m', '--reverse', '--name-only', '--format=%x00%H']
  const own = await git.output(['-c', 'core.quotePath=false', ...log, `${from}..${head}`], {
    timeout_ms: options.left_ms(),
  })
  const nameOfAll = (paths: Iterable<string>) => [...paths].sort().join('\n')
  const named = within.map((each) => ({ ...each, name: nameOfAll(each.paths) }))
  const sizes = new Set(within.map(({ paths }) => paths.length))
  let last = from
  let changed = new Set<string>()
  for (const commit of own?.split('\0').slice(1) ?? []) {
    if (options.left_ms() <= 0) break
    const [sha = '', ...paths] = commit.split('\n').filter(Boolean)
    for (const path of paths) changed.add(path)
    // Git compares only what can be equal: a long branch has many commits.
    const name = sizes.has(changed.size) ? nameOfAll(changed) : null
    const same = named.filter((each) => each.name === name)
    const diff = same.length > 0 ? await readCommitted(sha, { git, ...options }, last) : null
    if (!same.some(({ patch_id }) => patch_id === diff?.patch_id)) continue
    last = sha
    changed = new Set()
  }
  return last
}

/** The commits that no later one takes back, by its subject as git writes it. `commits`: the newest first. */
function standingOf(commits: readonly MergedCommit[]): Set<MergedCommit> {
  const reverts: string[] = []
  const standing = commits.filter(({ subject }) => {
    if (reverts.some((each) => each.startsWith(`Revert "${subject}"`))) return false
    if (subject.startsWith('Revert "')) reverts.push(subject)
    return true
  })
  return new Set(standing)
}
