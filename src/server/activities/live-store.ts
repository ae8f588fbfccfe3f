/** The queries of an overlap check on activities. Every statement starts with the repository id. */
import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { selectByIds } from '../db/lookup.ts'
import { prepared } from '../db/prepared.ts'
import { isBranch, isLive } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

/** The columns that determine the compared scope of an activity, and how its work relates to that of another one. */
const sided = {
  id: activities.id,
  scope: activities.scope,
  scope_is_literal: activities.scope_is_literal,
  changed_files: activities.changed_files,
  pushed_files: activities.pushed_files,
  pr_url: activities.pr_url,
  pr_number: activities.pr_number,
  draft_pr: activities.draft_pr,
  title: activities.title,
  summary: activities.summary,
  actor: activities.actor,
  created_by: activities.created_by,
  assignee: activities.assignee,
  is_by_newcomer: activities.is_by_newcomer,
  issue: activities.issue,
  closes: activities.closes,
  source: activities.source,
  base_sha: activities.base_sha,
  pushed_base_sha: activities.pushed_base_sha,
  changes_complete: activities.changes_complete,
}
/** The columns that an overlap check needs. */
const compared = {
  ...sided,
  branch: activities.branch,
  base_branch: activities.base_branch,
  risk: activities.risk,
  blocking: activities.blocking,
  status: activities.status,
  declared_at: activities.declared_at,
  created_at: activities.created_at,
  updated_at: activities.updated_at,
}
export type SidedActivity = Pick<ActivityRow, keyof typeof sided>
export type ComparedActivity = Pick<ActivityRow, keyof typeof compared>
export type MergedActivity = ComparedActivity & Pick<ActivityRow, 'merged_at'>

/** Live activities without their scopes, which can be large. */
const outlined = {
  id: activities.id,
  branch: activities.branch,
  base_branch: activities.base_branch,
  risk: activities.risk,
  blocking: activities.blocking,
  /** The version of the row: it changes with every update of any field. */
  version: sql<string>`xmin::text`,
  /** The stored size of the scope and the changed files. */
  scope_bytes: sql<number>`pg_column_size(${activities.scope}) + pg_column_size(${activities.changed_files}) + coalesce(pg_column_size(${activities.pushed_files}), 0)`,
}
export type OutlinedActivity = Pick<ActivityRow, 'id' | 'branch' | 'base_branch' | 'risk' | 'blocking'> & {
  version: string
  scope_bytes: number
}

const readLive = prepared('activities_live', (db) =>
  db
    .select({ json: sql<string>`${jsonOf(outlined)}::text` })
    .from(activities)
    .where(isLive)
    .orderBy(desc(activities.repo_id), desc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` live activities, newest first. */
export async function listLive(
  db: Db,
  repo_id: number,
  options: { now: Date; limit: number },
): Promise<OutlinedActivity[]> {
  const rows = await readLive(db, { repo_id, limit: options.limit, now: options.now.toISOString() })
  return rows.map(({ json }) => JSON.parse(json))
}

/** The columns as a JSON object: as a part of a larger answer, and for many rows, because one text is decoded faster than many columns. */
function jsonOf(columns: Record<string, PgColumn | SQL>): SQL {
  const fields = Object.entries(columns).map(([name, column]) => sql`${sql.raw(`'${name}'`)}, ${column}`)
  return sql`json_build_object(${sql.join(fields, sql`, `)})`
}
export const COMPARED_JSON = jsonOf(compared)
export const MERGED_JSON = jsonOf({ ...compared, merged_at: activities.merged_at })

type Jsonified<Row> = {
  [Field in keyof Row]: Exclude<Row[Field], Date> | (Date extends Row[Field] ? string : never)
}

/** An activity from `COMPARED_JSON`. */
export function comparedFrom({
  created_at,
  updated_at,
  declared_at,
  ...activity
}: Jsonified<ComparedActivity>): ComparedActivity {
  return {
    ...activity,
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    declared_at: declared_at === null ? null : new Date(declared_at),
  }
}

/** An activity from `MERGED_JSON`. */
export function mergedFrom({ merged_at, ...activity }: Jsonified<MergedActivity>): MergedActivity {
  return { ...comparedFrom(activity), merged_at: merged_at === null ? null : new Date(merged_at) }
}

const readCompared = prepared('activities_compared', (db) => selectByIds(db, activities, compared))
const readSided = prepared('activities_sided', (db) =>
  selectByIds(db, activities, { json: sql<string>`${jsonOf(sided)}::text`.as('json') }),
)

/** The activities `ids` that exist, in any order. `known`: activities that were read already, by id. */
export async function listCompared(
  db: Db,
  repo_id: number,
  { ids, known }: { ids: string[]; known: ReadonlyMap<string, ComparedActivity> },
): Promise<ComparedActivity[]> {
  const unknown = ids.filter((id) => !known.has(id))
  const read = unknown.length === 0 ? [] : await readCompared(db, { repo_id, ids: JSON.stringify(unknown) })
  return [...ids.flatMap((id) => known.get(id) ?? []), ...read]
}

/** The fields of the activities `ids` from which their scopes, files, authors and closed issues follow. */
export async function listScopesOf(db: Db, repo_id: number, ids: string[]): Promise<SidedActivity[]> {
  const rows = await readSided(db, { repo_id, ids: JSON.stringify(ids) })
  return rows.map(({ json }) => JSON.parse(json))
}

const readLiveWith = prepared('live_activities_with_pull_requests', (db) =>
  db
    .select(compared)
    .from(activities)
    .where(and(isLive, sql`${activities.pr_number} = any(${sql.placeholder('numbers')}::int[])`))
    .orderBy(activities.id),
)

/** The live activities of these pull requests, oldest first. */
export function listLiveWith(
  db: Db,
  repo_id: number,
  { numbers, now }: { numbers: readonly number[]; now: Date },
): Promise<ComparedActivity[]> {
  return readLiveWith(db, { repo_id, numbers: `{${numbers}}`, now: now.toISOString() })
}

const readScopesOn = prepared('activities_scopes_on', (db) =>
  db
    .select(sided)
    .from(activities)
    .where(and(isLive, isBranch(activities.branch, sql`${sql.placeholder('branch')}::text`)))
    .orderBy(desc(activities.repo_id), desc(activities.branch), desc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** The scopes of up to `limit` live activities of a branch, newest first. */
export function listScopes(
  db: Db,
  repo_id: number,
  options: { now: Date; branch: string; limit: number },
): Promise<SidedActivity[]> {
  return readScopesOn(db, { repo_id, ...options, now: options.now.toISOString() })
}

const readMergedBefore = prepared('merged_activities_before', (db) =>
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

/**
 * Up to `limit` activities merged after `since` and before the activity `before`, last merged first. The first page comes
 * from the search of a check.
 */
export function listMerged(
  db: Db,
  repo_id: number,
  { since, before, limit }: { since: Date; before: MergedActivity; limit: number },
): Promise<MergedActivity[]> {
  const { id, merged_at } = before
  return readMergedBefore(db, {
    repo_id,
    since: since.toISOString(),
    limit,
    id,
    merged_at: merged_at?.toISOString(),
  })
}
