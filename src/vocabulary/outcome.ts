/** What became of a pair of overlapping pull requests or branches (docs/contract/signal.md#outcomes). */

/**
 * What became of a pair. `came_true`: one side was merged, and the other one then conflicted or edited the merged lines.
 * `resolved`: a push took the overlap away before a merge. `wrong`: one side was merged, and the other one neither
 * conflicted nor edited the merged lines. `given_up`: one side was closed unmerged.
 */
export const OUTCOMES = ['open', 'came_true', 'resolved', 'wrong', 'given_up'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const OUTCOME_WORDS: Record<Outcome, string> = {
  open: 'still open',
  came_true: 'came true',
  resolved: 'resolved before a merge',
  wrong: 'wrong',
  given_up: 'given up',
}
