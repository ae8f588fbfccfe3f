/** Replays the pull requests of a mirror in the order of events, and compares the verdicts with `git merge-tree`. */

import {
  attributesOf,
  DEFAULT_NOISE,
  type NoiseRules,
  readGitAttributes,
} from '../../src/engine/lines/noise.ts'
import { type Branch, type Commits, readCommits } from './commits.ts'
import { type Git, type ScratchGit, scratchOf } from './git.ts'
import type { Changed } from './heads.ts'
import { mergedBranches } from './merges.ts'
import { type Mirror, openMirror } from './mirror.ts'
import { isComparable, type Overlap, overlapsOf } from './overlaps.ts'
import { DAY, readPullRequests } from './pull-requests.ts'
import { readChanges } from './read-changes.ts'
import type { Replayed } from './tables.ts'
import { type OverlapWithTruth, truthOf } from './truth.ts'

export interface ReplayOptions {
  /** The days before the last merge into the default branch. */
  days: number
  /** See `ReadOptions`. */
  closed_after_days: number
  /** Called with a line of progress. */
  report: (line: string) => void
}

/**
 * Opens a mirror with a scratch repository for as long as `work` takes. Does not modify the mirror. Throws an Error that says
 * what is wrong with it.
 */
export async function withMirror<Result>(
  directory: string,
  work: (git: ScratchGit, mirror: Mirror) => Promise<Result>,
): Promise<Result> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    return await work(git, mirror)
  } finally {
    await git.remove()
  }
}

/** What the commits of a mirror tell of a period. Times are in seconds. */
export interface History {
  commits: Commits
  branches: Branch[]
  noise: NoiseRules
  since: number
  until: number
  /** All that were open at some time after `since`, with their files. */
  changed: Changed[]
}

export async function readHistory(mirror: Mirror, git: Git, options: ReplayOptions): Promise<History> {
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
  const period = { commits, branches, noise, since, until }
  return { ...period, changed: await readChanges({ git, mirror, ...period }, pull_requests) }
}

/** The pull requests by people that were opened in the period. */
export function ofPeople({ changed, since }: History): Changed[] {
  return changed.filter(({ opened, is_bot, last }) => opened >= since && !is_bot && last.files.length > 0)
}

export function replayHistory(directory: string, options: ReplayOptions): Promise<Replayed> {
  const { days, report } = options
  return withMirror(directory, async (git, mirror) => {
    const history = await readHistory(mirror, git, options)
    const { commits, branches, noise, since, until, changed } = history
    const people = ofPeople(history).length
    report(
      `${people} pull requests by people opened in ${days} days, ${changed.length} were open at some time`,
    )
    const found = [...overlapsOf(changed, { branches, since, noise })]
    const overlaps = await overlapsWithTruth(git, commits, { overlaps: found, report })
    return { since, until, people, overlaps }
  })
}

export async function overlapsWithTruth(
  git: Git,
  commits: Commits,
  { overlaps: all, report }: { overlaps: readonly Overlap[]; report: (line: string) => void },
): Promise<OverlapWithTruth[]> {
  const overlaps = all.map((overlap): OverlapWithTruth => ({ ...overlap, truth: null }))
  const compared = overlaps.filter(isComparable)
  report(`${overlaps.length} pairs share a file, git merges ${compared.length}`)
  const truths = await truthOf(git, commits, { overlaps: compared, report })
  for (const [index, overlap] of compared.entries()) overlap.truth = truths[index] ?? null
  return overlaps
}

/** The noise rules of the service: the default names, and the root `.gitattributes`. */
async function noiseOf(git: Git, tip: string): Promise<NoiseRules> {
  const text = await git.text(['cat-file', 'blob', `${tip}:.gitattributes`]).catch(() => '')
  return { ...DEFAULT_NOISE, attributes: attributesOf(readGitAttributes(text)) }
}
