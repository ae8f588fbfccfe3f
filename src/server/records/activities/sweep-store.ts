/**
 * Queries of the sweep: expiry of activities, and deletion of those that the App made. Every statement starts with the
 * repository id.
 */
import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { Db } from '../../platform/db/database.ts'
import { hasExpired, lockBatch } from '../../platform/db/sweep-batches.ts'
import { deleteFileChanges } from '../file-changes/store.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { isStoredFinished, isStoredLive } from './compared-store.ts'
import { activities } from './table.ts'

/** Stores the expiry of a batch of activities past `expires_at`, with the result of `asOf`, in the transaction `tx`; returns them. */
export async function expireActivities(tx: Db, repo_id: number, now: Date): Promise<{ id: string }[]> {
  const isDue = hasExpired(activities, or(isStoredLive, isStoredFinished), { repo_id, instant: now })
  const ids = await lockBatch(tx, activities, isDue)
  if (ids.length === 0) return []
  const { version } = await raiseVersion(tx, repo_id)
  const expired = await tx
    .update(activities)
    .set({
      status: sql`case when ${isStoredFinished} then 'archived' else 'expired' end`,
      archive_reason: sql`case when ${isStoredFinished} then 'finished' end`,
      archived_at: sql`case when ${isStoredFinished} then ${activities.expires_at} end`,
      updated_at: sql`${activities.expires_at}`,
      version,
    })
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, ids)))
    .returning({ id: activities.id, status: activities.status })
  const ended = expired.filter(({ status }) => status === 'expired')
  await endLive(tx, repo_id, ended)
  return expired
}

/** Deletes a batch of the activities that the App made from pull requests and branches, in any status, in the transaction `tx`; returns how many. */
export async function deleteTracked(tx: Db, repo_id: number): Promise<number> {
  const isTracked = and(eq(activities.repo_id, repo_id), ne(activities.source, 'api'))
  const ids = await lockBatch(tx, activities, isTracked)
  if (ids.length === 0) return 0
  const deleted = await tx
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, ids)))
    .returning({ id: activities.id, status: activities.status })
  const ended = deleted.filter(({ status }) => isLive(status))
  await endLive(tx, repo_id, ended, { deleted: true })
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
  const ids = ended.map(({ id }) => id)
  await deleteFileChanges(tx, repo_id, ids)
}
