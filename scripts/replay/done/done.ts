/** Measures on a mirror how well work is recognized that a merged pull request has done already (docs/done-already.md). */
import { isMadeAgain, numbersReverted } from '../../../src/server/line-verdicts/new-lines.ts'
import type { Branch, Commit } from '../commits.ts'
import { type Git, scratchOf } from '../git.ts'
import { type Changed, isStacked } from '../heads.ts'
import { type History, type ReplayOptions, readHistory } from '../history.ts'
import { mergeAll } from '../merge-tree.ts'
import { numberNamed } from '../merges.ts'
import { openMirror } from '../mirror.ts'
import { type Reverted, type Told, tellDone } from './tell.ts'

export interface Measured {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: Changed[]
  told: Told[]
  /** Pull requests that a commit says to be merged, but none on their base branch as the replay knows it. */
  elsewhere: ReadonlySet<number>
  /** Closed without a merge in the period, although nothing of them is left after a merge into their base branch. */
  superseded: Superseded[]
}

export interface Superseded {
  pr: Changed
  /** Before the merge of this one a merge left something; null if no single pull request is known to have brought it. */
  by: Changed | null
  /** How many telling lines it adds. */
  lines: number
}

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayDone(directory: string, options: ReplayOptions): Promise<Measured> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    const history = await readHistory(mirror, git, options)
    const { commits, since, until, changed } = history
    const isAgain = ({ own }: Changed) =>
      isMadeAgain(commits.all[Math.max(...own)]?.subject ?? '') ||
      isMadeAgain(commits.all[Math.min(...own)]?.subject ?? '')
    const reverted = revertedIn(history)
    const played = tellDone(changed, { noise: history.noise, since, isAgain, isStacked, reverted })
    options.report(`${played.told.length} pull requests told that their work is done`)
    const elsewhere = mergedElsewhere(history)
    const closed = changed.filter(
      ({ n, merged, is_open, opened, ended }) =>
        merged === null && !is_open && opened >= since && ended <= until && !elsewhere.has(n),
    )
    const empty = await leavingNothing(
      git,
      history,
      closed.map((pr) => ({ pr, tip: tipAt(history, pr) })),
    )
    options.report(`${empty.length} of ${closed.length} closed ones leave nothing after a merge`)
    const superseded = await supersededBy(
      git,
      history,
      empty.map(({ pr }) => pr),
    )
    const counted = changed.filter(({ opened, last }) => opened >= since && last.files.length > 0)
    return {
      since,
      until,
      pull_requests: counted,
      told: played.told,
      elsewhere,
      superseded: superseded.map((each) => ({ ...each, lines: played.linesOf(each.pr) })),
    }
  } finally {
    await git.remove()
  }
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

/** A pull request, and a commit of its base branch to merge it with. */
interface Candidate {
  pr: Changed
  tip: Commit
}

/** Those that change nothing when they are merged. */
async function leavingNothing<Each extends Candidate>(
  git: Git,
  { commits: { all } }: Pick<History, 'commits'>,
  candidates: readonly Each[],
): Promise<Each[]> {
  const merged = await mergeAll(
    git,
    candidates.map(({ pr: { base, head }, tip }) => ({
      base: (all[base] as Commit).sha,
      ours: tip.tree,
      theirs: (all[head] as Commit).tree,
    })),
  )
  return candidates.filter(({ pr: { base, head }, tip }, at) => {
    const isChange = (all[base] as Commit).tree !== (all[head] as Commit).tree
    return isChange && merged[at]?.conflicts.size === 0 && merged[at]?.tree === tip.tree
  })
}

/** Finds the merged pull request after which nothing was left of each, while something was before. */
async function supersededBy(
  git: Git,
  history: History,
  superseded: readonly Changed[],
): Promise<Omit<Superseded, 'lines'>[]> {
  const { commits, branches, changed } = history
  const commitAt = ({ chain }: Branch, position: number) => commits.all[chain[position] as number] as Commit
  const candidates = superseded.flatMap((pr) => {
    const branch = branches[pr.branch] as Branch
    const names = new Set(pr.last.files.map(({ path }) => path))
    return changed.flatMap((by) => {
      if (by === pr || by.merged?.branch !== pr.branch || by.merged.at > pr.ended) return []
      const { position } = by.merged
      if (
        position <= (branch.arrival[pr.base] as number) ||
        !by.last.files.some(({ path }) => names.has(path))
      )
        return []
      return { pr, by, tip: commitAt(branch, position), before: commitAt(branch, position - 1) }
    })
  })
  const after = await leavingNothing(git, history, candidates)
  const before = new Set(
    (
      await leavingNothing(
        git,
        history,
        after.map((each) => ({ ...each, of: each, tip: each.before })),
      )
    ).map(({ of }) => of),
  )
  const by = new Map(after.filter((each) => !before.has(each)).map((each) => [each.pr, each.by]))
  return superseded.map((pr) => ({ pr, by: by.get(pr) ?? null }))
}

/** The newest commit of the base branch that was made before the pull request ended, else its first one. */
function tipAt({ commits: { all }, branches }: History, { branch, ended }: Changed): Commit {
  const { chain } = branches[branch] as Branch
  const tip = chain.findLast((at) => (all[at] as Commit).committed <= ended) ?? (chain[0] as number)
  return all[tip] as Commit
}
