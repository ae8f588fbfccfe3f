/** Opens the database, PostgreSQL or the embedded one, with its schema brought up to date (contract §1). */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { openEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'

/** What stores write their queries against: a connection, or a transaction on one. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export interface Database {
  kind: 'postgres' | 'embedded'
  /** A connection for one request. */
  connection(): Db
  /** Calls `heard` with what any instance announces on the channel, and `missed` whenever something may have been missed. */
  listen(channel: string, on: { heard: (text: string) => void; missed: () => void }): Promise<void>
  /** Tells every instance that listens, this one included; at most 8,000 bytes. */
  announce(channel: string, text: string): Promise<void>
  /** Rejects while the database does not answer. */
  ping(): Promise<void>
  /** Hands a connection to work that may take minutes. */
  patiently<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Where the database is. `database_url` unset: the embedded one in `data_dir`. */
export interface DatabaseAddress {
  database_url: string | undefined
  /** Past a pooler that takes no sessions; unset: `database_url`. */
  database_direct_url?: string | undefined
  data_dir: string
}

/** Opens the database and applies the migrations that it lacks. */
export async function openDatabase(address: DatabaseAddress): Promise<Database> {
  const database = await connectDatabase(address)
  try {
    await database.patiently(migrate)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the database as it is. */
export async function connectDatabase(address: DatabaseAddress): Promise<Database> {
  const { database_url, database_direct_url, data_dir } = address
  return database_url ? openPostgres(database_url, database_direct_url) : openEmbedded(data_dir)
}
