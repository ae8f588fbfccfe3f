/** Replays the pull requests of a mirror in the order of events, and compares the verdicts with `git merge-tree` (contract §12). */
import { closingIssues } from '../../src/lines/closing-issues.ts'
import { workOf } from '../../src/lines/duplicate.ts'
import { attributesOf, readGitAttributes } from '../../src/lines/git-attributes.ts'
import { KEY_BYTES, lineHasher } from '../../src/lines/line-hash.ts'
import { DEFAULT_NOISE, type NoiseRules } from '../../src/lines/noise.ts'
import { changedFiles } from './changed-files.ts'
import { countsOf, isComparable, type JudgedOverlap, shownOf } from './comment-rules.ts'
import { type Commit, type Commits, readCommits } from './commits.ts'
import { type Git, scratchOf } from './git.ts'
import { mergedBranches } from './merges.ts'
import { type Mirror, openMirror } from './mirror.ts'
import { editsMerged, outcomesOf } from './outcomes.ts'
import { type Changed, overlapsOf } from './overlaps.ts'
import { DAY, type PullRequest, readPullRequests } from './pull-requests.ts'
import type { Replayed } from './tables.ts'
import { truthOf } from './truth.ts'

/** The maximum number of pairs that git merges, the latest ones. Each pair takes one to four merges of about 20 ms. */
const PAIRS_MAX = 20_000

export interface ReplayOptions {
  /** The days before the last merge into the default branch. */
  days: number
  /** Called with a line of progress. */
  report: (line: string) => void
}

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayHistory(directory: string, options: ReplayOptions): Promise<Replayed> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git)
  try {
    return await replayMirror(mirror, git, options)
  } finally {
    await git.remove()
  }
}

async function replayMirror(mirror: Mirror, git: Git, { days, report }: ReplayOptions): Promise<Replayed> {
  const { default_branch, branches: refs, heads } = mirror
  const commits = await readCommits(git, [
    ...[default_branch, ...refs].map(({ sha }) => sha),
    ...heads.values(),
  ])
  const merged = mergedBranches(commits, mirror)
  const { branches } = merged
  report(
    `${commits.all.length} commits, ${heads.size} pull requests, ${branches.length} branches with merges`,
  )
  const last = [...merged.merges.values()].filter(({ branch }) => branch === 0).map(({ at }) => at)
  if (last.length === 0) throw new Error(`${default_branch.name} has no merge of a pull request`)
  const until = last.reduce((a, b) => Math.max(a, b))
  const since = until - days * DAY
  const all = readPullRequests(commits, mirror, { ...merged, since }).filter(({ opened }) => opened <= until)
  const noise = await noiseOf(git, default_branch.sha)
  const changed = await withFiles(git, commits, { pullRequests: all, noise })
  const counted = changed.filter(({ opened, files }) => opened >= since && files.length > 0)
  const people = new Set(counted.filter(({ is_bot }) => !is_bot).map(({ n }) => n))
  report(`${counted.length} pull requests opened in ${days} days, ${changed.length} were open at some time`)

  const overlaps: JudgedOverlap[] = [...overlapsOf(changed, branches, { since, noise })].map((overlap) => ({
    ...overlap,
    truth: null,
  }))
  const comparable = overlaps.filter(isComparable)
  report(`${overlaps.length} pairs share a file, git merges ${Math.min(comparable.length, PAIRS_MAX)}`)
  const latest = comparable.slice(-PAIRS_MAX)
  const truths = await truthOf(git, commits, { overlaps: latest, report })
  for (const [index, overlap] of latest.entries()) overlap.truth = truths[index] ?? null

  const shown = shownOf(overlaps)
  const outcomes = await outcomesOf(git, commits, { overlaps: shown, branches })
  const rebased = overlaps.filter(({ is_of_people, rebased_over }) => is_of_people && rebased_over !== null)
  const edits = await editsMerged(git, commits, { overlaps: rebased, branches })
  return {
    since,
    until,
    pull_requests: { all: counted.length, by_people: people.size },
    counts: countsOf(overlaps, { pull_requests: people.size, isCounted: (n) => people.has(n) }),
    overlaps,
    shown: shown.map((overlap, index) => ({
      overlap,
      outcome: outcomes[index] as (typeof outcomes)[number],
    })),
    rebased: { pairs: rebased.length, editing_merge: edits.filter(Boolean).length },
    has_merge_refs: mirror.merge_tried.size > 0,
  }
}

/** The noise rules of the service: the default names, and the root `.gitattributes`. */
async function noiseOf(git: Git, tip: string): Promise<NoiseRules> {
  const text = await git.text(['cat-file', 'blob', `${tip}:.gitattributes`]).catch(() => '')
  return { ...DEFAULT_NOISE, attributes: attributesOf(readGitAttributes(text)) }
}

async function withFiles(
  git: Git,
  { all }: Commits,
  { pullRequests, noise }: { pullRequests: readonly PullRequest[]; noise: NoiseRules },
): Promise<Changed[]> {
  const messages = await messagesOf(git, all, pullRequests)
  const trees = pullRequests.map(({ base, head }) => ({
    from: (all[base] as Commit).tree,
    to: (all[head] as Commit).tree,
  }))
  const changed: Changed[] = []
  for await (const files of changedFiles(git, trees, lineHasher(new Uint8Array(KEY_BYTES)))) {
    const each = pullRequests[changed.length] as PullRequest
    // Titles and bodies of pull requests are not in git.
    const closes = closingIssues(
      [...each.own].map((at) => messages.get((all[at] as Commit).sha) ?? ''),
      '',
    )
    changed.push({ ...each, files, work: workOf(files, noise, closes) })
  }
  return changed
}

async function messagesOf(git: Git, all: readonly Commit[], pullRequests: readonly PullRequest[]) {
  const own = new Set(pullRequests.flatMap((each) => [...each.own]))
  const ids = [...own].map((at) => `${(all[at] as Commit).sha}\n`)
  const messages = new Map<string, string>()
  const args = ['log', '--no-walk=unsorted', '--stdin', '-z', '--format=%H%n%B']
  for await (const record of ids.length === 0 ? [] : git.records(args, ids.join(''), '\0'))
    messages.set(record.slice(0, record.indexOf('\n')), record.slice(record.indexOf('\n') + 1))
  return messages
}
