/** Queries of the sweep: expiry and purge of notables. Every statement starts with the repository id. */
import { and, eq, inArray, lte, or, sql } from 'drizzle-orm'
import { unindexRecords } from '../claims/store.ts'
import { type Batch, isNoneOf } from '../db/batch.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/database.ts'
import { notables } from './table.ts'

function hasExpired(repo_id: number, now: Date) {
  return and(
    eq(notables.repo_id, repo_id),
    eq(notables.status, 'active'),
    lte(notables.expires_hour, hourAt(now)),
    lte(notables.expires_at, now),
  )
}

/** Notables past `expires_at` that are not yet stored as expired. */
export async function listExpiredNotables(
  db: Db,
  repo_id: number,
  now: Date,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: notables.id })
    .from(notables)
    .where(and(hasExpired(repo_id, now), isNoneOf(notables.id, except)))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Stores the expiry of these notables in the transaction `tx`; returns the ids that it updated. */
export async function expireNotables(tx: Db, repo_id: number, now: Date, ids: string[]): Promise<string[]> {
  const due = tx
    .select({ id: notables.id })
    .from(notables)
    .where(and(hasExpired(repo_id, now), inArray(notables.id, ids)))
    .for('update', { skipLocked: true })
  const rows = await tx
    .update(notables)
    .set({ status: 'expired', updated_at: sql`${notables.expires_at}` })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, due)))
    .returning({ id: notables.id })
  const expired = rows.map(({ id }) => id)
  await unindexRecords(tx, repo_id, 'ntb', expired)
  return expired
}

/** Was archived or expired at or before `before`. */
function wasClosed(repo_id: number, before: Date) {
  const archived = and(eq(notables.status, 'archived'), lte(notables.archived_at, before))
  const expired = and(
    eq(notables.status, 'expired'),
    lte(notables.expires_hour, hourAt(before)),
    lte(notables.expires_at, before),
  )
  return and(eq(notables.repo_id, repo_id), or(archived, expired))
}

export async function listClosedNotables(
  db: Db,
  repo_id: number,
  before: Date,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: notables.id })
    .from(notables)
    .where(and(wasClosed(repo_id, before), isNoneOf(notables.id, except)))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Deletes the notables among `ids` that were closed at or before `before`; returns how many. */
export async function purgeNotables(db: Db, repo_id: number, before: Date, ids: string[]): Promise<number> {
  const due = db
    .select({ id: notables.id })
    .from(notables)
    .where(and(wasClosed(repo_id, before), inArray(notables.id, ids)))
    .for('update', { skipLocked: true })
  const purged = await db
    .delete(notables)
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, due)))
    .returning({ id: notables.id })
  return purged.length
}
