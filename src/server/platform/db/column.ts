/** Column types that the tables share. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, customType, type PgColumn, timestamp } from 'drizzle-orm/pg-core'

/** Text that is compared byte by byte, so that ids are ordered by time in every locale. */
export const byteText = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** Binary data. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** GitHub's numeric id of a repository: the first column of every key and index. */
export const repoId = () => bigint({ mode: 'number' }).notNull()

/** An instant, to the millisecond. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

/**
 * The hours since 1970 of the instant in a column. A generated column uses it and needs an immutable expression: `extract`
 * from an interval is immutable, `extract` from a `timestamptz` is not.
 */
export function hourOf(column: string): SQL {
  return sql.raw(`(floor(extract(epoch from (${column} - timestamptz 'epoch')) / 3600))::int`)
}

/**
 * The instant in a column plus `ms` milliseconds. The sum is computed in UTC and therefore immutable, which a distributed
 * database requires in an update; the sum of a `timestamptz` and an interval depends on the time zone of the session.
 */
export function laterBy(column: SQLWrapper, ms: SQLWrapper | number): SQL {
  return sql`((${column} at time zone 'UTC' + ${ms}::float8 * interval '1 millisecond') at time zone 'UTC')`
}

/** The hours since 1970 of an instant, like `hourOf`. */
export function hourAt(instant: Date): number {
  return Math.floor(instant.getTime() / 3_600_000)
}

/** `column in (…)`, with literals because a constraint cannot have parameters. Null passes. */
export function isOneOf(column: PgColumn, values: readonly string[]): SQL {
  return sql`${column} in ${sql.raw(`(${values.map((value) => `'${value}'`).join(', ')})`)}`
}
