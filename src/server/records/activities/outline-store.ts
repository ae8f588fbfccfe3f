/** Reads activities as they are compared in memory. Every statement starts with the repository id. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Change, Outline } from '../../../engine/record.ts'
import { type ComparedFields, storedScopeOf } from '../../../engine/records/compared-scope.ts'
import { isLive as isLiveStatus } from '../../../vocabulary/activity-status.ts'
import { activityWeight } from '../../../vocabulary/severity.ts'
import type { Db } from '../../platform/db/database.ts'
import { jsonOf } from '../../platform/db/json.ts'
import { selectByIds } from '../../platform/db/lookup.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { isOpen, isStoredLive } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

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
type Outlined = ComparedFields &
  Pick<ActivityRow, 'id' | 'status' | 'branch' | 'base_branch' | 'risk' | 'blocking' | 'changes_complete'> & {
    ends_at: number
    version: number
  }

function changedOf(row: Outlined): Change {
  const { id, version, status, branch, base_branch, ends_at, pr_number, changes_complete } = row
  if (!isLiveStatus(status)) return { id, version, outline: null }
  const outline: Outline = {
    id,
    kind: 'activity',
    weight: activityWeight(row),
    branch,
    base_branch,
    ends_at,
    pr_number,
    is_cut: !changes_complete,
    scope: storedScopeOf(row),
  }
  return { id, version, outline }
}

const readLive = prepared('activities_outlined', (db) =>
  db
    .select({ json: sql<string>`${jsonOf(outlined)}::text` })
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        isOpen,
        isStoredLive,
        gt(activities.id, sql.placeholder('after')),
      ),
    )
    .orderBy(asc(activities.repo_id), asc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities after the id `after` that are stored as live, by id. */
export async function listOutlines(
  db: Db,
  repo_id: number,
  page: { after: string; limit: number },
): Promise<Change[]> {
  const rows = await readLive(db, { repo_id, ...page })
  return rows.map(({ json }) => changedOf(JSON.parse(json)))
}

const readChanged = prepared('activities_changed', (db) =>
  db
    .select({ json: sql<string>`${jsonOf(outlined)}::text` })
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        sql`(${activities.version}, ${activities.id}) > (${sql.placeholder('version')}::bigint, ${sql.placeholder('id')})`,
      ),
    )
    .orderBy(asc(activities.repo_id), asc(activities.version), asc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities that changed after `version`, and after the id `id` in that version, in this order. */
export async function listChanged(
  db: Db,
  repo_id: number,
  page: { version: number; id: string; limit: number },
): Promise<Change[]> {
  const rows = await readChanged(db, { repo_id, ...page })
  return rows.map(({ json }) => changedOf(JSON.parse(json)))
}

const readEnds = prepared('activities_ends', (db) =>
  selectByIds(db, activities, { id: activities.id, json: sql<string>`${ENDS_AT}::text`.as('json') }),
)

/** When the activities `ids` end, in milliseconds since 1970; those that do not exist are missing. */
export async function listEnds(db: Db, repo_id: number, ids: string[]): Promise<Map<string, number>> {
  const rows = await readEnds(db, { repo_id, ids: JSON.stringify(ids) })
  return new Map(rows.map(({ id, json }) => [id, Number(json)]))
}
