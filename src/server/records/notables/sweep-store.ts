/** Queries of the sweep: expiry of notables. Every statement starts with the repository id. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { hasExpired, lockBatch } from '../../platform/db/sweep-batches.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { notables } from './table.ts'

/** Stores the expiry of a batch of notables past `expires_at`, in the transaction `tx`; returns them. */
export async function expireNotables(tx: Db, repo_id: number, now: Date): Promise<{ id: string }[]> {
  const isDue = hasExpired(notables, eq(notables.status, 'active'), { repo_id, instant: now })
  const ids = await lockBatch(tx, notables, isDue)
  if (ids.length === 0) return []
  const { version } = await raiseVersion(tx, repo_id, { notables: -ids.length })
  return tx
    .update(notables)
    .set({ status: 'expired', updated_at: sql`${notables.expires_at}`, version })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
    .returning({ id: notables.id })
}
