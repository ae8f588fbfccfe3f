/** Plays a history by the lines of merged pull requests, and finds which work a merged pull request has done already (docs/research/done.md). */
import { isMadeAgain, numbersReverted } from '../../../src/engine/lines/added-lines.ts'
import type { Branch, Commit } from '../commits.ts'
import { type Changed, isBeneath } from '../heads.ts'
import { type History, type ReplayOptions, readHistory, withMirror } from '../history.ts'
import { numberNamed } from '../merges.ts'
import { mergedLines } from './merged-lines.ts'
import { type Reverted, type Told, tellDone } from './tell.ts'

export interface Measured {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: Changed[]
  told: ToldAndEnded[]
  /** Pull requests that a commit says to be merged, but none on their base branch as the replay knows it. */
  elsewhere: ReadonlySet<number>
}

export interface ToldAndEnded extends Told {
  /** How many of the shared lines its own merge brought. */
  merged_lines: number
}

export function replayDone(directory: string, options: ReplayOptions): Promise<Measured> {
  return withMirror(directory, async (git, mirror) => {
    const history = await readHistory(mirror, git, options)
    const { since, until, changed, noise, commits } = history
    const isAgain = ({ own }: Changed) =>
      [Math.max(...own), Math.min(...own)].some((at) => isMadeAgain(commits.all[at]?.subject ?? ''))
    const isMerged = (pr: Changed) => isMergedByGithub(history, pr)
    const rules = { noise, since, isAgain, isOnTop, isMerged, reverted: revertedIn(history) }
    const { told, linesOf } = tellDone(changed, rules)
    options.report(`${told.length} pull requests told that their work is done`)
    const merged = await mergedLines({ git, absent: mirror.absent }, history, told)
    return {
      since,
      until,
      pull_requests: changed.filter(({ opened, last }) => opened >= since && last.files.length > 0),
      told: told.map((each, at) => ({
        ...each,
        merged_lines: linesOf(each.by).filter((line) => merged[at]?.has(line)).length,
      })),
      elsewhere: mergedElsewhere(history),
    }
  })
}

/** As the service knows it from branches, unless the merged one has the head of the other: see `findTwin`. */
function isOnTop(pr: Changed, merged: Changed): boolean {
  return isBeneath(merged, pr) && !merged.own.has(pr.head)
}

/**
 * GitHub closes a pull request without a merge if somebody pushes its work under another subject, such as
 * `… (cherry-picked from PR #12)`.
 */
function isMergedByGithub({ commits: { all }, branches }: History, { n, merged }: Changed): boolean {
  if (merged === null) return false
  const { chain } = branches[merged.branch] as Branch
  const { subject } = all[chain[merged.position] as number] as Commit
  return numberNamed({ subject }) !== n || /^Merge pull request #| \(#\d+\)$/.test(subject)
}

function revertedIn({ commits: { all }, branches }: History): Reverted[] {
  return branches.flatMap(({ chain }, branch) =>
    chain.flatMap((at) => {
      const { subject, committed } = all[at] as Commit
      return numbersReverted(subject).map((number) => ({ at: committed, branch, number }))
    }),
  )
}

/** A backport, or a part of a branch that was merged as a whole later: its base branch is not known. */
function mergedElsewhere({ commits: { all }, branches, changed }: History): Set<number> {
  const here = branches.map(({ chain }) => new Set(chain.map((at) => numberNamed(all[at] as Commit))))
  const branchOf = new Map(changed.map(({ n, branch }) => [n, branch]))
  const named = new Set(all.flatMap((commit) => numberNamed(commit) ?? []))
  return new Set([...named].filter((n) => !here[branchOf.get(n) ?? 0]?.has(n)))
}
