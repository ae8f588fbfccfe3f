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

/** Any number, as long as it is always the same. */
const SCHEMA_LOCK = 7_046_031_415

/** Lets one process at a time change the schema; the others wait until the transaction `tx` ends. */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`)
}
