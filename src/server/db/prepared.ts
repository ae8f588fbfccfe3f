/** Prepared statements, built once, for the queries of most requests. */
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
