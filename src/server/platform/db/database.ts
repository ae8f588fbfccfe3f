/** The interface of PostgreSQL and of the embedded database. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** A connection, or a transaction on one. Stores run their queries on it. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export interface Database {
  kind: 'postgres' | 'embedded'
  /** A connection for one request. */
  connection(): Db
  /** Calls `received` with every announcement on the channel from any instance, and `missed` when announcements may have been missed. */
  listen(channel: string, on: { received: (text: string) => void; missed: () => void }): Promise<void>
  /** Runs `work` on a dedicated connection with a 10-minute timeout. */
  withLongTimeout<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  close(): Promise<unknown>
}

/** A count over all repositories, or over a whole ledger, stops here, so that its cost is bounded. */
export const COUNTED_MAX = 100_000
