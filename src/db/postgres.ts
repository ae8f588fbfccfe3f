/** PostgreSQL: a few connections, shared by all that the service does (docs/reliability.md). */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { readDatabaseUrl } from '../base/database-url.ts'
import type { Database } from './connect.ts'
import { CLOSE_S, openLane } from './lane.ts'
import { type Line, NoLine, openLine } from './line.ts'
import { PLANNING, SET_PLANNING } from './planning.ts'
import { pooled } from './pool.ts'
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
const CONNECT_S = 5
/** Between two attempts to listen again. */
const LISTEN_AGAIN_S = 0.5

/** `direct_url`: the same database past a pooler, for what needs a session of its own. */
export function openPostgres(database_url: string, direct_url?: string): Database {
  const connect = connecting(database_url)
  const connectDirectly = connecting(direct_url ?? database_url)
  // The next server connection that a pooler gives has neither the statements nor the settings of the last.
  const is_session = direct_url === undefined
  const lanes = Array.from({ length: CONNECTIONS }, () =>
    openLane({
      connect: (onclose) => connect({ silence_ms: SILENCE_MS, is_keeping: is_session, onclose }),
      setUp: async (client) => {
        if (is_session) await client.unsafe(SET_PLANNING)
      },
      is_keeping: is_session,
    }),
  )
  const listener = connectDirectly({ silence_ms: SILENCE_MS })
  const db = drizzle({ client: pooled(lanes, SILENCE_MS) })
  return {
    kind: 'postgres',
    connection: () => db,
    listen: async (channel, { heard, missed }) => {
      await listener.listen(channel, heard, missed)
    },
    announce: (channel, text) => announce(db, channel, text),
    ping: () => ping(db),
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
      // A connection that ends by age takes with it what is queued there.
      max_lifetime: null,
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
