/** What became of a pair of overlapping pull requests or branches (docs/contract/signal.md#outcomes). */

/**
 * `resolved`: a push took the overlap away before a merge. `merged_anyway`: one side was merged while they overlapped.
 * `given_up`: one side was closed unmerged.
 */
export const OUTCOMES = ['open', 'resolved', 'merged_anyway', 'given_up'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const OUTCOME_WORDS: Record<Outcome, string> = {
  open: 'still open',
  resolved: 'resolved before a merge',
  merged_anyway: 'merged while they conflicted',
  given_up: 'given up',
}
