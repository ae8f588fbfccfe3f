/** PostgreSQL: a few connections, each of which is made anew when it is lost (docs/reliability.md). */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { readDatabaseUrl } from '../base/database-url.ts'
import type { Database, Db } from './connect.ts'
import { type Line, NoLine, openLine } from './line.ts'
import { isKept } from './prepared.ts'
import { findingPrimary } from './primary.ts'
import { announce, ping } from './statements.ts'

/** Several clients of one connection each: one client with a larger pool slows down for good under sustained load. */
const CONNECTIONS = 8

/** Nothing that is asked takes long; what does, because somebody holds a lock, is not to hold up those behind it for ever. */
const STATEMENT_MS = 15_000
/** The server ends a statement before this time is over; one that is silent for longer is not there. */
const SILENCE_MS = STATEMENT_MS + 2000
/** Migrations may take longer, and wait for those of another instance; so may the deletion of a large repository. */
const PATIENT_SILENCE_MS = 600_000
/**
 * Every statement is answered from an index, whatever its values and however many rows there are. Planning one again for
 * its values, or compiling it, takes longer than it runs; and a plan that reads a whole table, since there was little in it,
 * is not to be kept when there is more (docs/operations.md has them for poolers).
 */
export const PLANNING = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' }
const CONNECT_S = 5
/** The service as a whole ends within ten seconds. */
const CLOSE_S = 1
/** Between two attempts to listen again. */
const LISTEN_AGAIN_S = 0.5

/** `direct_url`: the same database past a pooler, for what needs a session of its own. */
export function openPostgres(database_url: string, direct_url?: string): Database {
  const connect = connecting(database_url)
  const connectDirectly = connecting(direct_url ?? database_url)
  // A statement that has a name is not there on the next server connection that a pooler gives.
  const isKeeping = direct_url === undefined
  const lanes = Array.from({ length: CONNECTIONS }, () => openLane(connect, isKeeping))
  const listener = connectDirectly({ silence_ms: SILENCE_MS })
  let turn = 0
  const connection = () => {
    turn = (turn + 1) % CONNECTIONS
    return (lanes[turn] as Lane).db()
  }
  return {
    kind: 'postgres',
    connection,
    listen: async (channel, { heard, missed }) => {
      await listener.listen(channel, heard, missed)
    },
    announce: (channel, text) => announce(connection(), channel, text),
    ping: () => ping(connection()),
    patiently: async (work) => {
      const client = connectDirectly({ silence_ms: PATIENT_SILENCE_MS })
      try {
        return await work(drizzle({ client }))
      } finally {
        await client.end({ timeout: CLOSE_S })
      }
    },
    close: async () => {
      await Promise.all([...lanes.map((lane) => lane.close()), listener.end({ timeout: CLOSE_S })])
    },
  }
}

type Connect = (options: { silence_ms: number; is_keeping?: boolean; onclose?: () => void }) => postgres.Sql

function connecting(database_url: string): Connect {
  const read = readDatabaseUrl(database_url)
  if (!read) throw new Error('DATABASE_URL was not checked')
  const siblings = new Set<Line>()
  const primary = findingPrimary(read.url, read.addresses)
  return ({ silence_ms, is_keeping = false, onclose }) =>
    postgres(read.url, {
      max: 1,
      connect_timeout: CONNECT_S,
      backoff: () => LISTEN_AGAIN_S,
      connection: {
        application_name: 'deconflict',
        statement_timeout: STATEMENT_MS,
        idle_in_transaction_session_timeout: STATEMENT_MS,
        ...PLANNING,
      } as Record<string, string | number>,
      prepare: is_keeping,
      // Nothing here needs the types, and losing the connection while they are fetched would end the process.
      fetch_types: false,
      onnotice: () => {},
      ...(onclose && { onclose }),
      // A rejection would leave the client waiting: a line that breaks at once tells it.
      socket: async () => {
        try {
          return await openLine(await primary(), { silence_ms, siblings })
        } catch (error) {
          return new NoLine(error as Error)
        }
      },
    } as postgres.Options<Record<string, never>>)
}

interface Lane {
  db(): Db
  close(): Promise<void>
}

/**
 * One connection, and another when that is lost. postgres.js would use the client again; but what it had yet to write is
 * stuck in it from then on, and a transaction that is rolled back on a lost connection ends the process.
 */
function openLane(connect: Connect, is_keeping: boolean): Lane {
  let isClosing = false
  let client: postgres.Sql
  let db: Db
  const open = () => {
    let isLost = false
    const opened = connect({
      silence_ms: SILENCE_MS,
      is_keeping,
      onclose: () => {
        isLost = true
        if (isClosing || client !== opened) return
        // At once: what waits for its turn there would be forgotten by an end that is given time.
        void opened.end({ timeout: 0 })
        open()
      },
    })
    client = sparingRollback(is_keeping ? keeping(opened) : opened, () => isLost)
    db = drizzle({ client })
  }
  open()
  return {
    db: () => db,
    async close() {
      isClosing = true
      await client.end({ timeout: CLOSE_S })
    },
  }
}

/**
 * Has the connection keep the statements that are built once. One that it does not keep is described first with every
 * use, which is a second round trip, and is planned anew.
 */
function keeping<Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client {
  const unsafe = client.unsafe.bind(client)
  const kept: typeof client.unsafe = (text, values, options) =>
    unsafe(text, values, isKept(text) ? { ...options, prepare: true } : options)
  if ('begin' in client) {
    const begin = client.begin.bind(client) as (work: (tx: postgres.TransactionSql) => unknown) => unknown
    return Object.assign(client, {
      unsafe: kept,
      begin: (work: (tx: postgres.TransactionSql) => unknown) => begin((tx) => work(keeping(tx))),
    })
  }
  return Object.assign(client, { unsafe: kept })
}

/** Makes a transaction whose connection is lost end with that, and send nothing more. */
function sparingRollback(client: postgres.Sql, isLost: () => boolean): postgres.Sql {
  const begin = client.begin.bind(client) as (
    work: (tx: postgres.TransactionSql) => Promise<unknown>,
  ) => unknown
  const spared = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    begin(async (tx) => {
      try {
        const result = await work(tx)
        return isLost() ? await never() : result
      } catch (error) {
        // The loss itself has rejected the transaction by now.
        return isLost() ? await never() : Promise.reject(error)
      }
    })
  return Object.assign(client, { begin: spared }) as postgres.Sql
}

function never(): Promise<never> {
  return new Promise(() => {})
}
