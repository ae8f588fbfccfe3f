/** Queries for single activities and their list. Every statement starts with the repository id; none reads the database clock. */
import { and, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ListActivities } from '../../vocabulary/contract/activity.ts'
import { activityWeight } from '../../vocabulary/weight.ts'
import { deleteChangedNames } from '../changed-names/store.ts'
import { claimsOf, type StoredScope } from '../claims-index/claim.ts'
import {
  adjustLiveCount,
  type IndexedRecord,
  insertClaimsFromParameters,
  replaceClaims,
  unindexRecords,
} from '../claims-index/store.ts'
import type { Db } from '../db/database.ts'
import { selectByIds } from '../db/lookup.ts'
import { placeholdersOf, prepared, valuesOf } from '../db/prepared.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import { deleteFileChanges, insertFileChanges } from '../line-verdicts/store.ts'
import { type ComparedFields, issuesOf, storedScopeOf } from './compared-scope.ts'
import { claimIssues, releaseAllIssues, replaceIssues } from './issue-store.ts'
import { extendedExpiry, hasStatus, isOpen, isStoredLive } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

export type NewActivity = typeof activities.$inferInsert
export type ActivityChanges = Partial<Omit<NewActivity, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(activities.repo_id, repo_id), eq(activities.id, id))
}

const runInsert = prepared('insert_activity', (db) =>
  db
    .with(
      db.$with('claimed', {}).as(insertClaimsFromParameters()),
      db.$with('counted', {}).as(adjustLiveCount(sql.placeholder('repo_id'), 'act', 1)),
    )
    .insert(activities)
    .values(placeholdersOf(activities))
    .returning(),
)

/**
 * Inserts a live activity and its claims in one statement, its changed files (those of `pushed_files`, else of
 * `changed_files`), and the issues that it is on.
 */
export async function insertActivity(
  db: Db,
  row: NewActivity,
  changes: readonly FileChange[] = [],
): Promise<ActivityRow> {
  const { repo_id, id: activity_id, created_at } = row
  const issues = issuesOf({ issue: null, closes: null, ...row })
  if (changes.length + issues.length === 0) return insertRow(db, row)
  return db.transaction(async (tx) => {
    const inserted = await insertRow(tx, row)
    const origin = row.pushed_files ? 'pushed' : 'declared'
    if (changes.length > 0) await insertFileChanges(tx, { repo_id, activity_id, origin }, changes)
    await claimIssues(tx, inserted, issues, created_at)
    return inserted
  })
}

const DEFAULTS = {
  branch_pushed: false,
  scope_is_literal: false,
  changed_files: [],
  is_by_newcomer: false,
  changes_complete: true,
}

async function insertRow(db: Db, row: NewActivity): Promise<ActivityRow> {
  const { weight, claims } = await indexedActivity(row)
  const [inserted] = await runInsert(db, {
    ...valuesOf(activities, { ...DEFAULTS, ...row }),
    weight,
    claims: JSON.stringify(claims),
  })
  // Keep the given scope object, because its globs are already parsed.
  return { ...(inserted as ActivityRow), scope: row.scope }
}

type IndexedFields = 'repo_id' | 'id' | 'risk' | 'blocking' | ScopeFields
type ScopeFields = keyof ComparedFields

/** The claims index entry of a live activity. */
export async function indexedActivity(row: Pick<NewActivity, IndexedFields>): Promise<IndexedRecord> {
  const { repo_id, id } = row
  return { repo_id, id, weight: activityWeight(row), claims: await claimsOf(scopeOf(row)) }
}

function scopeOf(row: Pick<NewActivity, ScopeFields>): StoredScope {
  const { scope, scope_is_literal = false, changed_files = [], pushed_files = null } = row
  const { pr_number = null, draft_pr, issue = null, closes = null } = row
  const drafted = { pr_number, draft_pr, issue, closes }
  return storedScopeOf({ scope, scope_is_literal, changed_files, pushed_files, ...drafted })
}

const readActivity = prepared('activity', (db) =>
  db
    .select()
    .from(activities)
    .where(and(eq(activities.repo_id, sql.placeholder('repo_id')), eq(activities.id, sql.placeholder('id')))),
)

export async function findActivity(db: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await readActivity(db, { repo_id, id })
  return row
}

const readWith = prepared('activities_with', (db) => selectByIds(db, activities, getTableColumns(activities)))

/** The activities `ids` that exist, in any order. */
export function listActivitiesWith(db: Db, repo_id: number, ids: string[]): Promise<ActivityRow[]> {
  return readWith(db, { repo_id, ids: JSON.stringify(ids) })
}

/** Locks an activity until the transaction `tx` ends. */
export async function lockActivity(tx: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await tx.select().from(activities).where(isRecord(repo_id, id)).for('update')
  return row
}

