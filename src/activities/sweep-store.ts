/** Queries of the sweep: expiry, purge and deletion of activities. Every statement starts with the repository id. */
import { and, eq, inArray, lte, ne, or, sql } from 'drizzle-orm'
import { type Batch, isNoneOf } from '../db/batch.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/database.ts'
import { isLive } from './lifecycle.ts'
import { isStoredFinished, isStoredLive } from './status-store.ts'
import { unindexActivities } from './store.ts'
import { activities } from './table.ts'

function hasExpired(repo_id: number, now: Date) {
  return and(
    eq(activities.repo_id, repo_id),
    or(isStoredLive, isStoredFinished),
    lte(activities.expires_hour, hourAt(now)),
    lte(activities.expires_at, now),
  )
}

/** Activities past `expires_at` that are not yet stored as closed. */
export async function listExpiredActivities(
  db: Db,
  repo_id: number,
  now: Date,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: activities.id })
    .from(activities)
    .where(and(hasExpired(repo_id, now), isNoneOf(activities.id, except)))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Stores the expiry of these activities, with the result of `asOf`, in the transaction `tx`; returns the ids that it updated. */
export async function expireActivities(tx: Db, repo_id: number, now: Date, ids: string[]): Promise<string[]> {
  const due = tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(hasExpired(repo_id, now), inArray(activities.id, ids)))
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
  await unindexActivities(tx, repo_id, wereLive)
  return expired.map(({ id }) => id)
}

/** Was archived or expired at or before `before`. */
function wasClosed(repo_id: number, before: Date) {
  const archived = and(eq(activities.status, 'archived'), lte(activities.archived_at, before))
  const expired = and(
    eq(activities.status, 'expired'),
    lte(activities.expires_hour, hourAt(before)),
    lte(activities.expires_at, before),
  )
  return and(eq(activities.repo_id, repo_id), or(archived, expired))
}

export async function listClosedActivities(
  db: Db,
  repo_id: number,
  before: Date,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: activities.id })
    .from(activities)
    .where(and(wasClosed(repo_id, before), isNoneOf(activities.id, except)))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Deletes the activities among `ids` that were closed at or before `before`; returns how many. */
export async function purgeActivities(db: Db, repo_id: number, before: Date, ids: string[]): Promise<number> {
  const due = db
    .select({ id: activities.id })
    .from(activities)
    .where(and(wasClosed(repo_id, before), inArray(activities.id, ids)))
    .for('update', { skipLocked: true })
  const purged = await db
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, due)))
    .returning({ id: activities.id })
  return purged.length
}

/** The activities that the App made from pull requests and branches, in any status. */
export async function listTracked(
  db: Db,
  repo_id: number,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: activities.id })
    .from(activities)
    .where(
      and(eq(activities.repo_id, repo_id), ne(activities.source, 'api'), isNoneOf(activities.id, except)),
    )
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Deletes these activities, in any status, in the transaction `tx`; returns how many. */
export async function deleteActivities(tx: Db, repo_id: number, ids: string[]): Promise<number> {
  const deleted = await tx
    .delete(activities)
    .where(and(eq(activities.repo_id, repo_id), inArray(activities.id, ids)))
    .returning({ id: activities.id, status: activities.status })
  const wereLive = deleted.filter(({ status }) => isLive(status)).map(({ id }) => id)
  await unindexActivities(tx, repo_id, wereLive)
  return deleted.length
}
