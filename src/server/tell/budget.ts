/** How many pull requests have a comment, and whether that is more than the repository's budget. */

import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import { isBot } from '../../vocabulary/logins.ts'
import { countByAuthor } from '../records/pull-requests/lists-store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'

/** The budget counts the pull requests that were opened in this period. */
const BUDGET_DAYS = 30

/** With fewer pull requests, the share is not meaningful. */
const PULL_REQUESTS_MIN = 20

/** How many comments over the budget strong candidates get: a share of the pull requests, or a few in a small repository. */
const EXCESS_SHARE = 0.01
const EXCESS_MIN = 2

/** Which candidates a pull request may still get its first comment for. */
export type Room = 'any' | 'strong' | 'none'

export async function readBudget(ctx: RepoContext): Promise<BudgetState> {
  return computeBudget(await countPullRequests(ctx), ctx.settings.comment.budget)
}

/** What the budget leaves for pull requests without a comment. */
export async function readRoom(ctx: RepoContext): Promise<Room> {
  return computeRoom(await countPullRequests(ctx), ctx.settings.comment.budget)
}

/** `over_budget`: those whose comment was made while the budget was in force. */
type Counts = Record<'pull_requests' | 'commented' | 'over_budget', number>

/** The pull requests by people that were opened in the last `BUDGET_DAYS`, and those of them with a comment. */
async function countPullRequests({ db, now, repo, settings }: RepoContext): Promise<Counts> {
  const all = await countByAuthor(db, repo.id, later(now, -BUDGET_DAYS * DAY_MS))
  const people = all.filter(
    ({ author, is_bot }) => !isBot({ login: author ?? '', is_of_type_bot: is_bot }, settings.comment),
  )
  const sum = (name: keyof Counts) => people.reduce((total, each) => total + each[name], 0)
  return {
    pull_requests: sum('pull_requests'),
    commented: sum('commented'),
    over_budget: sum('over_budget'),
  }
}

/** The budget: the share of pull requests that may have a comment (docs/contract/publishing.md#budget). */
function computeBudget({ pull_requests, commented }: Counts, limit: number): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}

/** What the budget leaves for a pull request without a comment: above it strong candidates, but only a few. */
export function computeRoom(counts: Counts, limit: number): Room {
  if (!computeBudget(counts, limit).in_force) return 'any'
  return counts.over_budget < Math.max(EXCESS_SHARE * counts.pull_requests, EXCESS_MIN) ? 'strong' : 'none'
}
