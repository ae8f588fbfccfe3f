/** SQL conditions on the status of an activity, and what a check compares: the outlines of live ones, and what it needs of those that are near. Every statement starts with the repository id. */

import { and, asc, desc, eq, getTableColumns, gt, lte, not, or, type SQL, sql } from 'drizzle-orm'
import type { Change } from '../../../engine/record.ts'
import {
  type ComparedActivity,
  type MergedActivity,
  type OutlinedActivity,
  outlineOf,
} from '../../../engine/records/activity.ts'
import {
  CLOSED_STATUSES,
  FINISHED_STATUSES,
  isLive as isLiveStatus,
  LIVE_STATUSES,
} from '../../../vocabulary/activity-status.ts'
import type { ActivityStatus } from '../../../vocabulary/contract/activity.ts'
import { type Db, isOneOf, jsonOf, prepared, preparedByIds } from '../../platform/db/database.ts'
import { type ActivityRow, activities } from './table.ts'

/** Neither archived nor expired, as stored. Literals, because the planner cannot match parameters with the predicate of a partial index. */
export const isOpen = not(isOneOf(activities.status, CLOSED_STATUSES))
export const isStoredLive = isOneOf(activities.status, LIVE_STATUSES)
export const isStoredFinished = isOneOf(activities.status, FINISHED_STATUSES)

/**
 * True for a live activity of the repository. `isOpen` follows from the rest, but matches the predicate of the partial
 * indexes.
 */
export function isLiveAt(repo_id: number, now: Date): SQL | undefined {
  return and(eq(activities.repo_id, repo_id), isOpen, isStoredLive, gt(activities.expires_at, now))
}

/**
 * `column = name`, written as a range. When most repositories are small, the planner considers all indexes of a
 * repository equally cheap and may scan every open activity of a large one. A range makes it use the index on the column.
 */
export function isBranch(
  column: typeof activities.branch | typeof activities.base_branch,
  name: string,
): SQL {
  return sql`${column} between ${name} and ${name}`
}

/** `status = …` as of `now`: from `expires_at` on an activity is closed, even if the sweep has not stored that. */
export function hasStatus(status: ActivityStatus, now: Date): SQL | undefined {
  const stored = eq(activities.status, status)
  const reached = lte(activities.expires_at, now)
  if (status === 'expired') return or(stored, and(isStoredLive, reached))
  if (status === 'archived') return or(stored, and(isStoredFinished, reached))
  return and(stored, gt(activities.expires_at, now))
}

/** The columns that an overlap check needs are all but these. */
const {
  agent,
  archive_reason,
  archived_at,
  archived_by,
  branch_pushed,
  expires_at,
  expires_hour,
  heartbeat_at,
  issue_places,
  merged_at,
  repo_id,
  reserved_numbers,
  ttl_ms,
  version,
  ...compared
} = getTableColumns(activities)

const readCompared = preparedByIds('activities_compared', activities, {
  json: sql<string>`${jsonOf(compared)}::text`.as('json'),
})

/** The activities `ids` that exist, in any order. Read as JSON, which is faster than by column. */
export async function listCompared(db: Db, repo_id: number, ids: string[]): Promise<ComparedActivity[]> {
  const rows = await readCompared(db, repo_id, ids)
  return rows.map(({ json }) => {
    const row = JSON.parse(json)
    row.declared_at &&= new Date(row.declared_at)
    row.created_at = new Date(row.created_at)
    row.updated_at = new Date(row.updated_at)
    return row
  })
}

const readMerged = prepared('merged_activities', (db) =>
  db
    .select({ ...compared, merged_at: activities.merged_at })
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        gt(activities.merged_at, sql`${sql.placeholder('since')}::timestamptz`),
        sql`(${activities.merged_at}, ${activities.id}) < (${sql.placeholder('merged_at')}::timestamptz, ${sql.placeholder('id')})`,
      ),
    )
    .orderBy(desc(activities.merged_at), desc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities merged after `since`, and before the activity `before` if there is one; last merged first. */
export function listMerged(
  db: Db,
  repo_id: number,
  { since, before, limit }: { since: Date; before: MergedActivity | undefined; limit: number },
): Promise<MergedActivity[]> {
  const { id = '', merged_at } = before ?? {}
  const page = { id, merged_at: merged_at?.toISOString() ?? 'infinity' }
  return readMerged(db, { repo_id, since: since.toISOString(), limit, ...page })
}

const ENDS_AT = sql<number>`(extract(epoch from ${activities.expires_at}) * 1000)::float8`

const outlined = {
  id: activities.id,
  status: activities.status,
  branch: activities.branch,
  base_branch: activities.base_branch,
  risk: activities.risk,
  blocking: activities.blocking,
  changes_complete: activities.changes_complete,
  scope: activities.scope,
  scope_is_literal: activities.scope_is_literal,
  changed_files: activities.changed_files,
  pushed_files: activities.pushed_files,
  pr_number: activities.pr_number,
  draft_pr: activities.draft_pr,
  issue: activities.issue,
  closes: activities.closes,
  ends_at: ENDS_AT,
  version: activities.version,
}
type Outlined = OutlinedActivity & Pick<ActivityRow, 'status'> & { version: number }

function changedOf(row: Outlined): Change {
  const { id, version, status } = row
  return { id, version, outline: isLiveStatus(status) ? outlineOf(row) : null }
}

const readChanged = prepared('activities_changed', (db) =>
  db
    .select({ json: sql<string>`${jsonOf(outlined)}::text` })
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        sql`(${activities.version}, ${activities.id}) > (${sql.placeholder('version')}::bigint, ${sql.placeholder('id')})`,
        sql`(${sql.placeholder('with_ended')}::boolean or ${isStoredLive})`,
      ),
    )
    .orderBy(asc(activities.repo_id), asc(activities.version), asc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities that changed after `version`, and after the id `id` in that version, in this order. `with_ended`: also those that are not live any more. */
export async function listChanged(
  db: Db,
  repo_id: number,
  page: { version: number; id: string; with_ended: boolean; limit: number },
): Promise<Change[]> {
  const rows = await readChanged(db, { repo_id, ...page })
  return rows.map(({ json }) => changedOf(JSON.parse(json)))
}

const readEnds = preparedByIds('activities_ends', activities, {
  id: activities.id,
  json: sql<string>`${ENDS_AT}::text`.as('json'),
})

/** When the activities `ids` end, in milliseconds since 1970; those that do not exist are missing. */
export async function listEnds(db: Db, repo_id: number, ids: string[]): Promise<Map<string, number>> {
  const rows = await readEnds(db, repo_id, ids)
  return new Map(rows.map(({ id, json }) => [id, Number(json)]))
}
