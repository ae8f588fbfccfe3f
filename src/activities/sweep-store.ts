/** The SQL by which activities expire and are purged. Every statement begins with the repository's id. */
import { and, eq, inArray, lte, or, sql } from 'drizzle-orm'
import { dropRecords } from '../claims/store.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/connect.ts'
import { isLive } from './lifecycle.ts'
import { isStoredFinished, isStoredLive } from './status-store.ts'
import { activities } from './table.ts'

/** Stores the expiry of up to `limit` activities that reached it, as `asOf` shows it, in the transaction `tx`; answers their ids. */
export async function expireActivities(tx: Db, repo_id: number, now: Date, limit: number): Promise<string[]> {
  const due = tx
    .select({ id: activities.id })
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, repo_id),
        or(isStoredLive, isStoredFinished),
        lte(activities.expires_hour, hourAt(now)),
        lte(activities.expires_at, now),
      ),
    )
    .limit(limit)
    .for('update', { skipLocked: true })
  const expired = await tx
    .update(activities)
    .set({
      status: sql`case when ${isStoredFinished} then 'archived' else 'expired' end`,
      archive_reason: sql`case when ${isStoredFinished} then 'finished' end`,
      archived_at: sql`case when ${isStoredFinished} then ${activities.expires_at} end`,
      updated_at: sql`${activities.expires_at}`,
    })
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, due)))
    .returning({ id: activities.id, status: activities.status })
  const wereLive = expired.filter(({ status }) => status === 'expired').map(({ id }) => id)
  await dropRecords(tx, repo_id, 'act', wereLive)
  return expired.map(({ id }) => id)
}

/** Deletes up to `limit` activities that were archived, or expired, at `before` or earlier; answers how many. */
export async function purgeActivities(db: Db, repo_id: number, before: Date, limit: number): Promise<number> {
  const archived = and(eq(activities.status, 'archived'), lte(activities.archived_at, before))
  const expired = and(
    eq(activities.status, 'expired'),
    lte(activities.expires_hour, hourAt(before)),
    lte(activities.expires_at, before),
  )
  const due = db
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), or(archived, expired)))
    .limit(limit)
    .for('update', { skipLocked: true })
  const purged = await db
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, due)))
    .returning({ id: activities.id })
  return purged.length
}

/** Deletes up to `limit` activities that were made from pull requests, whatever their status, in the transaction `tx`; answers how many. */
export async function deleteTracked(tx: Db, repo_id: number, limit: number): Promise<number> {
  const tracked = tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), eq(activities.source, 'pull_request')))
    .limit(limit)
    .for('update')
  const deleted = await tx
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, tracked)))
    .returning({ id: activities.id, status: activities.status })
  const wereLive = deleted.filter(({ status }) => isLive(status)).map(({ id }) => id)
  await dropRecords(tx, repo_id, 'act', wereLive)
  return deleted.length
}
