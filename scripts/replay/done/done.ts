/** Plays a history by the lines of merged pull requests, and finds which work a merged pull request has done already (docs/done-already.md). */
import { isMadeAgain, numbersReverted } from '../../../src/server/line-verdicts/new-lines.ts'
import type { Branch, Commit } from '../commits.ts'
import { type Git, scratchOf } from '../git.ts'
import { type Changed, isBeneath } from '../heads.ts'
import { type History, type ReplayOptions, readHistory } from '../history.ts'
import { numberNamed } from '../merges.ts'
import { openMirror } from '../mirror.ts'
import { mergedLines } from './merged-lines.ts'
import { brought, calledSuperseded, leavingNothing, type Superseded } from './superseded.ts'
import { type Reverted, type Told, tellDone } from './tell.ts'

export interface Measured {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: Changed[]
  told: ToldAndEnded[]
  /** Pull requests that a commit says to be merged, but none on their base branch as the replay knows it. */
  elsewhere: ReadonlySet<number>
  /** How many were closed without a merge in the period, although nothing of them is left after a merge into their base branch. */
  empty: number
  /** Those of them that one merged pull request has brought. */
  brought: SupersededLines[]
  /** Those that were closed without a merge and that the merged pull request says to close, or to replace. */
  called: SupersededLines[]
}

export interface ToldAndEnded extends Told {
  /** How many of the shared lines its own merge brought. */
  merged_lines: number
}

export interface SupersededLines extends Superseded {
  /** How many telling lines it adds, and how many of them the other one has. */
  lines: number
  shared: number
}

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayDone(directory: string, options: ReplayOptions): Promise<Measured> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    return await measure(git, await readHistory(mirror, git, options), options)
  } finally {
    await git.remove()
  }
}

async function measure(git: Git, history: History, { report }: ReplayOptions): Promise<Measured> {
  const { since, until, changed, noise, commits } = history
  const isAgain = ({ own }: Changed) =>
    isMadeAgain(commits.all[Math.max(...own)]?.subject ?? '') ||
    isMadeAgain(commits.all[Math.min(...own)]?.subject ?? '')
  const isMerged = (pr: Changed) => isMergedByGithub(history, pr)
  const reverted = revertedIn(history)
  const { told, linesOf } = tellDone(changed, { noise, since, isAgain, isOnTop, isMerged, reverted })
  report(`${told.length} pull requests told that their work is done`)
  const elsewhere = mergedElsewhere(history)
  const closed = changed.filter(
    ({ n, merged, is_open, opened, ended }) =>
      merged === null && !is_open && opened >= since && ended <= until && !elsewhere.has(n),
  )
  const empty = await leavingNothing(git, history, closed)
  report(`${empty.length} of ${closed.length} closed ones leave nothing after a merge`)
  const shared = (pr: Changed, by: Changed) => countIn(linesOf(pr), new Set(linesOf(by)))
  const counted = (found: readonly Superseded[]) =>
    found.map(({ pr, by }) => ({ pr, by, lines: linesOf(pr).length, shared: shared(pr, by) }))
  const merged = await mergedLines(
    git,
    history,
    told.map(({ pr }) => pr),
  )
  const byGithub = { ...history, changed: changed.filter(isMerged) }
  return {
    since,
    until,
    pull_requests: changed.filter(({ opened, last }) => opened >= since && last.files.length > 0),
    told: told.map((each, at) => ({
      ...each,
      merged_lines: countIn(linesOf(each.by), merged[at] as Set<number>),
    })),
    elsewhere,
    empty: empty.length,
    brought: counted(await brought(git, byGithub, empty)),
    called: counted(await calledSuperseded(git, byGithub, closed)),
  }
}

function countIn(lines: readonly number[], others: ReadonlySet<number>): number {
  return lines.filter((line) => others.has(line)).length
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
