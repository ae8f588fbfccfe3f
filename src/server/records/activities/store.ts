/** Queries for single activities and their list. Every statement starts with the repository id; none reads the database clock. */
import { and, desc, eq, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { FileChange } from '../../../engine/lines/change.ts'
import { issuesOf } from '../../../engine/records/compared-scope.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { ListActivities } from '../../../vocabulary/contract/activity.ts'
import type { Db } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import { changesAnything } from '../changes/changes.ts'
import { deleteFileChanges, insertFileChanges } from '../file-changes/store.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { placesOn } from './place-store.ts'
import { hasStatus, isOpen } from './status-store.ts'
import { type ActivityRow, activities, type IssuePlaces } from './table.ts'

export type NewActivity = Omit<typeof activities.$inferInsert, 'version'>
export type ActivityChanges = Partial<Omit<NewActivity, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(activities.repo_id, repo_id), eq(activities.id, id))
}

/** A live activity with its changed files: those of `pushed_files`, else of `changed_files`. */
export interface Insertion {
  row: NewActivity
  changes?: readonly FileChange[]
}

/** Inserts a live activity with its places on issues, and its changed files, in the transaction `tx` that raised the version. */
export async function insertActivity(
  tx: Db,
  { row, changes = [] }: Insertion,
  version: number,
): Promise<ActivityRow> {
  const { repo_id, id: activity_id, created_at } = row
  const issues = issuesOf({ issue: row.issue ?? null, closes: row.closes ?? null })
  const issue_places = placesOn(issues, null, { version, at: created_at })
  const [stored] = await tx
    .insert(activities)
    .values({ ...row, issue_places, version })
    .returning()
  // Keep the given scope object, because its globs are already parsed.
  const inserted = { ...(stored as ActivityRow), scope: row.scope }
  const origin = row.pushed_files ? 'pushed' : 'declared'
  if (changes.length > 0) await insertFileChanges(tx, { repo_id, activity_id, origin }, changes)
  return inserted
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

/** Locks an activity until the transaction `tx` ends. */
export async function lockActivity(tx: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await tx.select().from(activities).where(isRecord(repo_id, id)).for('update')
  return row
}

/**
 * Updates an activity that the transaction `tx` has locked, and its places on issues: new ones since `at`. Anything but a
 * heartbeat raises the version.
 */
export async function updateActivity(
  tx: Db,
  before: ActivityRow,
  changes: ActivityChanges,
  at: Date = changes.updated_at ?? before.updated_at,
): Promise<ActivityRow> {
  const { repo_id, id } = before
  const ends = isLive(before.status) && !isLive(changes.status ?? before.status)
  let raised: { version?: number; issue_places?: IssuePlaces | null } = {}
  if (!isHeartbeat(before, changes)) {
    const { version } = await raiseVersion(tx, repo_id, { activities: ends ? -1 : 0 })
    const issue_places = placesOn(issuesOf({ ...before, ...changes }), before.issue_places, { version, at })
    raised = { version, issue_places }
  }
  const [row] = await tx
    .update(activities)
    .set({ ...changes, ...raised })
    .where(isRecord(repo_id, id))
    .returning()
  // Keep the given scope object, because its globs are already parsed.
  const after = { ...(row as ActivityRow), ...(changes.scope && { scope: changes.scope }) }
  if (ends) await deleteFileChanges(tx, repo_id, [id])
  return after
}

/** Whether the changes only move the time until which it lives, and not to an earlier one. A heartbeat keeps `updated_at`. */
export function isHeartbeat(
  before: ActivityRow,
  { heartbeat_at: _, expires_at = before.expires_at, ...changes }: ActivityChanges,
): boolean {
  return expires_at >= before.expires_at && !changesAnything<ActivityChanges>(before, changes)
}

/** A page of the list without filters. */
const readOpen = prepared('open_activities', (db) =>
  db
    .select()
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        isOpen,
        gt(activities.expires_at, sql`${sql.placeholder('now')}::timestamptz`),
        lt(activities.id, sql.placeholder('after')),
      ),
    )
    .orderBy(desc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities older than the id `after`, newest first. */
export async function listActivities(
  db: Db,
  repo_id: number,
  filter: Omit<ListActivities, 'cursor' | 'limit'>,
  page: { now: Date; after: string; limit: number },
): Promise<ActivityRow[]> {
  if (Object.values(filter).every((each) => each === undefined))
    return readOpen(db, { ...page, repo_id, now: page.now.toISOString() })
  const { status, risk, actor, branch, has_pr, draft_pr_only } = filter
  const conditions: (SQL | undefined)[] = [
    eq(activities.repo_id, repo_id),
    status === undefined ? and(isOpen, gt(activities.expires_at, page.now)) : hasStatus(status, page.now),
    lt(activities.id, page.after),
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
