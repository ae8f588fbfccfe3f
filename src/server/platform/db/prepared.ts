/** Prepared statements, built once, for the queries of most requests. */
import { getTableColumns, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './database.ts'

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
  valueFor: (entry: [string, PgColumn]) => Value,
): Record<string, Value> {
  const columns = Object.entries(getTableColumns(table)).filter(([, column]) => !column.generated)
  return Object.fromEntries(columns.map((entry) => [entry[0], valueFor(entry as [string, PgColumn])]))
}
