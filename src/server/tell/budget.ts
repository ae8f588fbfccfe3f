/** How many pull requests have a comment, and whether that is more than the repository's budget. */

import { settingsOf } from '../../engine/settings/layers.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../vocabulary/contract/settings.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import { addTo } from '../../vocabulary/lists.ts'
import { isBot } from '../../vocabulary/logins.ts'
import type { Db } from '../platform/db/database.ts'
import { countByAuthor, countByRepository } from '../records/pull-requests/lists-store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { listSettings } from '../records/repositories/store.ts'
import { storedLayers } from '../records/repositories/stored-settings.ts'

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
const COUNTED = ['pull_requests', 'commented', 'over_budget', 'thumbs_up', 'thumbs_down'] as const
type Counts = Record<(typeof COUNTED)[number], number>

/** The pull requests by people that were opened in the last `BUDGET_DAYS`, those of them with a comment, and the reactions to these. */
async function countPullRequests({ db, now, repo, settings }: RepoContext): Promise<Counts> {
  return sumPeople(await countByAuthor(db, repo.id, later(now, -BUDGET_DAYS * DAY_MS)), settings)
}

/** The same for all repositories, and in how many of them the budget is in force. */
export async function countAllPullRequests(
  db: Db,
  now: Date,
): Promise<Counts & { budgets_in_force: number }> {
  const stored = new Map((await listSettings(db)).map((row) => [row.repo_id, row]))
  const all = await countByRepository(db, later(now, -BUDGET_DAYS * DAY_MS))
  const byRepository = new Map<number, CountsOfAuthor[]>()
  for (const each of all) addTo(byRepository, each.repo_id, each)
  const people = [...byRepository].map(([repo_id, counts]) => {
    const row = stored.get(repo_id)
    const settings = row ? settingsOf(storedLayers(row)) : DEFAULT_SETTINGS
    const sums = sumPeople(counts, settings)
    return { ...sums, in_force: computeBudget(sums, settings.comment.budget).in_force }
  })
  return { ...addUp(people), budgets_in_force: people.filter(({ in_force }) => in_force).length }
}

type CountsOfAuthor = Counts & { author: string | null; is_bot: boolean }

function sumPeople(counts: CountsOfAuthor[], { comment }: Pick<Settings, 'comment'>): Counts {
  const isOfBot = ({ author, is_bot }: CountsOfAuthor) =>
    isBot({ login: author ?? '', is_of_type_bot: is_bot }, comment)
  return addUp(counts.filter((each) => !isOfBot(each)))
}

function addUp(counts: Counts[]): Counts {
  const sum = (name: keyof Counts) => counts.reduce((total, each) => total + each[name], 0)
  return Object.fromEntries(COUNTED.map((name) => [name, sum(name)])) as Counts
}

/** The budget: the share of pull requests that may have a comment (docs/contract/publishing.md#budget). */
function computeBudget(
  { pull_requests, commented }: Pick<Counts, 'pull_requests' | 'commented'>,
  limit: number,
): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}

/** What the budget leaves for a pull request without a comment: above it strong candidates, but only a few. */
export function computeRoom(
  counts: Pick<Counts, 'pull_requests' | 'commented' | 'over_budget'>,
  limit: number,
): Room {
  if (!computeBudget(counts, limit).in_force) return 'any'
  return counts.over_budget < Math.max(EXCESS_SHARE * counts.pull_requests, EXCESS_MIN) ? 'strong' : 'none'
}
