/**
 * Queries of the sweep: expiry of activities, and deletion of those that the App made. Every statement starts with the
 * repository id.
 */
import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { Batch } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { hasExpired, listIds, lockAmong } from '../db/sweep-batches.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { isStoredFinished, isStoredLive } from './status-store.ts'
import { deletePartsOf } from './store.ts'
import { activities } from './table.ts'

function isDue(repo_id: number, now: Date) {
  return hasExpired(activities, or(isStoredLive, isStoredFinished), { repo_id, instant: now })
}

/** Activities past `expires_at` that are not yet stored as closed. */
export function listExpiredActivities(
  db: Db,
  repo_id: number,
  now: Date,
  batch: Batch<string>,
): Promise<string[]> {
  return listIds(db, activities, isDue(repo_id, now), batch)
}

/** Stores the expiry of these activities, with the result of `asOf`, in the transaction `tx`; returns the ids that it updated. */
export async function expireActivities(tx: Db, repo_id: number, now: Date, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { version } = await raiseVersion(tx, repo_id)
  const due = lockAmong(tx, activities, isDue(repo_id, now), ids)
  const expired = await tx
    .update(activities)
    .set({
      status: sql`case when ${isStoredFinished} then 'archived' else 'expired' end`,
      archive_reason: sql`case when ${isStoredFinished} then 'finished' end`,
      archived_at: sql`case when ${isStoredFinished} then ${activities.expires_at} end`,
      updated_at: sql`${activities.expires_at}`,
      version,
    })
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, due)))
    .returning({ id: activities.id, status: activities.status })
  await endLive(
    tx,
    repo_id,
    expired.filter(({ status }) => status === 'expired'),
  )
  return expired.map(({ id }) => id)
}

/** The activities that the App made from pull requests and branches, in any status. */
export function listTracked(db: Db, repo_id: number, batch: Batch<string>): Promise<string[]> {
  return listIds(db, activities, and(eq(activities.repo_id, repo_id), ne(activities.source, 'api')), batch)
}

/** Deletes these activities, in any status, in the transaction `tx`; returns how many. */
export async function deleteActivities(tx: Db, repo_id: number, ids: string[]): Promise<number> {
  const deleted = await tx
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, ids)))
    .returning({ id: activities.id, status: activities.status })
  await endLive(
    tx,
    repo_id,
    deleted.filter(({ status }) => isLive(status)),
    { deleted: true },
  )
  return deleted.length
}

async function endLive(
  tx: Db,
  repo_id: number,
  ended: readonly { id: string }[],
  how: { deleted?: boolean } = {},
): Promise<void> {
  if (ended.length === 0) return
  await raiseVersion(tx, repo_id, { activities: -ended.length, ...how })
  await deletePartsOf(
    tx,
    repo_id,
    ended.map(({ id }) => id),
  )
}
