/**
 * The interface of PostgreSQL and of the embedded database, and what tables and stores share: types of columns, prepared statements,
 * those that read records by their ids, locks, announcements, and the time.
 */
import { and, asc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  bigint,
  customType,
  type PgColumn,
  type PgDatabase,
  type PgQueryResultHKT,
  type PgTable,
  timestamp,
} from 'drizzle-orm/pg-core'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { type Clock, later, MINUTE_MS, stopwatch, systemClock } from '../../../vocabulary/clock.ts'

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

/** One row, for a statement that selects only the result of a function. */
export const ONE_ROW = sql`(values (1)) as one`

/** Sends text of at most 8,000 bytes to every instance that listens on the channel, including this one. */
export async function announce(db: Db, channel: string, text: string): Promise<void> {
  await db.select({ sent: sql`pg_notify(${channel}, ${text})` }).from(ONE_ROW)
}

/** Serializes the transactions that lock the same name, until the transaction `tx` ends. */
export async function lockName(tx: Db, name: (string | number)[]): Promise<void> {
  const text = JSON.stringify(name)
  await tx.select({ locked: sql`pg_advisory_xact_lock(hashtextextended(${text}, 0))` }).from(ONE_ROW)
}

/** Deletes all rows of a repository. */
export async function deleteAll(tx: Db, table: PgTable & { repo_id: PgColumn }, repo_id: number) {
  await tx.delete(table).where(eq(table.repo_id, repo_id))
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

/** A slower answer says too little about the time. */
const ANSWER_MAX_MS = 1000

/** The clock of the database, so that instances whose own clocks differ agree on leases and expiries. */
export class DatabaseClock {
  #current: Clock = systemClock

  /** The time; that of this machine until the database was asked. Between two answers, a monotonic clock counts on. */
  readonly now: Clock = () => this.#current()

  /** Asks the database for the time. One query. */
  async synchronize(db: Db): Promise<void> {
    const elapsed = stopwatch()
    const [row] = await db
      .select({ at: sql<string>`to_json(clock_timestamp() at time zone 'UTC') #>> '{}'` })
      .from(ONE_ROW)
    const ms = elapsed()
    if (!row || ms > ANSWER_MAX_MS) return
    const at = later(new Date(`${row.at}Z`), ms / 2)
    const since = stopwatch()
    this.#current = () => later(at, since())
  }

  /** Asks once a minute. Returns a function that ends this. */
  keepSynchronized(database: Database): () => void {
    const timer = setInterval(() => {
      // While the database is down, the last answer counts.
      this.synchronize(database.connection()).catch(() => {})
    }, MINUTE_MS)
    timer.unref()
    return () => clearInterval(timer)
  }
}

interface Prepared<Rows> {
  execute(values?: Record<string, unknown>): Promise<Rows>
}

/**
 * A query whose values are `sql.placeholder`s. It is built once for the pool and once per transaction, and each connection
 * prepares it once. Its text must not depend on its values, because connections keep every prepared statement.
 */
export function prepared<Values extends Record<string, unknown>, Rows>(
  name: string,
  build: (db: Db) => { prepare(name: string): Prepared<Rows> },
): (db: Db, values: Values) => Promise<Rows> {
  const built = new WeakMap<Db, Prepared<Rows>>()
  return (db, values) => {
    let query = built.get(db)
    if (!query) {
      query = build(db).prepare(name)
      built.set(db, query)
    }
    return query.execute(values)
  }
}

/**
 * A prepared query of the records of a repository that exist among `ids`, in any order. With `id = any(…)`, the planner
 * would read all rows of a repository that is missing from its statistics.
 */
export function preparedByIds<Fields extends Record<string, PgColumn | SQL.Aliased<string>>>(
  name: string,
  table: PgTable & { repo_id: PgColumn; id: PgColumn },
  fields: Fields,
) {
  const read = prepared(name, (db) => {
    const found = db
      .select(fields as Record<string, PgColumn>)
      .from(table as PgTable)
      .where(and(eq(table.repo_id, sql.placeholder('repo_id')), sql`${table.id} = wanted.wanted_id`))
      .orderBy(asc(table.repo_id), asc(table.id))
      .limit(1)
      .as('found')
    const columns = found as unknown as Record<string, PgColumn>
    const all = Object.keys(fields).map((each) => [each, columns[each] as PgColumn])
    return db
      .select(Object.fromEntries(all) as Record<string, PgColumn>)
      .from(sql`json_array_elements_text(${sql.placeholder('ids')}::text::json) as wanted(wanted_id)`)
      .crossJoinLateral(found)
  })
  return async (db: Db, repo_id: number, ids: readonly string[]) =>
    (await read(db, { repo_id, ids: JSON.stringify(ids) })) as SelectResultFields<Fields>[]
}

/** The columns as a JSON object. */
export function jsonOf(columns: Record<string, SQLWrapper>): SQL {
  const fields = Object.entries(columns).map(([name, column]) => sql`${sql.raw(`'${name}'`)}, ${column}`)
  return sql`json_build_object(${sql.join(fields, sql`, `)})`
}
