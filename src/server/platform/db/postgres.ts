/** PostgreSQL: a few connections that all requests and workers share (docs/reliability.md). */

import { setTimeout as wait } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { readDatabaseUrl } from '../config-values.ts'
import type { Database } from './database.ts'
import { connectionError } from './errors.ts'
import { Connection, openPool } from './pool.ts'
import { announce, ping } from './statements.ts'

/**
 * Settings of every session (docs/operations.md lists them for poolers). Sequential scans are off because every statement
 * can use an index, and a plan that was cached while a table was small would keep its scan after the table has grown. JIT
 * compilation is off because it takes longer than the statements run.
 */
export const PLANNING = { enable_seqscan: 'off', jit: 'off' }

/** A prepared statement is planned once, because planning it for its values takes longer than running it. */
export const PLANNED_ONCE = 'force_generic_plan'

/** An SQL condition: Citus manages `table`, which is an SQL expression. False without Citus. */
export const isManaged = (table: string) => `exists (
  select from pg_depend d join pg_extension e on e.oid = d.refobjid
  where e.extname = 'citus' and d.refclassid = 'pg_extension'::regclass
    and d.classid = 'pg_class'::regclass and d.objid = ${table})`

/** An SQL condition: the tables are distributed. */
export const IS_DISTRIBUTED = isManaged("to_regclass('repositories')")

/** Completes the planning settings of a session. On a distributed database the values determine the shard, so statements are planned for their values. */
export const SET_PLANNING = `select set_config('plan_cache_mode', case when ${IS_DISTRIBUTED} then 'auto' else '${PLANNED_ONCE}' end, false)`

const CONNECTIONS = 8

/** Timeout of a statement on the server. */
const STATEMENT_MS = 15_000
/** Timeout of a statement in the client. A server that does not answer until then is unreachable. */
const TIMEOUT = { timeout_ms: STATEMENT_MS + 2000 }
/** The long timeout: for migrations, which may wait for another instance, and for the deletion of a large repository. */
const LONG_MS = 600_000
/** The pause between two attempts to listen again. */
const LISTEN_AGAIN_MS = 500
/** Timeout of closing a connection. Shutdown takes at most ten seconds in total. */
const CLOSE_S = 1

const OPTIONS = {
  max: 1,
  // A connection that is closed for its age would fail the statements in its buffer.
  max_lifetime: null,
  connect_timeout: 5,
  keep_alive: 30,
  connection: {
    application_name: 'deconflict',
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    ...PLANNING,
  },
  // The types are not needed, and postgres.js ends the process when the connection is lost while it fetches them.
  fetch_types: false,
  onnotice: () => {},
}
type Options = postgres.Options<Record<string, never>>

/** `direct_url`: the same database without the connection pooler, for work that needs a session of its own. */
export function openPostgres(database_url: string, direct_url?: string): Database {
  // A pooler may run the next statement on another server connection, without prepared statements and settings.
  const prepare = direct_url === undefined
  const connect = connectingTo(database_url)
  const connectDirectly = connectingTo(direct_url ?? database_url)
  const listener = listening(connectDirectly)
  const pool = openPool(CONNECTIONS, {
    connect: () => connect({ prepare }),
    ...TIMEOUT,
    // The server may be unreachable, so the other connections are renewed too.
    onTimeout: () => {
      pool.renew()
      listener.renew()
    },
  })
  const db = drizzle({ client: pool.client })
  return {
    kind: 'postgres',
    connection: () => db,
    listen: listener.listen,
    announce: (channel, text) => announce(db, channel, text),
    ping: () => ping(db),
    withLongTimeout: async (work) => {
      const connect = () => connectDirectly({ prepare: false })
      const { client, close } = openPool(1, { connect, timeout_ms: LONG_MS })
      return work(drizzle({ client })).finally(() => close(CLOSE_S))
    },
    close: async () => {
      await Promise.all([pool.close(CLOSE_S), listener.close()])
    },
  }
}

type Connect = (options: {
  prepare: boolean
  onnotify?: (channel: string, text: string) => void
}) => Promise<Connection>

/** Listens on channels, on one connection, and again when that was lost. */
function listening(connect: Connect) {
  const channels = new Map<string, Parameters<Database['listen']>[1]>()
  let connection: Connection | undefined
  let isClosed = false

  const listenAgain = async () => {
    const onnotify = (channel: string, text: string) => channels.get(channel)?.received(text)
    connection = await connect({ prepare: false, onnotify })
    for (const [channel, { missed }] of channels) {
      await connection.run((client) => client.unsafe(`listen "${channel}"`), TIMEOUT)
      missed()
    }
  }
  const keepListening = async () => {
    for (; !isClosed; await wait(LISTEN_AGAIN_MS, undefined, { ref: false }))
      if (connection?.isLost !== false) await listenAgain().catch(() => connection?.close())
    await connection?.close()
  }
  const listen: Database['listen'] = (channel, { received, missed }) =>
    new Promise((resolve) => {
      channels.set(channel, { received, missed: () => resolve(missed()) })
      if (channels.size === 1) void keepListening()
      // Opened again with all channels.
      else void connection?.close()
    })
  const close = async () => {
    isClosed = true
    await connection?.close(CLOSE_S)
  }
  return { listen, close, renew: () => void connection?.close() }
}

function connectingTo(database_url: string): Connect {
  const read = readDatabaseUrl(database_url)
  if (!read) throw new Error('DATABASE_URL is not a valid address')
  const { url, addresses } = read
  const hasSeveral = addresses.length > 1
  return async (given) => {
    let problem: unknown
    for (const { host, port } of addresses) {
      const options = { ...OPTIONS, ...given, host: [host], port: [port] } as unknown as Options
      const connection = new Connection((onclose) => postgres(url, { ...options, onclose }))
      // Drizzle sets the parsers and serializers of the client.
      drizzle({ client: connection.client })
      try {
        if (hasSeveral) await connection.run(requirePrimary, TIMEOUT)
        if (given.prepare) await connection.run((client) => client.unsafe(SET_PLANNING), TIMEOUT)
        return connection
      } catch (error) {
        void connection.close()
        problem = hasSeveral ? noPrimary() : error
      }
    }
    throw problem
  }
}

/** postgres.js cannot look for it: its `read-write` takes a standby, and its `primary` tries without pause or end. */
async function requirePrimary(client: postgres.Sql): Promise<void> {
  const [row] = await client.unsafe('show transaction_read_only')
  if (row?.transaction_read_only !== 'off') throw noPrimary()
}

function noPrimary(): Error {
  return connectionError('CONNECTION_NO_PRIMARY', 'no address of DATABASE_URL accepts writes')
}
