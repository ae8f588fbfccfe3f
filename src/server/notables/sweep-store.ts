/** Queries of the sweep: expiry of notables. Every statement starts with the repository id. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Batch } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { hasExpired, listIds, lockAmong } from '../db/sweep-batches.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { notables } from './table.ts'

function isDue(repo_id: number, now: Date) {
  return hasExpired(notables, eq(notables.status, 'active'), { repo_id, instant: now })
}

/** Notables past `expires_at` that are not yet stored as expired. */
export function listExpiredNotables(
  db: Db,
  repo_id: number,
  now: Date,
  batch: Batch<string>,
): Promise<string[]> {
  return listIds(db, notables, isDue(repo_id, now), batch)
}

/** Stores the expiry of these notables in the transaction `tx`; returns the ids that it updated. */
export async function expireNotables(tx: Db, repo_id: number, now: Date, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { version } = await raiseVersion(tx, repo_id)
  const due = lockAmong(tx, notables, isDue(repo_id, now), ids)
  const rows = await tx
    .update(notables)
    .set({ status: 'expired', updated_at: sql`${notables.expires_at}`, version })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, due)))
    .returning({ id: notables.id })
  const expired = rows.map(({ id }) => id)
  if (expired.length > 0) await raiseVersion(tx, repo_id, { notables: -expired.length })
  return expired
}
