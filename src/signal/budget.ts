/** The budget of comments: the share of pull requests that may have one (contract §12). Pure. */

export interface BudgetState {
  /** The share of pull requests by people of the last 30 days that have a comment; null if there were none. */
  share: number | null
  limit: number
  in_force: boolean
}

/** The share counts the pull requests that were opened in this period. */
export const BUDGET_DAYS = 30

/** With fewer pull requests, a share says little. */
const PULL_REQUESTS_MIN = 20

/** `commented` of `pull_requests` by people, opened in the last `BUDGET_DAYS`, have a comment. */
export function budgetOf(
  { pull_requests, commented }: { pull_requests: number; commented: number },
  limit: number,
): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}
