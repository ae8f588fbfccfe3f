/** Batches of records that are first selected and then processed. */
import { notInArray, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** A count over all repositories, or over a whole ledger, stops here, so that its cost is bounded. */
export const COUNTED_MAX = 100_000

/** Selects at most `limit` records, and none of `except`. */
export interface Batch<Id> {
  limit: number
  except: Id[]
}

/** A condition that excludes `except`; undefined if it is empty. */
export function isNoneOf<Id>(column: PgColumn, except: Id[]): SQL | undefined {
  return except.length > 0 ? notInArray(column, except) : undefined
}
