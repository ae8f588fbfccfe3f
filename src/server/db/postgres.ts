/** PostgreSQL: a few connections that all requests and workers share (docs/reliability.md). */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { readDatabaseUrl } from '../base/database-url.ts'
import { CLOSE_S, Connection } from './connection.ts'
import type { Database } from './database.ts'
import { PLANNING, SET_PLANNING } from './planning.ts'
import { pooled } from './pool.ts'
import { findingPrimary, socketTo } from './primary.ts'
import { announce, ping } from './statements.ts'

/** The number of connections. Each has its own postgres.js client: one client with several connections slows down permanently under sustained load. */
const CONNECTIONS = 8

/** Timeout of a statement on the server. */
const STATEMENT_MS = 15_000
/** Timeout of a statement in the client. A server that does not answer until then is unreachable. */
const CLIENT_TIMEOUT_MS = STATEMENT_MS + 2000
/** The long timeout: for migrations, which may wait for another instance, and for the deletion of a large repository. */
const LONG_MS = 600_000
const CONNECT_S = 5
const KEEP_ALIVE_S = 30
/** The pause between two attempts to listen again. */
const LISTEN_AGAIN_S = 0.5

/** `direct_url`: the same database without the connection pooler, for work that needs a session of its own. */
export function openPostgres(database_url: string, direct_url?: string): Database {
  const server = serverAt(database_url)
  const direct = serverAt(direct_url ?? database_url)
  // A pooler may run the next statement on another server connection, without prepared statements and settings.
  const prepare = direct_url === undefined
  const listener = listening(() => direct.listener())
  const connections = Array.from(
    { length: CONNECTIONS },
    () =>
      new Connection({
        connect: (onclose) => server.connect({ prepare, onclose }),
        setUp: async (client) => {
          if (prepare) await client.unsafe(SET_PLANNING)
        },
        timeout_ms: CLIENT_TIMEOUT_MS,
        // The server may be unreachable, so the other connections are renewed too.
        onTimeout: () => {
          for (const connection of connections) connection.renew()
          listener.renew()
        },
      }),
  )
  const db = drizzle({ client: pooled(connections, CLIENT_TIMEOUT_MS) })
  return {
    kind: 'postgres',
    connection: () => db,
    listen: listener.listen,
    announce: (channel, text) => announce(db, channel, text),
    ping: () => ping(db),
    withLongTimeout: async (work) => {
      const connection = new Connection({
        connect: (onclose) => direct.connect({ prepare: false, onclose }),
        setUp: async () => {},
        timeout_ms: LONG_MS,
      })
      try {
        return await work(drizzle({ client: pooled([connection], LONG_MS) }))
      } finally {
        await connection.close()
      }
    },
    close: async () => {
      await Promise.all([...connections.map((connection) => connection.close()), listener.close()])
    },
  }
}

/** Listens on channels. postgres.js listens again by itself when it notices that the connection is lost. */
function listening(open: () => postgres.Sql) {
  let client = open()
  const channels: Parameters<Database['listen']>[] = []
  const listen: Database['listen'] = async (channel, on) => {
    channels.push([channel, on])
    await client.listen(channel, on.received, on.missed)
  }
  return {
    listen,
    /** Listens on a new connection. */
    renew: () => {
      void client.end({ timeout: 0 })
      client = open()
      // If it fails, postgres.js tries again.
      for (const [channel, { received, missed }] of channels)
        client.listen(channel, received, missed).catch(() => {})
    },
    close: () => client.end({ timeout: CLOSE_S }),
  }
}

function serverAt(database_url: string) {
  const read = readDatabaseUrl(database_url)
  if (!read) throw new Error('DATABASE_URL is not a valid address')
  const { url, addresses } = read
  const primary = findingPrimary(url, addresses)
  const client = (options: object) => postgres(url, options as postgres.Options<Record<string, never>>)
  const options = {
    max: 1,
    // A connection that is closed for its age would fail the statements in its buffer.
    max_lifetime: null,
    connect_timeout: CONNECT_S,
    keep_alive: KEEP_ALIVE_S,
    backoff: () => LISTEN_AGAIN_S,
    connection: {
      application_name: 'deconflict',
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: STATEMENT_MS,
      ...PLANNING,
    } as Record<string, string | number>,
    // The types are not needed, and postgres.js ends the process when the connection is lost while it fetches them.
    fetch_types: false,
    onnotice: () => {},
  }
  return {
    connect: async (given: { prepare: boolean; onclose: () => void }) => {
      const { host, port } = await primary()
      return client({ ...options, ...given, host: [host], port: [port] })
    },
    /** A client that looks for the primary each time it connects. */
    listener: () => client(addresses.length > 1 ? { ...options, socket: () => socketTo(primary) } : options),
  }
}
