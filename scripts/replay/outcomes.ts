/** What became of the pairs that comments named, as far as the commits of a mirror show it. */

import type { SharedFile } from '../../src/server/overlap/sides-by-lines.ts'
import type { Branch, Commit, Commits } from './commits.ts'
import { narrow } from './file-trees.ts'
import type { Git } from './git.ts'
import type { Changed } from './heads.ts'
import { type Merged, mergeAll } from './merge-tree.ts'
import type { PlayedPair } from './play.ts'
import { isRebasedOver } from './pull-requests.ts'
import type { HeadAndBase } from './revisions.ts'
import { namesIn, sideOf } from './truth.ts'

export const OUTCOMES = {
  came_true: 'one was merged, and the other conflicts with its merge or edits its lines',
  resolved: 'a push took the overlap away before a merge',
  wrong: 'one was merged, and the other then was merged or pushed without either',
  given_up: 'one was closed without a merge',
  open: 'both are open, or one was merged and the other was not pushed since',
} as const
export type Outcome = keyof typeof OUTCOMES

/** One pull request was merged before the other. */
interface FirstMerge {
  merged: Changed
  other: Changed
  /** The head of `other` at the time of the merge, and its last one: those that were not rebased over the merge. */
  before: HeadAndBase[]
  /** Its last head that was; null if there is none. */
  rebased: HeadAndBase | null
  /** `other` was pushed or merged after the merge. */
  is_moved: boolean
  real: readonly SharedFile[]
}

interface History {
  commits: Commits
  branches: readonly Branch[]
}

/** Returns the outcomes in the order of `pairs`. */
export async function outcomesOf(
  git: Git,
  { commits, branches }: History,
  pairs: readonly PlayedPair[],
): Promise<Outcome[]> {
  const first = pairs.map((pair) => (pair.row.outcome === 'resolved' ? null : firstMerge(pair, branches)))
  const merges = first.filter((each) => each !== null)
  const conflicts = await conflictsOf(git, { commits, branches }, merges)
  const edits = await editsMerged(
    git,
    { commits, branches },
    merges.flatMap(({ rebased, ...each }) => (rebased ? [{ ...each, side: rebased }] : [])),
  )
  return pairs.map(({ earlier, later, row }, index): Outcome => {
    if (row.outcome === 'resolved') return 'resolved'
    const merge = first[index] ?? null
    if (merge === null) return earlier.is_open && later.is_open ? 'open' : 'given_up'
    // Both lists are in the order of the pairs.
    const has_conflict = conflicts.shift() as boolean
    const edits_lines = merge.rebased !== null && (edits.shift() as boolean)
    // It is unknown when a pull request was closed: perhaps before the merge.
    if (merge.other.merged === null && !merge.other.is_open && !merge.is_moved) return 'given_up'
    if (has_conflict || edits_lines) return 'came_true'
    if (merge.is_moved) return 'wrong'
    return 'open'
  })
}

/** Null if neither was merged, or if the other was closed before. */
function firstMerge(
  { earlier, later, compared }: PlayedPair,
  branches: readonly Branch[],
): FirstMerge | null {
  const [merged, other] = [earlier, later].toSorted((a, b) => mergedAt(a) - mergedAt(b)) as [Changed, Changed]
  const at = mergedAt(merged)
  if (at === Number.POSITIVE_INFINITY || other.ended <= at) return null
  const isRebased = (each: HeadAndBase) => isRebasedOver(each, merged, branches[other.branch] as Branch)
  const then = other.revisions.findLast((revision) => revision.at < at)
  return {
    merged,
    other,
    before: [then ?? other, other].filter((each) => !isRebased(each)),
    rebased: other.revisions.findLast(isRebased) ?? null,
    is_moved: other.merged !== null || other.pushed > at,
    real: compared?.real ?? [],
  }
}

function mergedAt({ merged }: Changed): number {
  return merged?.at ?? Number.POSITIVE_INFINITY
}

/** Whether a head of the other side conflicts with its branch after the merge, and did not before. */
async function conflictsOf(
  git: Git,
  { commits, branches }: History,
  merges: readonly FirstMerge[],
): Promise<boolean[]> {
  const cases = merges.flatMap(({ merged, before: heads, real }) => {
    const { before, after } = mergeOf(commits, branches, merged)
    return heads.flatMap((head) => {
      const { tree, base } = sideOf(commits, head)
      return [before, after].map((ours) => ({ trees: { base, ours, theirs: tree }, paths: namesIn(real) }))
    })
  })
  const results = await mergeAll(git, await narrow(git, cases))
  let at = 0
  const next = () => results[at++] as Merged
  return merges.map(({ real, before: heads }) => {
    const isNew = heads.map(() => {
      const [before, after] = [next(), next()]
      return namesIn(real).some((name) => after.conflicts.has(name) && !before.conflicts.has(name))
    })
    return isNew.includes(true)
  })
}

/**
 * Whether a side that was rebased over a merge edits lines of it, in which case it conflicts with a revert of that merge.
 * The results are in the order of `cases`.
 */
export async function editsMerged(
  git: Git,
  { commits, branches }: History,
  cases: readonly { merged: Changed; side: HeadAndBase; real: readonly SharedFile[] }[],
): Promise<boolean[]> {
  const trees = await narrow(
    git,
    cases.map(({ merged, side, real }) => ({
      trees: { ...mergeOf(commits, branches, merged), ...sideOf(commits, side) },
      paths: namesIn(real),
    })),
  )
  const reverts = await mergeAll(
    git,
    trees.map(({ after, base, before }) => ({ base: after, ours: base, theirs: before })),
  )
  const merges = await mergeAll(
    git,
    trees.map(({ base, tree }, index) => ({ base, ours: (reverts[index] as Merged).tree, theirs: tree })),
  )
  return cases.map(({ real }, index) => {
    const [reverted, merged] = [reverts[index] as Merged, merges[index] as Merged]
    return namesIn(real).some((name) => merged.conflicts.has(name) && !reverted.conflicts.has(name))
  })
}

/** The trees of the branch before and after a pull request was merged. */
function mergeOf({ all }: Commits, branches: readonly Branch[], { branch, merged }: Changed) {
  const { chain } = branches[branch] as Branch
  const position = merged?.position ?? 0
  const [before, after] = [Math.max(0, position - 1), position].map((at) => all[chain[at] as number])
  return { before: (before as Commit).tree, after: (after as Commit).tree }
}
