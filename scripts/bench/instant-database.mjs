/** In place of `dist/db/postgres.js`: takes whatever query is built, and answers at once what was to be stored, else no rows. */
export function openPostgres() {
  const nothing = async () => {}
  const db = answering([])
  return {
    kind: 'postgres',
    connection: () => db,
    listen: nothing,
    announce: nothing,
    ping: nothing,
    migrating: nothing,
    close: nothing,
  }
}

function answering(rows) {
  return new Proxy(() => {}, {
    get: (_, name) => {
      if (name === 'then') return (resolve) => resolve(rows)
      if (name === 'transaction') return async (work) => work(answering([]))
      return (...args) => answering(name === 'values' ? [args[0]] : rows)
    },
  })
}
