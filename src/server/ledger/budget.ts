/** The budget of comments: the share of pull requests that may have one (contract §12). Pure. */
import { z } from 'zod'

export const CommentBudget = z
  .strictObject({
    share: z.number().nullable().meta({
      description:
        'The share of the pull requests by people opened in the last 30 days that have a comment; null if there were none.',
    }),
    limit: z.number().meta({ description: 'The setting `comment.budget`.' }),
    in_force: z.boolean().meta({
      description:
        'Whether the share is above the limit, of at least 20 pull requests: new comments then need conflicts in two files, a duplicate or raised risk.',
    }),
  })
  .meta({ id: 'CommentBudget' })
export type BudgetState = z.output<typeof CommentBudget>

/** The share counts the pull requests that were opened in this period. */
export const BUDGET_DAYS = 30

/** With fewer pull requests, the share is not meaningful. */
const PULL_REQUESTS_MIN = 20

/**
 * The state of the budget. `pull_requests`: those by people that were opened in the last `BUDGET_DAYS`; `commented`: those
 * of them with a comment.
 */
export function budgetOf(
  { pull_requests, commented }: { pull_requests: number; commented: number },
  limit: number,
): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}
