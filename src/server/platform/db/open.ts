/** Opens the database, PostgreSQL or the embedded one, and migrates its schema. */
import { unavailable } from '../../../vocabulary/failure.ts'
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'

/** The location of the database. Without `database_url`: the embedded one in `data_dir`. */
export interface DatabaseAddress {
  database_url?: string | undefined
  /** The same database without the connection pooler. Default: `database_url`. */
  database_direct_url?: string | undefined
  data_dir: string
}

/** Opens the database and applies missing migrations. */
export async function openDatabase(address: DatabaseAddress): Promise<Database> {
  const database = await connectDatabase(address)
  try {
    await database.withLongTimeout(migrate)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the database without migrating it. */
export async function connectDatabase(address: DatabaseAddress): Promise<Database> {
  const { database_url, database_direct_url, data_dir } = address
  return database_url ? openPostgres(database_url, database_direct_url) : openEmbedded(data_dir)
}

/**
 * A placeholder for a database that is still being opened, so that the service can already answer requests.
 * Every call fails as unavailable until `opened` is called with the database.
 */
export function pendingDatabase(kind: Database['kind']) {
  let open: Database | undefined
  const current = () => {
    // Without a cause, so that readiness probes during a start are not logged as errors.
    if (!open) throw unavailable('the service is starting; try again')
    return open
  }
  const database: Database = {
    kind,
    connection: () => current().connection(),
    listen: async (...args) => current().listen(...args),
    announce: async (...args) => current().announce(...args),
    ping: async () => current().ping(),
    withLongTimeout: async (work) => current().withLongTimeout(work),
    close: async () => open?.close(),
  }
  const opened = (given: Database) => {
    open = given
  }
  return { database, opened }
}
