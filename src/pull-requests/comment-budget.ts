/** How many pull requests have a comment, and whether that is more than the repository's budget (contract §12). */
import { later } from '../base/clock.ts'
import type { RepoContext } from '../context/repo.ts'
import { isBot } from '../signal/audience.ts'
import { BUDGET_DAYS, type BudgetState, budgetOf } from '../signal/budget.ts'
import { countByAuthor } from './store.ts'

const DAY_MS = 86_400_000

export async function budgetStateOf(ctx: RepoContext): Promise<BudgetState> {
  return budgetOf(await countPullRequests(ctx, BUDGET_DAYS), ctx.settings.comment.budget)
}

/** The pull requests by people that were opened in the last `days`, and those of them with a comment. */
export async function countPullRequests(
  { db, now, repo, settings }: RepoContext,
  days: number,
): Promise<{ pull_requests: number; commented: number; thumbs_up: number; thumbs_down: number }> {
  const counts = await countByAuthor(db, repo.id, later(now, -days * DAY_MS))
  const people = counts.filter(
    ({ author, is_bot }) => !isBot({ login: author ?? '', is_of_type_bot: is_bot }, settings.comment),
  )
  const sum = (name: 'pull_requests' | 'commented' | 'thumbs_up' | 'thumbs_down') =>
    people.reduce((total, each) => total + each[name], 0)
  return {
    pull_requests: sum('pull_requests'),
    commented: sum('commented'),
    thumbs_up: sum('thumbs_up'),
    thumbs_down: sum('thumbs_down'),
  }
}
