/** The commits of the base branch that have done work already, by the lines of both (docs/contract/local.md#done-already). */
import { rulesOf } from '../engine/check/compare.ts'
import type { DoneBy, DoneSubject } from '../engine/check/source.ts'
import {
  isComparable,
  KEPT_FOR_MS,
  MergedLines,
  type NewLines,
  newLinesOf,
  numbersReverted,
} from '../engine/lines/added-lines.ts'
import { closingIssues } from '../engine/lines/markdown-prose.ts'
import { readCommits } from '../git/working-tree-files.ts'
import { later } from '../vocabulary/clock.ts'
import type { Issue } from '../vocabulary/contract/issue.ts'
import { readCommitted } from './branches.ts'
import { filesOf, LATEST_MS, type MergedOptions, patchIdOf } from './clone-options.ts'

/** The newest ones. */
const COMMITS_MAX = 500
/** How many commits one call of git compares. */
const PAGE = 50

export interface MergedCommit {
  sha: string
  parent: string | null
  /** The head of a merged branch; null for other commits. */
  head: string | null
  merged_at: number
  author: string
  subject: string
  body: string
}

const FORMAT = '%H%x00%P%x00%ct%x00%an%x00%s%x00%b%x00'

function parseLog(output: string): MergedCommit[] {
  const fields = output.split('\0')
  return Array.from({ length: Math.floor(fields.length / 6) }, (_, at) => {
    const [sha = '', parents = '', time, author = '', subject = '', body = ''] = fields.slice(
      at * 6,
      at * 6 + 6,
    )
    const [parent = null, head = null] = parents.split(' ').filter(Boolean)
    const merged_at = Math.min(Number(time) * 1000, LATEST_MS)
    return { sha: sha.trim(), parent, head, merged_at, author, subject, body }
  })
}

/** What people call a merge, as GitHub writes its subject: `Merge pull request #12 from …`, `Retry (#12)`. */
export function nameOf({ subject, body }: Pick<MergedCommit, 'subject' | 'body'>): {
  number: number | null
  title: string
} {
  const [, merged] = /^Merge pull request #(\d{1,9}) /.exec(subject) ?? []
  const [, title = subject, squashed] = /^(.*) \(#(\d{1,9})\)$/.exec(subject) ?? []
  const number = merged ?? squashed
  const [line = ''] = body.split('\n')
  return { number: number === undefined ? null : Number(number), title: merged && line ? line : title }
}

export interface Brought extends Pick<NewLines, 'added' | 'removed'> {
  /** See `patchIdOf`. */
  patch_id: string
  paths: string[]
}

/** The commit that has most of the lines; null if there is none. */
export async function findDoneBy(
  lines: NewLines,
  work: DoneSubject,
  options: MergedOptions,
): Promise<DoneBy | null> {
  const { base, git, pullRequestUrl } = options
  if (base === undefined || !isComparable(lines)) return null
  if (work.base_branch !== null && work.base_branch !== base) return null
  const commits = await readLog(options)
  const linesOf = await readLines(options, commits)
  const merged = new MergedLines<MergedCommit>()
  for (const commit of commits.toReversed()) {
    const taken = numbersReverted(commit.subject)
    if (taken.length > 0) merged.forget((other) => taken.includes(nameOf(other).number ?? 0))
    const brought = linesOf[commit.sha]
    if (brought) merged.merge(commit, brought, () => true)
  }
  const found = merged
    .having(lines.added)
    .sort((a, b) => b.shared - a.shared || commits.indexOf(a.merged) - commits.indexOf(b.merged))
  for (const { merged: commit, shared, lines: of } of found) {
    const { number, title } = nameOf(commit)
    const isOwn = number !== null && work.numbers.includes(number)
    if (isOwn || (await isOnTop(options, { commit, brought: linesOf[commit.sha] }, work))) continue
    const url = number === null ? null : pullRequestUrl(`pull/${number}`)
    const author =
      commit.head === null ? commit.author : await git.output(['log', '-1', '--format=%an', commit.head])
    return {
      ...{ number, title, url, shared, lines: of, is_by_newcomer: false, head_sha: commit.sha },
      author: author || commit.author,
      merged_at: new Date(commit.merged_at),
    }
  }
  return null
}

/** Whether the work is built on what was merged. */
async function isOnTop(
  options: MergedOptions,
  { commit: { head }, brought }: { commit: MergedCommit; brought: Brought | undefined },
  { branch }: DoneSubject,
): Promise<boolean> {
  const { git } = options
  const own = branch === null ? 'HEAD' : `refs/heads/${branch}`
  if (head !== null) return (await git.output(['merge-base', '--is-ancestor', head, own])) !== undefined
  const sha = await git.output(['rev-parse', '-q', '--verify', own])
  const committed = sha ? await readCommitted(sha, options) : null
  return committed !== null && committed.patch_id === brought?.patch_id
}

/** The last pull request whose commit says that it closes the issue; null if there is none. */
export async function findClosing(issue: number, options: MergedOptions): Promise<Issue['done_by']> {
  for (const commit of await readLog(options)) {
    const { number } = nameOf(commit)
    const pr_url = number === null ? null : options.pullRequestUrl(`pull/${number}`)
    const closed = closingIssues([commit.subject, commit.body], [options.web_url])
    if (pr_url !== null && closed.includes(issue))
      return { pr_url, merged_at: new Date(commit.merged_at).toISOString() }
  }
  return null
}

/** The newest first. */
export async function readLog({ git, now, merged }: MergedOptions): Promise<MergedCommit[]> {
  if (merged.length === 0) return []
  const since = Math.floor(later(now, -KEPT_FOR_MS).getTime() / 1000)
  const limits = ['--first-parent', `--max-count=${COMMITS_MAX}`, `--since=${since}`]
  return parseLog((await git.output(['log', ...limits, `--format=${FORMAT}`, ...merged, '--'])) ?? '')
}

/** The lines of the `wanted` commits, from the cache or git. What there was no time for is missing, and read the next time. */
export async function readLines(
  { git, cache, settings, noise_attributes, hasher, left_ms, onLate }: MergedOptions,
  commits: readonly MergedCommit[],
  wanted: readonly MergedCommit[] = commits,
): Promise<Record<string, Brought>> {
  const { noise_paths, noise_classes } = settings
  const state = JSON.stringify([noise_paths, noise_classes, noise_attributes])
  const known = (cache.read('merged commits', state) ?? {}) as Record<string, Brought>
  const { noise } = rulesOf(settings, noise_attributes)
  const missing = wanted.filter(({ sha }) => known[sha] === undefined)
  for (let from = 0; from < missing.length; from += PAGE) {
    const page = missing.slice(from, from + PAGE)
    const changes = left_ms() > 0 ? await readCommits(git, page, left_ms()) : undefined
    if (changes === undefined && left_ms() <= 0) {
      onLate?.()
      break
    }
    for (const { sha } of page) {
      const files = filesOf(changes?.get(sha) ?? [], hasher())
      const { added, removed } = await noise.deadline.run(newLinesOf(files, noise))
      known[sha] = { added, removed, patch_id: patchIdOf(files), paths: files.map(({ path }) => path) }
    }
  }
  const kept = commits.flatMap(({ sha }) => (known[sha] ? [[sha, known[sha]] as const] : []))
  if (missing.length > 0) cache.write('merged commits', state, Object.fromEntries(kept))
  return known
}
