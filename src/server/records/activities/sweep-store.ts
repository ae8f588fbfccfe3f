/**
 * Queries of the sweep: expiry of activities, and deletion of those that the App made. Every statement starts with the
 * repository id.
 */
import { and, eq, ne, or, sql } from 'drizzle-orm'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { Db } from '../../platform/db/database.ts'
import { hasExpired, isAmong, lockBatch } from '../../platform/db/sweep-batches.ts'
import { deleteFileChanges } from '../file-changes/store.ts'
import { noteDeleted, raiseVersion } from '../live-sets/store.ts'
import { isStoredFinished, isStoredLive } from './compared-store.ts'
import { activities } from './table.ts'

/** Stores the expiry of a batch of activities past `expires_at`, with the result of `asOf`, in the transaction `tx`; returns them. */
export async function expireActivities(tx: Db, repo_id: number, now: Date): Promise<{ id: string }[]> {
  const isDue = hasExpired(activities, or(isStoredLive, isStoredFinished), { repo_id, instant: now })
  const due = await lockBatch(tx, activities, isDue)
  if (due.length === 0) return []
  const ended = idsOfLive(due)
  const { version } = await raiseVersion(tx, repo_id, { activities: -ended.length })
  await tx
    .update(activities)
    .set({
      status: sql`case when ${isStoredFinished} then 'archived' else 'expired' end`,
      archive_reason: sql`case when ${isStoredFinished} then 'finished' end`,
      archived_at: sql`case when ${isStoredFinished} then ${activities.expires_at} end`,
      updated_at: sql`${activities.expires_at}`,
      version,
    })
    .where(isAmong(activities, repo_id, due))
  await deleteFileChanges(tx, repo_id, ended)
  return due
}

/** Deletes a batch of the activities that the App made from pull requests and branches, in any status, in the transaction `tx`; returns how many. */
export async function deleteTracked(tx: Db, repo_id: number): Promise<number> {
  const isTracked = and(eq(activities.repo_id, repo_id), ne(activities.source, 'api'))
  const tracked = await lockBatch(tx, activities, isTracked)
  if (tracked.length === 0) return 0
  await tx.delete(activities).where(isAmong(activities, repo_id, tracked))
  const ended = idsOfLive(tracked)
  const { version } = await raiseVersion(tx, repo_id, { activities: -ended.length })
  await noteDeleted(tx, repo_id, version)
  await deleteFileChanges(tx, repo_id, ended)
  return tracked.length
}

function idsOfLive(batch: Awaited<ReturnType<typeof lockBatch>>): string[] {
  return batch.filter(({ status }) => isLive(status)).map(({ id }) => id)
}
