/** The embedded database: PostgreSQL inside the process, for one instance. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { tryLock } from 'fs-native-extensions'
import type { Database, Db } from './database.ts'
import { codeOf } from './errors.ts'

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
    withLongTimeout: (work) => work(db),
    close: async () => {
      await client.close()
      await unlock()
    },
  }
}

/** PostgreSQL reserves this memory at the start, by default 128 MB. The system caches the files of the database, too. */
const SHARED_BUFFERS = '32MB'

/** Opens the database in the directory, or creates it. */
async function openDirectory(directory: string): Promise<PGlite> {
  const dataDir = `${directory}/pglite`
  await create(dataDir)
  try {
    const startParams = [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`]
    return await PGlite.create({ dataDir, startParams })
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    // The error of PGlite does not say what is wrong.
    throw new DirectoryError(
      `the embedded database in ${directory} cannot be opened: the disk is full or its files are damaged; free some space, restore the files from a backup, or set DATA_DIR to another directory`,
    )
  }
}

/**
 * Creates the database in a process of its own, because that takes 500 MB, which a process keeps. If it fails, opening the database
 * says why.
 */
async function create(dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return
  const made = `${dataDir}.new`
  const program = `const { PGlite } = require(process.argv[1]); PGlite.create(process.argv[2]).then((made) => made.close())`
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  await rm(made, { recursive: true, force: true })
  const creating = promisify(execFile)(process.execPath, ['-e', program, pglite, made])
  const stop = () => creating.child.kill('SIGKILL')
  process.once('exit', stop)
  await creating.then(() => rename(made, dataDir)).catch(() => {})
  process.off('exit', stop)
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

/** Another process uses the directory, or its database cannot be opened. The message is one line for the operator. */
export class DirectoryError extends Error {}

/**
 * Locks the directory, creates it if it is missing, and makes it inaccessible to other users. The operating system releases
 * the lock when the process ends, for whatever reason. Returns a function that releases it. Throws `DirectoryError`.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await makeDirectory(resolve(directory))
  await chmod(directory, 0o700)
  const file = await open(resolve(directory, 'lock'), 'a', 0o600)
  if (!tryLock(file.fd)) {
    await file.close()
    throw new DirectoryError(
      `another process is using the embedded database in ${resolve(directory)}; stop it, set DATA_DIR to another directory, or set DATABASE_URL to share one database`,
    )
  }
  return () => file.close()
}

/** Creates a directory and its parents. Node's recursive `mkdir` never returns in a directory like /proc, which accepts no entries. */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(directory) === directory) throw error
    await makeDirectory(dirname(directory))
    await mkdir(directory, { mode: 0o700 })
  }
}
