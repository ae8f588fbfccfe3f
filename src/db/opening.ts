/** A database that is away until it is open, so that the service can answer, and say so, before (contract §1: readiness). */
import type { Database } from './connect.ts'

export interface Opening {
  database: Database
  /** From now on it is this one. */
  opened(database: Database): void
}

/** `kind` is what it is going to be. */
export function openingDatabase(kind: Database['kind']): Opening {
  let open: Database | undefined
  const here = () => {
    if (!open)
      throw Object.assign(new Error('the database is being opened'), { code: 'CONNECTION_NOT_OPEN_YET' })
    return open
  }
  const database: Database = {
    kind,
    connection: () => here().connection(),
    listen: async (...asked) => here().listen(...asked),
    announce: async (...asked) => here().announce(...asked),
    ping: async () => here().ping(),
    patiently: async (work) => here().patiently(work),
    close: async () => open?.close(),
  }
  return {
    database,
    opened(database) {
      open = database
    },
  }
}
