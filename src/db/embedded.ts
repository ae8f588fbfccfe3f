/** The embedded database: PostgreSQL inside the process, for one instance (contract §1). */
import { setImmediate } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import type { Database, Db } from './connect.ts'
import { DirectoryError, lockDirectory } from './directory-lock.ts'
import { codeOf } from './errors.ts'
import { announce, ping } from './statements.ts'

export async function openEmbedded(directory: string): Promise<Database> {
  const unlock = await lockDirectory(directory)
  const client = givingTurns(await openDirectory(directory))
  const db: Db = drizzle({ client })
  return {
    kind: 'embedded',
    connection: () => db,
    listen: async (channel, { heard }) => {
      await client.listen(channel, heard)
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

/** What is in the directory, or a new database where there is nothing. */
async function openDirectory(directory: string): Promise<PGlite> {
  try {
    return await PGlite.create({ dataDir: `${directory}/pglite` })
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    // It has no words for what is wrong.
    throw new DirectoryError(
      `the embedded database in ${directory} cannot be opened: its disk is full or its files are damaged; make space, restore them from a backup, or set DATA_DIR to another directory`,
    )
  }
}

/**
 * The embedded database answers within the same turn of the event loop, so that whoever asks again and again, as a sweep
 * does, would keep everybody else from theirs. Each question and each transaction waits for its turn.
 */
function givingTurns(client: PGlite): PGlite {
  const query = client.query.bind(client) as PGlite['query']
  const transaction = client.transaction.bind(client) as PGlite['transaction']
  client.query = async (...asked) => {
    await setImmediate()
    return query(...asked) as never
  }
  client.transaction = async (work) => {
    await setImmediate()
    return transaction(work)
  }
  return client
}
