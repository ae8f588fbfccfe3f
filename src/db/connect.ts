/** Opens the database, PostgreSQL or the embedded one, with its schema brought up to date (contract §1). */
import { setImmediate } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { lockDirectory } from './directory-lock.ts'
import { migrate } from './migrate.ts'

/** What stores write their queries against: a connection, or a transaction on one. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export interface Database {
  kind: 'postgres' | 'embedded'
  /** A connection for one request. */
  connection(): Db
  /** Calls `heard` with what any instance announces on the channel, and `missed` whenever something may have been missed. */
  listen(channel: string, on: { heard: (text: string) => void; missed: () => void }): Promise<void>
  /** Tells every instance that listens, this one included; at most 8,000 bytes. */
  announce(channel: string, text: string): Promise<void>
  /** Rejects while the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Several clients of one connection each: one client with a larger pool slows down for good under sustained load. */
const CONNECTIONS = 8

/** Nothing that is asked takes long; what does, because somebody holds a lock, is not to hold up those behind it for ever. */
const STATEMENT_MS = 15_000

/** Opens the database and applies the migrations that it lacks. `database_url` unset: the embedded one in `data_dir`. */
export async function openDatabase(options: {
  database_url: string | undefined
  data_dir: string
}): Promise<Database> {
  const database = options.database_url
    ? openPostgres(options.database_url)
    : await openEmbedded(options.data_dir)
  try {
    await migrate(database.connection())
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

function openPostgres(url: string): Database {
  const clients = Array.from({ length: CONNECTIONS }, () =>
    postgres(url, {
      max: 1,
      connect_timeout: 5,
      connection: {
        application_name: 'deconflict',
        statement_timeout: STATEMENT_MS,
        idle_in_transaction_session_timeout: STATEMENT_MS,
      },
      // Nothing here needs the types, and losing the connection while they are fetched would end the process.
      fetch_types: false,
      onnotice: () => {},
    }),
  )
  const connections: Db[] = clients.map((client) => drizzlePostgres({ client }))
  let turn = 0
  const connection = () => {
    turn = (turn + 1) % CONNECTIONS
    return connections[turn] as Db
  }
  return {
    kind: 'postgres',
    connection,
    listen: async (channel, { heard, missed }) => {
      await clients[0]?.listen(channel, heard, missed)
    },
    announce: (channel, text) => announce(connection(), channel, text),
    ping: () => ping(connection()),
    close: async () => {
      await Promise.all(clients.map((client) => client.end({ timeout: 2 })))
    },
  }
}

async function openEmbedded(directory: string): Promise<Database> {
  const unlock = await lockDirectory(directory)
  const client = givingTurns(await PGlite.create({ dataDir: `${directory}/pglite` }))
  const db: Db = drizzlePglite({ client })
  return {
    kind: 'embedded',
    connection: () => db,
    listen: async (channel, { heard }) => {
      await client.listen(channel, heard)
    },
    announce: (channel, text) => announce(db, channel, text),
    ping: () => ping(db),
    close: async () => {
      await client.close()
      await unlock()
    },
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

async function announce(db: Db, channel: string, text: string): Promise<void> {
  await db.execute(sql`select pg_notify(${channel}, ${text})`)
}

async function ping(db: Db): Promise<void> {
  await db.execute(sql`select 1`)
}
