/** The SQL of deliveries that GitHub was asked to send again. */
import { inArray, lt, sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import { redeliveries } from './table.ts'

export type Redelivery = typeof redeliveries.$inferSelect

/** What is remembered of the deliveries `guids`. */
export function listRedeliveries(db: Db, guids: string[]): Promise<Redelivery[]> {
  return db.select().from(redeliveries).where(inArray(redeliveries.guid, guids))
}

/** Counts an attempt. */
export async function noteRedelivery(db: Db, guid: string, now: Date): Promise<void> {
  await db
    .insert(redeliveries)
    .values({ guid, attempts: 1, asked_at: now })
    .onConflictDoUpdate({
      target: redeliveries.guid,
      set: { attempts: sql`${redeliveries.attempts} + 1`, asked_at: now },
    })
}

/** Forgets what was asked for before `before`. */
export async function deleteRedeliveries(db: Db, before: Date): Promise<void> {
  await db.delete(redeliveries).where(lt(redeliveries.asked_at, before))
}
