/** The embedded database: PostgreSQL inside the process, for one instance. */
import { setImmediate } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import type { Database, Db } from './database.ts'
import { DirectoryError, lockDirectory } from './directory-lock.ts'
import { codeOf } from './errors.ts'
import { announce, ping } from './statements.ts'

export async function openEmbedded(directory: string): Promise<Database> {
  const unlock = await lockDirectory(directory)
  const client = yieldingFirst(await openDirectory(directory))
  const db: Db = drizzle({ client })
  return {
    kind: 'embedded',
    connection: () => db,
    listen: async (channel, { received }) => {
      await client.listen(channel, received)
    },
    announce: (channel, text) => announce(db, channel, text),
    ping: () => ping(db),
    withLongTimeout: (work) => work(db),
    close: async () => {
      await client.close()
      await unlock()
    },
  }
}

/** Opens the database in the directory, or creates it. */
async function openDirectory(directory: string): Promise<PGlite> {
  try {
    return await PGlite.create({ dataDir: `${directory}/pglite` })
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    // The error of PGlite does not say what is wrong.
    throw new DirectoryError(
      `the embedded database in ${directory} cannot be opened: the disk is full or its files are damaged; free some space, restore the files from a backup, or set DATA_DIR to another directory`,
    )
  }
}

/**
 * The embedded database answers within the same turn of the event loop, so a loop of queries, such as a sweep, would block
 * everything else. Each query and each transaction therefore yields to the event loop first.
 */
function yieldingFirst(client: PGlite): PGlite {
  const query = client.query.bind(client) as PGlite['query']
  const transaction = client.transaction.bind(client) as PGlite['transaction']
  client.query = async (...args) => {
    await setImmediate()
    return query(...args) as never
  }
  client.transaction = async (work) => {
    await setImmediate()
    return transaction(work)
  }
  return client
}
