/** Conditions on the status of an activity, as SQL. */
import { and, eq, gt, lte, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import { type ActivityStatus, CLOSED_STATUSES, FINISHED_STATUSES, LIVE_STATUSES } from './activity.ts'
import { activities } from './table.ts'

/** Spelt out: of a parameter the planner cannot tell that it asks for what a partial index holds. */
const listed = (statuses: readonly ActivityStatus[]) =>
  sql.raw(`(${statuses.map((each) => `'${each}'`).join(', ')})`)

export const isOpen = sql`${activities.status} not in ${listed(CLOSED_STATUSES)}`
export const isStoredLive = sql`${activities.status} in ${listed(LIVE_STATUSES)}`
export const isStoredFinished = sql`${activities.status} in ${listed(FINISHED_STATUSES)}`

/** The live activities of a repository. */
export function isLiveAt(repo_id: number, now: Date): SQL {
  return allOf(eq(activities.repo_id, repo_id), isOpen, isStoredLive, gt(activities.expires_at, now))
}

/**
 * `column = name`, said as a range. Where most repositories are small, the planner takes it for no matter which index of a
 * repository it reads, and would look for the branch in all open activities of a large one; a range keeps it to the index
 * that has one.
 */
export function isBranch(
  column: typeof activities.branch | typeof activities.base_branch,
  name: SQLWrapper | string,
): SQL {
  return sql`${column} between ${name} and ${name}`
}

/** `status = …` as of `now`: what has reached `expires_at` counts as closed even where the sweep has not stored it. */
export function hasStatus(status: ActivityStatus, now: Date): SQL {
  const stored = eq(activities.status, status)
  const reached = lte(activities.expires_at, now)
  if (status === 'expired') return anyOf(stored, allOf(isStoredLive, reached))
  if (status === 'archived') return anyOf(stored, allOf(isStoredFinished, reached))
  return allOf(stored, gt(activities.expires_at, now))
}

/** Records that are counted at most. */
const COUNTED_MAX = 100_000

/** How many live activities there are in all repositories. */
export async function countLive(db: Db, now: Date): Promise<number> {
  const live = db
    .select({ one: sql`1`.as('one') })
    .from(activities)
    // The first condition is spelt as in the partial index, which holds little else.
    .where(and(sql`status not in ('archived', 'expired')`, isStoredLive, gt(activities.expires_at, now)))
    .limit(COUNTED_MAX)
    .as('live')
  return db.$count(live)
}

function allOf(...conditions: SQL[]): SQL {
  return and(...conditions) as SQL
}

function anyOf(...conditions: SQL[]): SQL {
  return or(...conditions) as SQL
}
