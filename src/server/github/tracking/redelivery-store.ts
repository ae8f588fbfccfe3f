/** Queries for redelivery requests. They do not belong to a repository. */
import { inArray, lt, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { redeliveries } from '../../records/pull-requests/table.ts'

export type Redelivery = typeof redeliveries.$inferSelect

/** The recorded redelivery requests for the deliveries `guids`. */
export function listRedeliveries(db: Db, guids: string[]): Promise<Redelivery[]> {
  return db.select().from(redeliveries).where(inArray(redeliveries.guid, guids))
}

/** Counts a redelivery request. */
export async function recordRedelivery(db: Db, guid: string, now: Date): Promise<void> {
  await db
    .insert(redeliveries)
    .values({ guid, attempts: 1, requested_at: now })
    .onConflictDoUpdate({
      target: redeliveries.guid,
      set: { attempts: sql`${redeliveries.attempts} + 1`, requested_at: now },
    })
}

/** Deletes redelivery requests older than `before`. */
export async function deleteRedeliveries(db: Db, before: Date): Promise<void> {
  await db.delete(redeliveries).where(lt(redeliveries.requested_at, before))
}
