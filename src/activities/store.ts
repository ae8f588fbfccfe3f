/** The SQL of single activities and their list. Every statement begins with the repository's id; none reads the database's clock. */
import { and, desc, eq, gt, isNotNull, isNull, lt, not, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import type { ListActivities } from './activity.ts'
import { hasStatus, isOpen, isStoredLive } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

export type NewActivity = typeof activities.$inferInsert
export type ActivityChanges = Partial<Omit<NewActivity, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(activities.repo_id, repo_id), eq(activities.id, id))
}

export async function insertActivity(db: Db, row: NewActivity): Promise<ActivityRow> {
  const [inserted] = await db.insert(activities).values(row).returning()
  return inserted as ActivityRow
}

export async function findActivity(db: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await db.select().from(activities).where(isRecord(repo_id, id))
  return row
}

/** Reads a record and keeps others from changing it until the transaction `tx` ends. */
export async function lockActivity(tx: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await tx.select().from(activities).where(isRecord(repo_id, id)).for('update')
  return row
}

export async function updateActivity(
  db: Db,
  repo_id: number,
  id: string,
  changes: ActivityChanges,
): Promise<ActivityRow> {
  const [row] = await db.update(activities).set(changes).where(isRecord(repo_id, id)).returning()
  return row as ActivityRow
}

/** Extends the life of a live activity, as `expiryAt` says, in one statement; undefined when there is no such live one. */
export async function extendActivity(
  db: Db,
  repo_id: number,
  id: string,
  life: { now: Date; expires_at: Date; max_ttl_ms: number | null },
): Promise<ActivityRow | undefined> {
  const { now, expires_at, max_ttl_ms } = life
  const extended = sql`greatest(${activities.expires_at}, ${expires_at.toISOString()}::timestamptz)`
  const latest = sql`${activities.created_at} + ${max_ttl_ms} * interval '1 millisecond'`
  const [row] = await db
    .update(activities)
    .set({
      heartbeat_at: now,
      updated_at: now,
      expires_at: max_ttl_ms === null ? extended : sql`least(${extended}, ${latest})`,
    })
    .where(and(isRecord(repo_id, id), isStoredLive, gt(activities.expires_at, now)))
    .returning()
  return row
}

/** Archives an activity that is not archived yet; undefined when it is, or is not there. */
export async function archiveActivity(
  db: Db,
  repo_id: number,
  id: string,
  now: Date,
): Promise<ActivityRow | undefined> {
  const [row] = await db
    .update(activities)
    .set({ status: 'archived', archive_reason: 'requested', archived_at: now, updated_at: now })
    .where(and(isRecord(repo_id, id), not(hasStatus('archived', now))))
    .returning()
  return row
}

/** Up to `limit` activities, newest first, that are older than the id `after`. */
export async function listActivities(
  db: Db,
  repo_id: number,
  filter: Omit<ListActivities, 'cursor' | 'limit'>,
  page: { now: Date; after: string | null; limit: number },
): Promise<ActivityRow[]> {
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
