/** Replaces `dist/server/db/postgres.js`: a client that returns at once, without records and with a quota that never runs out. */
import { drizzle } from 'drizzle-orm/postgres-js'

const client = {
  options: { parsers: {}, serializers: {} },
  unsafe: (sql) => {
    return rowsOf(sql.includes('"quotas"') ? [[new Date().toISOString(), 1]] : [])
  },
  begin: (work) => work(client),
}

function rowsOf(rows) {
  const result = Promise.resolve(rows)
  return Object.assign(result, { values: () => result })
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
    withLongTimeout: nothing,
    close: nothing,
  }
}
