/** Replays the pull requests of a mirror in the order of events, and compares the verdicts with `git merge-tree`. */

import { attributesOf, readGitAttributes } from '../../src/server/line-verdicts/git-attributes.ts'
import { DEFAULT_NOISE, type NoiseRules } from '../../src/server/line-verdicts/noise.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { countsOf } from './comment-rules.ts'
import { type Branch, type Commits, readCommits } from './commits.ts'
import { type Git, scratchOf } from './git.ts'
import { type Changed, headComparison } from './heads.ts'
import { mergedBranches } from './merges.ts'
import { type Mirror, openMirror } from './mirror.ts'
import { editsMerged, outcomesOf } from './outcomes.ts'
import { countAcrossBranches, isComparable, type Overlap, overlapsOf } from './overlaps.ts'
import { play, shownAt } from './play.ts'
import type { Play } from './play-table.ts'
import { DAY, type PullRequest, readPullRequests } from './pull-requests.ts'
import { readChanges } from './read-changes.ts'
import type { Replayed } from './tables.ts'
import { type OverlapWithTruth, truthOf } from './truth.ts'

/** The maximum number of pairs that git merges, the latest ones. Each pair takes one to four merges of about 20 ms. */
const PAIRS_MAX = 20_000

export interface ReplayOptions {
  /** The days before the last merge into the default branch. */
  days: number
  /** See `ReadOptions`. */
  closed_after_days: number
  /** Called with a line of progress. */
  report: (line: string) => void
}

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayHistory(directory: string, options: ReplayOptions): Promise<Replayed> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    return await replayMirror(mirror, git, options)
  } finally {
    await git.remove()
  }
}

/** What the commits of a mirror tell of a period. Times are in seconds. */
export interface Period {
  commits: Commits
  branches: Branch[]
  noise: NoiseRules
  since: number
  until: number
  /** All that were open at some time after `since`. */
  pull_requests: PullRequest[]
}

export interface History extends Omit<Period, 'pull_requests'> {
  /** The same with their files. */
  changed: Changed[]
}

export async function readHistory(mirror: Mirror, git: Git, options: ReplayOptions): Promise<History> {
  const { pull_requests, ...period } = await readPeriod(mirror, git, options)
  return { ...period, changed: await readChanges({ git, mirror, ...period }, pull_requests) }
}

export async function readPeriod(mirror: Mirror, git: Git, options: ReplayOptions): Promise<Period> {
  const { days, closed_after_days, report } = options
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
  const open = readPullRequests(commits, mirror, { ...merged, since, closed_after_days })
  const pull_requests = open.filter(({ opened }) => opened <= until)
  const noise = await noiseOf(git, default_branch.sha)
  return { commits, branches, noise, since, until, pull_requests }
}

async function replayMirror(mirror: Mirror, git: Git, options: ReplayOptions): Promise<Replayed> {
  const { days, closed_after_days, report } = options
  const { commits, branches, noise, since, until, changed } = await readHistory(mirror, git, options)
  const counted = changed.filter(({ opened, last: { files } }) => opened >= since && files.length > 0)
  const people = counted.filter(({ is_bot }) => !is_bot)
  report(`${counted.length} pull requests opened in ${days} days, ${changed.length} were open at some time`)

  const compare = headComparison(noise)
  const overlaps = await overlapsWithTruth(git, commits, {
    overlaps: [...overlapsOf(changed, { branches, since, compare })],
    report,
  })
  const numbers = new Set(people.map(({ n }) => n))
  const rebased = overlaps.flatMap(({ is_of_people, rebased_over, earlier, later, compared }) => {
    if (!is_of_people || rebased_over === null) return []
    return [{ merged: rebased_over, side: rebased_over === earlier ? later : earlier, real: compared.real }]
  })
  const edits = await editsMerged(git, { commits, branches }, rebased)
  const { comment } = DEFAULT_SETTINGS
  const plays: Play[] = []
  for (const budget of [1, comment.budget]) {
    const played = play(changed, { comment: { ...comment, budget }, branches, compare, since })
    const shown = played.pairs.filter((pair) => shownAt(pair) !== null)
    plays.push({
      limit: budget,
      ...played,
      shown,
      outcomes: await outcomesOf(git, { commits, branches }, shown),
    })
    report(`played with a budget of ${100 * budget} %: ${shown.length} pairs shown`)
  }
  return {
    since,
    until,
    pull_requests: { all: counted.length, by_people: people.length },
    counts: countsOf(overlaps, { pull_requests: people.length, isCounted: (n) => numbers.has(n) }),
    overlaps,
    across_branches: countAcrossBranches(changed, { since, compare }),
    rebased: { pairs: rebased.length, editing_merge: edits.filter(Boolean).length },
    people,
    plays,
    has_merge_refs: mirror.merge_tried.size > 0,
    closed_after_days,
  }
}

export async function overlapsWithTruth(
  git: Git,
  commits: Commits,
  { overlaps: all, report }: { overlaps: readonly Overlap[]; report: (line: string) => void },
): Promise<OverlapWithTruth[]> {
  const overlaps = all.map((overlap): OverlapWithTruth => ({ ...overlap, truth: null }))
  const latest = overlaps.filter(isComparable).slice(-PAIRS_MAX)
  report(`${overlaps.length} pairs share a file, git merges ${latest.length}`)
  const truths = await truthOf(git, commits, { overlaps: latest, report })
  for (const [index, overlap] of latest.entries()) overlap.truth = truths[index] ?? null
  return overlaps
}

/** The noise rules of the service: the default names, and the root `.gitattributes`. */
async function noiseOf(git: Git, tip: string): Promise<NoiseRules> {
  const text = await git.text(['cat-file', 'blob', `${tip}:.gitattributes`]).catch(() => '')
  return { ...DEFAULT_NOISE, attributes: attributesOf(readGitAttributes(text)) }
}
