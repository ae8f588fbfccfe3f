/** Derives the outcomes of shown pairs from the commits of a mirror. */
import { namesOf } from '../../src/lines/change.ts'
import type { JudgedOverlap } from './comment-rules.ts'
import type { Branch, Commit, Commits } from './commits.ts'
import type { Git } from './git.ts'
import { type Merged, mergeAll } from './merge-tree.ts'
import type { Changed } from './overlaps.ts'
import { sideOf } from './truth.ts'

export const OUTCOMES = {
  both_open: 'both are open',
  closed: 'at least one was closed without a merge',
  conflicted: 'one was merged, and the other conflicts with its merge in a shared file',
  no_conflict: 'one was merged, and the other is open without such a conflict',
  both_merged: 'both were merged, the second without a rebase over the first',
} as const
export type Outcome = keyof typeof OUTCOMES

interface OutcomeInput {
  overlaps: readonly JudgedOverlap[]
  branches: readonly Branch[]
}

/** Returns the outcomes in the order of `overlaps`. */
export async function outcomesOf(
  git: Git,
  commits: Commits,
  { overlaps, branches }: OutcomeInput,
): Promise<Outcome[]> {
  const ended = overlaps.map(endOf)
  const waiting = overlaps.filter((_, index) => ended[index] === null)
  // A conflict is new if the open side conflicts with the branch after the merge and not before it.
  const merges = await mergeAll(
    git,
    waiting.flatMap((overlap) => {
      const [merged, open] = mergedFirst(overlap)
      const { tree, base } = sideOf(commits, open)
      const { before, after } = mergeOf(commits, branches, merged)
      return [before, after].map((ours) => ({ base, ours: ours.tree, theirs: tree }))
    }),
  )
  const judged = waiting.map((overlap, index): Outcome => {
    const [before, after] = [merges[2 * index] as Merged, merges[2 * index + 1] as Merged]
    const isNew = (name: string) => after.conflicts.has(name) && !before.conflicts.has(name)
    return namesIn(overlap).some(isNew) ? 'conflicted' : 'no_conflict'
  })
  return ended.map((outcome) => outcome ?? (judged.shift() as Outcome))
}

/**
 * Whether the rebased side edits lines of the merge that it was rebased over, in which case it conflicts with a revert of
 * that merge. Each of `overlaps` must have `rebased_over`; the results are in the same order.
 */
export async function editsMerged(
  git: Git,
  commits: Commits,
  { overlaps, branches }: OutcomeInput,
): Promise<boolean[]> {
  const cases = overlaps.map(({ earlier, later, rebased_over }) => {
    const merged = rebased_over as Changed
    const side = sideOf(commits, merged === earlier ? later : earlier)
    return { side, ...mergeOf(commits, branches, merged) }
  })
  const reverts = await mergeAll(
    git,
    cases.map(({ side, before, after }) => ({ base: after.sha, ours: side.base_tree, theirs: before.tree })),
  )
  const merges = await mergeAll(
    git,
    cases.map(({ side }, index) => ({
      base: side.base,
      ours: (reverts[index] as Merged).tree,
      theirs: side.tree,
    })),
  )
  return overlaps.map((overlap, index) => {
    const [reverted, merged] = [reverts[index] as Merged, merges[index] as Merged]
    return namesIn(overlap).some((name) => merged.conflicts.has(name) && !reverted.conflicts.has(name))
  })
}

/** The commits of the branch before and after a pull request was merged. */
function mergeOf({ all }: Commits, branches: readonly Branch[], { branch, merged }: Changed) {
  const { chain } = branches[branch] as Branch
  const position = merged?.position ?? 0
  const [before, after] = [Math.max(0, position - 1), position].map((at) => all[chain[at] as number])
  return { before: before as Commit, after: after as Commit }
}

function namesIn({ real }: JudgedOverlap): string[] {
  return real.flatMap(({ yours, theirs }) => [...namesOf(yours), ...namesOf(theirs)])
}

/** Null if one was merged and the other is open. */
function endOf({ earlier, later }: JudgedOverlap): Outcome | null {
  const sides = [earlier, later]
  if (sides.some(({ merged, is_open }) => merged === null && !is_open)) return 'closed'
  if (sides.every(({ merged }) => merged !== null)) return 'both_merged'
  return sides.every(({ is_open }) => is_open) ? 'both_open' : null
}

function mergedFirst({ earlier, later }: JudgedOverlap): [merged: Changed, open: Changed] {
  return earlier.merged === null ? [later, earlier] : [earlier, later]
}
