/** The budget of comments: the share of pull requests that may have one (docs/contract/publishing.md#budget). Pure. */
import type { BudgetState } from '../../vocabulary/contract/signal.ts'

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
