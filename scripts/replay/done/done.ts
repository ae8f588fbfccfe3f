/** Measures on a mirror how well work is recognized that a merged pull request has done already (docs/done-already.md). */
import { isMadeAgain } from '../../../src/server/line-verdicts/new-lines.ts'
import type { Branch, Commit } from '../commits.ts'
import { type Git, scratchOf } from '../git.ts'
import { type Changed, isStacked } from '../heads.ts'
import { type History, type ReplayOptions, readHistory } from '../history.ts'
import { mergeAll } from '../merge-tree.ts'
import { numberNamed } from '../merges.ts'
import { openMirror } from '../mirror.ts'
import { type Told, tellDone } from './tell.ts'

export interface Measured {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: Changed[]
  told: Told[]
  /** Pull requests that a commit of any branch says to be merged. */
  elsewhere: ReadonlySet<number>
  /** Closed without a merge in the period, although nothing of them is left after a merge into their base branch. */
  superseded: Superseded[]
}

export interface Superseded {
  pr: Changed
  /** How many telling lines it adds. */
  lines: number
}

/** Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayDone(directory: string, options: ReplayOptions): Promise<Measured> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    const history = await readHistory(mirror, git, options)
    const { commits, branches, since, until, changed } = history
    const isAgain = ({ own }: Changed) =>
      isMadeAgain(commits.all[Math.max(...own)]?.subject ?? '') ||
      isMadeAgain(commits.all[Math.min(...own)]?.subject ?? '')
    const played = tellDone(changed, { noise: history.noise, since, isAgain, isStacked })
    options.report(`${played.told.length} pull requests told that their work is done`)
    const elsewhere = new Set(commits.all.flatMap((commit) => numberNamed(commit) ?? []))
    const closed = changed.filter(
      ({ n, merged, is_open, opened, ended }) =>
        merged === null && !is_open && opened >= since && ended <= until && !elsewhere.has(n),
    )
    const empty = await leavingNothing(git, { commits, branches }, closed)
    options.report(`${empty.length} of ${closed.length} closed ones leave nothing after a merge`)
    const superseded = empty.map((pr) => ({ pr, lines: played.linesOf(pr) }))
    const counted = changed.filter(({ opened, last }) => opened >= since && last.files.length > 0)
    return { since, until, pull_requests: counted, told: played.told, elsewhere, superseded }
  } finally {
    await git.remove()
  }
}

/** Those that change nothing when they are merged into the base branch as it was when they ended. */
async function leavingNothing(
  git: Git,
  { commits: { all }, branches }: Pick<History, 'commits' | 'branches'>,
  closed: readonly Changed[],
): Promise<Changed[]> {
  const tips = closed.map(({ branch, ended }) => tipAt(all, branches[branch] as Branch, ended))
  const merged = await mergeAll(
    git,
    closed.map(({ base, head }, at) => ({
      base: (all[base] as Commit).sha,
      ours: (tips[at] as Commit).tree,
      theirs: (all[head] as Commit).tree,
    })),
  )
  return closed.filter(({ base, head }, at) => {
    const isChange = (all[base] as Commit).tree !== (all[head] as Commit).tree
    return isChange && merged[at]?.conflicts.size === 0 && merged[at]?.tree === tips[at]?.tree
  })
}

/** The newest commit of a branch that was made before, else its first one. */
function tipAt(all: readonly Commit[], { chain }: Branch, before: number): Commit {
  const tip = chain.findLast((at) => (all[at] as Commit).committed <= before) ?? (chain[0] as number)
  return all[tip] as Commit
}
