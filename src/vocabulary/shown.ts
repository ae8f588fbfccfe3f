/** How much of other people's work a text shows, why a pair is not shown, and what became of one. */

/** Other pull requests or activities in a comment, in a warning to an agent, and below each activity of a list. */
export const OTHERS_SHOWN_MAX = 3
/** Files of one overlap. */
export const FILES_SHOWN_MAX = 3
/** Characters of a title within a sentence. */
export const TITLE_SHOWN_MAX = 50

/** Why a comment does not show a pair (docs/contract/publishing.md#why), with the words for it. */
export const HIDDEN_BECAUSE = {
  below_threshold: 'below the threshold',
  stale: 'not pushed recently',
  bot: 'by a bot',
  same_author: 'by the same author',
  declared_by_glob: 'declared by a glob, not by file',
  other_side: 'shown only to the side that came later',
  over_budget: 'over the budget for comments (`comment.budget`), or for one comment',
  muted: 'muted',
  shadow: 'in a mode in which nothing is posted',
  no_event: 'waiting for the next event of this pull request',
  other_base: 'for another base branch',
} as const
export type HiddenBecause = keyof typeof HIDDEN_BECAUSE

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
