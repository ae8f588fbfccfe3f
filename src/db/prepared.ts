/** Prepared statements, built once, for the queries of most requests (decisions: storage). */
import { getTableColumns, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './database.ts'

interface Prepared<Rows> {
  execute(values?: Record<string, unknown>): Promise<Rows>
}

/** What Drizzle keeps of a connection or a transaction: the client that sends its statements. */
interface Session {
  client: object
}

/**
 * A query whose values are `sql.placeholder`s. It is built once, also for transactions, and each connection prepares it once.
 * Its text must not depend on its values, because connections keep every prepared statement.
 */
export function prepared<Values extends Record<string, unknown>, Rows>(
  name: string,
  build: (db: Db) => { prepare(name: string): Prepared<Rows> },
): (db: Db, values: Values) => Promise<Rows> {
  // PostgreSQL and the embedded database have classes of their own.
  const built = new Map<unknown, Prepared<Rows>>()
  return (db, values) => {
    const session = db._.session as unknown as Session
    let query = built.get(session.constructor)
    if (!query) {
      query = build(db).prepare(name)
      built.set(session.constructor, query)
    }
    // Drizzle binds a query to the client that it was built with, and has no other way to run it on another one.
    const onSession: Prepared<Rows> = Object.create(query, { client: { value: session.client } })
    return onSession.execute(values)
  }
}

/** A placeholder for each column of a table, except generated ones, for an insert. */
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
