/** Statements that are the same for PostgreSQL and the embedded database. */
import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** One row, for a statement that selects only the result of a function. */
const ONE_ROW = sql`(values (1)) as one`

/** Notifies every session that listens on the channel. */
export async function announce(db: Db, channel: string, text: string): Promise<void> {
  await db.select({ sent: sql`pg_notify(${channel}, ${text})` }).from(ONE_ROW)
}

/** Serializes the transactions that lock the same name, until the transaction `tx` ends. */
export async function lockName(tx: Db, name: (string | number)[]): Promise<void> {
  const text = JSON.stringify(name)
  await tx.select({ locked: sql`pg_advisory_xact_lock(hashtextextended(${text}, 0))` }).from(ONE_ROW)
}

/** Rejects while the database does not answer. */
export async function ping(db: Db): Promise<void> {
  await db.execute(sql`select 1`)
}

/** The key of the advisory lock: an arbitrary constant. */
const SCHEMA_LOCK = 7_046_031_415

/** Locks the schema until the transaction `tx` ends; only one process at a time can change it. */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`)
}
