/** Column types that the tables share. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { bigint, customType, type PgColumn, timestamp } from 'drizzle-orm/pg-core'

/** Text compared byte by byte, so that the order of ids is the order of time under every locale. */
export const byteText = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** Binary data. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** GitHub's numeric id of a repository: the first column of every key and index. */
export const repoId = () => bigint({ mode: 'number' }).notNull()

/** Longer than any login at GitHub. */
export const LOGIN_MAX = 100

/** An instant, to the millisecond. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

/** The hour, counted since 1970, of the instant in a column, as SQL that a generated column may hold: the difference is immutable, the instant's own epoch is not. */
export function hourOf(column: string): SQL {
  return sql.raw(`(floor(extract(epoch from (${column} - timestamptz 'epoch')) / 3600))::int`)
}

/**
 * The instant in a column and so many milliseconds more. In UTC the sum is immutable, as a distributed database wants what
 * an update computes of a column to be; the sum of a `timestamptz` depends on the session's time zone.
 */
export function laterBy(column: SQLWrapper, ms: SQLWrapper | number): SQL {
  return sql`((${column} at time zone 'UTC' + ${ms}::float8 * interval '1 millisecond') at time zone 'UTC')`
}

/** The hour of an instant, counted as `hourOf` does. */
export function hourAt(instant: Date): number {
  return Math.floor(instant.getTime() / 3_600_000)
}

/** `column in (…)`. Literals, because a constraint takes no parameters. A null passes. */
export function isOneOf(column: PgColumn, values: readonly string[]): SQL {
  return sql`${column} in ${sql.raw(`(${values.map((value) => `'${value}'`).join(', ')})`)}`
}

/** Whether each column has 1 to so many characters. A null passes. */
export function areTexts(...columns: [PgColumn, max: number][]): SQL {
  return sql.join(
    columns.map(([column, max]) => sql`char_length(${column}) between 1 and ${sql.raw(String(max))}`),
    sql` and `,
  )
}

/** Whether a column holds ids with this prefix; the pattern is that of `isId`. */
export function isIdOf(column: PgColumn, prefix: string): SQL {
  return sql`${column} ~ ${sql.raw(`'^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$'`)}`
}
