/** Statements that are the same for PostgreSQL and the embedded database. */
import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** Notifies every session that listens on the channel. */
export async function announce(db: Db, channel: string, text: string): Promise<void> {
  await db.execute(sql`select pg_notify(${channel}, ${text})`)
}

/** Rejects while the database does not answer. */
export async function ping(db: Db): Promise<void> {
  await db.execute(sql`select 1`)
}

/** An arbitrary constant. */
const SCHEMA_LOCK = 7_046_031_415

/** Locks the schema until the transaction `tx` ends; only one process at a time can change it. */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`)
}
