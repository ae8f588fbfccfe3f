/** In place of `dist/db/postgres.js`: real queries of a client that answers at once: no records, and a quota that is not used up. */
import { drizzle } from 'drizzle-orm/postgres-js'

const client = {
  options: { parsers: {}, serializers: {} },
  unsafe: (sql) => {
    return rowsOf(sql.includes('"quotas"') ? [[new Date().toISOString(), 1]] : [])
  },
  begin: (work) => work(client),
}

function rowsOf(rows) {
  const answer = Promise.resolve(rows)
  return Object.assign(answer, { values: () => answer })
}

export function openPostgres() {
  const nothing = async () => {}
  const db = drizzle({ client })
  return {
    kind: 'postgres',
    connection: () => db,
    listen: nothing,
    announce: nothing,
    ping: nothing,
    patiently: nothing,
    close: nothing,
  }
}
