/** Queries that are built once and prepared by the database, for the statements that most requests need (decisions: storage). */
import { getTableColumns, sql } from 'drizzle-orm'
import {
  type PgColumn,
  PgDatabase,
  PgDialect,
  type PgQueryResultHKT,
  type PgSession,
  type PgTable,
} from 'drizzle-orm/pg-core'
import type { Db } from './connect.ts'

/** What a query builder of Drizzle offers of this; `execute` is not called on it. */
interface Buildable<Rows> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Rows> }
}

type Session = PgSession<PgQueryResultHKT, Record<string, never>, Record<string, never>>
type Built = Parameters<Session['prepareQuery']>

/** The texts of all such queries. */
const texts = new Set<string>()

/** Whether a statement is one that each connection is to keep. The others would pile up there, each of its own length. */
export function isKept(text: string): boolean {
  return texts.has(text)
}

/**
 * A query whose changing parts are `sql.placeholder`s. It is built when it is first run; every later run, on whatever
 * connection or transaction, goes straight to the driver, and each connection prepares it once. Its text must not
 * depend on its values: every text is kept.
 */
export function prepared<Values extends Record<string, unknown>, Rows>(
  name: string,
  build: (db: Db) => Buildable<Rows>,
): (db: Db, values: Values) => Promise<Rows> {
  let built: Built | undefined
  return (db, values) => {
    if (!built) {
      built = builtBy(name, build)
      texts.add(built[0].sql)
    }
    return sessionOf(db)
      .prepareQuery(...built)
      .execute(values) as Promise<Rows>
  }
}

/** A placeholder for each column of a table that is not generated, to be inserted. Null needs no form of its own. */
export function placeholdersOf<Table extends PgTable>(table: Table): Table['$inferInsert'] {
  return eachColumn(table, ([name]) => sql`${sql.placeholder(name)}`) as Table['$inferInsert']
}

/** The values for `placeholdersOf`; a column that the row leaves out is null. */
export function valuesOf<Table extends PgTable>(
  table: Table,
  row: Table['$inferInsert'],
): Record<string, unknown> {
  const given = row as Record<string, unknown>
  return eachColumn(table, ([name, column]) => {
    const value = given[name] ?? null
    return value === null ? null : column.mapToDriverValue(value)
  })
}

function eachColumn<Value>(
  table: PgTable,
  formOf: (entry: [string, PgColumn]) => Value,
): Record<string, Value> {
  const columns = Object.entries(getTableColumns(table)).filter(([, column]) => !column.generated)
  return Object.fromEntries(columns.map((entry) => [entry[0], formOf(entry as [string, PgColumn])]))
}

/** What a builder hands to its session: SQL, the parameters' places, and how rows are read. */
function builtBy(name: string, build: (db: Db) => Buildable<unknown>): Built {
  let built: Built | undefined
  const dialect = new PgDialect()
  const recorder = {
    prepareQuery: (...handed: Built) => {
      built = handed
      return { setToken: () => {}, joinsNotNullableMap: undefined }
    },
  } as unknown as Session
  build(new PgDatabase(dialect, recorder, undefined) as unknown as Db).prepare(name)
  return built as unknown as Built
}

/** The session under a connection or a transaction, which Drizzle's types do not show. */
function sessionOf(db: Db): Session {
  return (db as unknown as { _: { session: Session } })._.session
}
