/** How many pull requests were opened and commented, for the budget of comments, the signal report and the metrics. */
import { and, eq, gte, type SQLWrapper, sql } from 'drizzle-orm'
import { COUNTED_MAX, type Db } from '../../platform/db/database.ts'
import { pull_requests } from './table.ts'

const counted = {
  pull_requests: sql<number>`count(*)::int`,
  commented: sql<number>`count(commented_at)::int`,
  over_budget: sql<number>`(count(*) filter (where is_over_budget))::int`,
  thumbs_up: sql<number>`coalesce(sum(thumbs_up), 0)::int`,
  thumbs_down: sql<number>`coalesce(sum(thumbs_down), 0)::int`,
}

/** Pull requests that were opened since `since`, by author. */
export function countByAuthor(db: Db, repo_id: number, since: Date) {
  const { author, is_bot, opened_at } = pull_requests
  return db
    .select({ author, is_bot, ...counted })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), gte(opened_at, since)))
    .groupBy(author, is_bot)
}

/** The same for all repositories, by repository and author. Authors who cannot be bots are counted together, as null. */
export function countByRepository(db: Db, since: Date) {
  const { repo_id: of, author: by, is_bot: is_of_bot } = pull_requests
  const { commented_at, is_over_budget, thumbs_up, thumbs_down } = pull_requests
  const shown = { commented_at, is_over_budget, thumbs_up, thumbs_down }
  const opened = db
    .select({ repo_id: of, author: by, is_bot: is_of_bot, ...shown })
    .from(pull_requests)
    .where(gte(pull_requests.opened_at, since))
    .limit(COUNTED_MAX)
    .as('opened')
  const { repo_id, is_bot } = opened
  const author = sql<string | null>`case when is_bot or author like '%]' then author end`
  return db
    .select({ repo_id, author, is_bot, ...counted })
    .from(opened)
    .groupBy(repo_id, is_bot, author)
}

/** The comments that were posted since `since`, how often they were edited, and the reactions to them. */
export async function countComments(db: Db, repo_id: number, since: Date) {
  const { comment_posted_at, comment_edits, thumbs_up, thumbs_down } = pull_requests
  const sum = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)::int`
  const [counts] = await db
    .select({
      posted: sql<number>`count(*)::int`,
      edited: sum(comment_edits),
      up: sum(thumbs_up),
      down: sum(thumbs_down),
    })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), gte(comment_posted_at, since)))
  return counts as NonNullable<typeof counts>
}
