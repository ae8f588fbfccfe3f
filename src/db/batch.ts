/** Batches of records that are due for something, chosen first and processed after that. */
import { notInArray, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Which records to choose: at most `limit`, none of `except`. */
export interface Batch<Id> {
  limit: number
  except: Id[]
}

/** Undefined, which is no condition, where nothing is left out. */
export function isNoneOf<Id>(column: PgColumn, except: Id[]): SQL | undefined {
  return except.length > 0 ? notInArray(column, except) : undefined
}
