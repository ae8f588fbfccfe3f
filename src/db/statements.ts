/** What is asked of either database in the same words. */
import { sql } from 'drizzle-orm'
import type { Db } from './connect.ts'

/** Tells every session that listens on the channel. */
export async function announce(db: Db, channel: string, text: string): Promise<void> {
  await db.execute(sql`select pg_notify(${channel}, ${text})`)
}

/** Rejects while the database does not answer. */
export async function ping(db: Db): Promise<void> {
  await db.execute(sql`select 1`)
}
