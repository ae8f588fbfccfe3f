/** SQL conditions on the status of an activity. */
import { and, eq, gt, lte, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { CLOSED_STATUSES, FINISHED_STATUSES, LIVE_STATUSES } from '../../../vocabulary/activity-status.ts'
import type { ActivityStatus } from '../../../vocabulary/contract/activity.ts'
import { activities } from './table.ts'

/** Literals, because the planner cannot match parameters with the predicate of a partial index. */
const listed = (statuses: readonly ActivityStatus[]) =>
  sql.raw(`(${statuses.map((each) => `'${each}'`).join(', ')})`)

/** Neither archived nor expired, as stored. */
export const isOpen = sql`${activities.status} not in ${listed(CLOSED_STATUSES)}`
export const isStoredLive = sql`${activities.status} in ${listed(LIVE_STATUSES)}`
export const isStoredFinished = sql`${activities.status} in ${listed(FINISHED_STATUSES)}`

/**
 * True for a live activity of the repository. `isOpen` follows from the rest, but matches the predicate of the partial
 * indexes.
 */
export function isLiveAt(repo_id: number, now: Date): SQL {
  return allOf(eq(activities.repo_id, repo_id), isOpen, isStoredLive, gt(activities.expires_at, now))
}

/**
 * `column = name`, written as a range. When most repositories are small, the planner considers all indexes of a
 * repository equally cheap and may scan every open activity of a large one. A range makes it use the index on the column.
 */
export function isBranch(
  column: typeof activities.branch | typeof activities.base_branch,
  name: SQLWrapper | string,
): SQL {
  return sql`${column} between ${name} and ${name}`
}

/** `status = …` as of `now`: from `expires_at` on an activity is closed, even if the sweep has not stored that. */
export function hasStatus(status: ActivityStatus, now: Date): SQL {
  const stored = eq(activities.status, status)
  const reached = lte(activities.expires_at, now)
  if (status === 'expired') return anyOf(stored, allOf(isStoredLive, reached))
  if (status === 'archived') return anyOf(stored, allOf(isStoredFinished, reached))
  return allOf(stored, gt(activities.expires_at, now))
}

function allOf(...conditions: SQL[]): SQL {
  return and(...conditions) as SQL
}

function anyOf(...conditions: SQL[]): SQL {
  return or(...conditions) as SQL
}