/** Updates an activity that the transaction `tx` has locked, its claims, and the issues that it is on: new ones since `at`. */
export async function updateActivity(
  tx: Db,
  before: ActivityRow,
  changes: ActivityChanges,
  at?: Date,
): Promise<ActivityRow> {
  const { repo_id, id } = before
  const [row] = await tx.update(activities).set(changes).where(isRecord(repo_id, id)).returning()
  // Keep the given scope object, because its globs are already parsed.
  const after = { ...(row as ActivityRow), ...(changes.scope && { scope: changes.scope }) }
  if (isLive(before.status) && !isLive(after.status)) await unindexActivities(tx, repo_id, [id])
  else if (isLive(after.status)) {
    if (claimsChange(before, after)) await replaceClaims(tx, await indexedActivity(after))
    if (String(issuesOf(before)) !== String(issuesOf(after)))
      await replaceIssues(tx, after, issuesOf(after), at ?? after.updated_at)
  }
  return after
}

/** Removes activities that are no longer live from the index and from their issues, and deletes their changed files and names. */
export async function unindexActivities(tx: Db, repo_id: number, ids: string[]): Promise<void> {
  await unindexRecords(tx, repo_id, 'act', ids)
  await deleteFileChanges(tx, repo_id, ids)
  await deleteChangedNames(tx, repo_id, ids)
  await releaseAllIssues(tx, repo_id, ids)
}

function claimsChange(before: ActivityRow, after: ActivityRow): boolean {
  const indexed = (row: ActivityRow) => JSON.stringify([activityWeight(row), scopeOf(row)])
  return indexed(before) !== indexed(after)
}

const AT_NOW = sql`${sql.placeholder('now')}::timestamptz`
const runExtend = prepared('extend_activity', (db) =>
  db
    .update(activities)
    .set({
      heartbeat_at: AT_NOW,
      expires_at: extendedExpiry({
        now: AT_NOW,
        ttl_ms: sql.placeholder('ttl_ms'),
        max_ttl_ms: sql.placeholder('max_ttl_ms'),
      }),
    })
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        eq(activities.id, sql.placeholder('id')),
        isStoredLive,
        gt(activities.expires_at, AT_NOW),
      ),
    )
    .returning(),
)

/** Records a heartbeat in one statement, with the rule of `expiryAt`; undefined if there is no such live activity. */
export async function extendActivity(
  db: Db,
  repo_id: number,
  id: string,
  life: { now: Date; ttl_ms: number; max_ttl_ms: number | null },
): Promise<ActivityRow | undefined> {
  const { now, ttl_ms, max_ttl_ms } = life
  const given = { now: now.toISOString(), ttl_ms, max_ttl_ms }
  const [row] = await runExtend(db, { repo_id, id, ...given })
  return row
}

/** A page of the list without filters. */
const openPage = (isFirst: boolean) =>
  prepared(isFirst ? 'open_activities' : 'open_activities_after', (db) =>
    db
      .select()
      .from(activities)
      .where(
        and(
          eq(activities.repo_id, sql.placeholder('repo_id')),
          isOpen,
          gt(activities.expires_at, AT_NOW),
          isFirst ? undefined : lt(activities.id, sql.placeholder('after')),
        ),
      )
      .orderBy(desc(activities.id))
      .limit(sql.placeholder('limit')),
  )
const readFirstPage = openPage(true)
const readNextPage = openPage(false)

/** Up to `limit` activities older than the id `after`, newest first. */
export async function listActivities(
  db: Db,
  repo_id: number,
  filter: Omit<ListActivities, 'cursor' | 'limit'>,
  page: { now: Date; after: string | null; limit: number },
): Promise<ActivityRow[]> {
  if (Object.values(filter).every((each) => each === undefined)) {
    const { after, limit } = page
    const values = { repo_id, now: page.now.toISOString(), limit }
    return after === null ? readFirstPage(db, values) : readNextPage(db, { ...values, after })
  }
  const { status, risk, actor, branch, has_pr, draft_pr_only } = filter
  const conditions: (SQL | undefined)[] = [
    eq(activities.repo_id, repo_id),
    status === undefined ? and(isOpen, gt(activities.expires_at, page.now)) : hasStatus(status, page.now),
    page.after === null ? undefined : lt(activities.id, page.after),
    risk && eq(activities.risk, risk),
    actor === undefined ? undefined : eq(activities.actor, actor),
    branch === undefined ? undefined : eq(activities.branch, branch),
    has_pr === undefined ? undefined : has_pr ? isNotNull(activities.pr_url) : isNull(activities.pr_url),
    draft_pr_only ? eq(activities.draft_pr, true) : undefined,
  ]
  return db
    .select()
    .from(activities)
    .where(and(...conditions))
    .orderBy(desc(activities.id))
    .limit(page.limit)
}
