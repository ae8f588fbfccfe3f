/** PostgreSQL: a few connections that all requests and workers share, one for each statement and each transaction (docs/reliability.md). */
import { setTimeout as wait } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { readDatabaseUrl } from '../config-values.ts'
import type { Database } from './database.ts'
import { PLANNING, SET_PLANNING } from './distribute.ts'
import { connectionError } from './errors.ts'

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
  // A client with several becomes slower for good under sustained load, waits without end for a server that stops responding, and
  // sends statements behind one that waits for a lock: with `max_pipeline: 1` too, and with 0 no transaction works.
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
    withLongTimeout: (work) => {
      const connect = () => connectDirectly({ prepare: false })
      const { client, close } = openPool(1, { connect, timeout_ms: LONG_MS })
      // After the start: a pooler may ignore what a connection asks for there.
      const begun = client.unsafe(`set statement_timeout = ${LONG_MS}`)
      return begun.then(() => work(drizzle({ client }))).finally(close)
    },
    close: () => Promise.all([pool.close(), listener.close()]),
  }
}

/** Listens on channels, on one connection, and again when that was lost. */
function listening(connect: ReturnType<typeof connectingTo>) {
  const channels = new Map<string, Parameters<Database['listen']>[1]>()
  let connection: Connection | undefined
  let isClosed = false

  /** The next connection listens on all channels. */
  const renew = () => void connection?.close()
  const listenAgain = async () => {
    connection = await connect({ prepare: false, onnotify: (of, text) => channels.get(of)?.received(text) })
    for (const channel of channels.keys()) await hear(channel)
  }
  const hear = async (channel: string) => {
    await connection?.run((client) => client.unsafe(`listen "${channel}"`), TIMEOUT)
    channels.get(channel)?.missed()
  }
  const keepListening = async () => {
    for (; !isClosed; await wait(LISTEN_AGAIN_MS, undefined, { ref: false }))
      if (connection?.isLost !== false) await listenAgain().catch(renew)
    await connection?.close()
  }
  const listen: Database['listen'] = (channel, { received, missed }) =>
    new Promise((resolve) => {
      channels.set(channel, { received, missed: () => resolve(missed()) })
      if (channels.size === 1) void keepListening()
      else hear(channel).catch(renew)
    })
  const close = async () => {
    isClosed = true
    await connection?.close(CLOSE_S)
  }
  return { listen, close, renew }
}

function connectingTo(database_url: string) {
  const read = readDatabaseUrl(database_url)
  if (!read) throw new Error('DATABASE_URL is not a valid address')
  const { url, addresses } = read
  const hasSeveral = addresses.length > 1
  return async (given: { prepare: boolean; onnotify?: (channel: string, text: string) => void }) => {
    let problem: unknown
    for (const { host, port } of addresses) {
      const connection = new Connection(url, { ...OPTIONS, ...given, host: [host], port: [port] })
      try {
        await connection.run(async (client) => {
          if (hasSeveral) await requirePrimary(client)
          if (given.prepare) await client.unsafe(SET_PLANNING)
        }, TIMEOUT)
        return connection
      } catch (error) {
        void connection.close()
        problem = error
      }
    }
    throw hasSeveral
      ? connectionError('CONNECTION_NO_PRIMARY', 'no address of DATABASE_URL accepts writes')
      : problem
  }
}

/** postgres.js cannot look for it: its `read-write` takes a standby, and its `primary` tries without pause or end. */
async function requirePrimary(client: postgres.Sql): Promise<void> {
  const [row] = await client.unsafe('show transaction_read_only')
  if (row?.transaction_read_only !== 'off') throw new Error('the server accepts no writes')
}

type Run = <Result>(statement: (client: postgres.Sql) => PromiseLike<Result>) => Promise<Result>

/** Not used again once it is lost: postgres.js would drop what it has not sent, and continue a transaction on a new connection. */
class Connection {
  readonly client: postgres.Sql
  isLost = false

  constructor(url: string, options: object) {
    const onclose = () => {
      this.isLost = true
    }
    this.client = postgres(url, { ...options, onclose })
    // Drizzle sets the parsers and serializers of the client.
    drizzle({ client: this.client })
  }

  /** Rejects the statements that are still in flight after `timeout_s`. */
  close(timeout_s = 0): Promise<void> {
    this.isLost = true
    return this.client.end({ timeout: timeout_s })
  }

  /** Runs a statement. Closes the connection after `timeout_ms`. */
  async run<Result>(
    statement: (client: postgres.Sql) => PromiseLike<Result>,
    { timeout_ms, onTimeout }: { timeout_ms: number; onTimeout?: () => void },
  ): Promise<Result> {
    if (this.isLost) throw connectionError('CONNECTION_LOST', 'the connection to the database was lost')
    const timeout = setTimeout(() => {
      void this.close()
      onTimeout?.()
    }, timeout_ms)
    try {
      return await statement(this.client)
    } finally {
      clearTimeout(timeout)
    }
  }
}

/** `timeout_ms` limits a statement, and the wait for a place. `connect` opens a connection, ready for statements. */
function openPool(
  size: number,
  options: { timeout_ms: number; onTimeout?: () => void; connect: () => Promise<Connection> },
) {
  type Place = { connection?: Connection }
  const places = Array.from({ length: size }, (): Place => ({}))
  /** The last is taken first: it was used last, so the server has its statements and their rows cached. */
  const idle = [...places]
  const waiting: ((place: Place) => void)[] = []

  const waitForPlace = () =>
    new Promise<Place>((resolve, reject) => {
      const timeout = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1)
        reject(connectionError('CONNECTION_NONE_IDLE', 'all connections to the database are busy'))
      }, options.timeout_ms)
      const take = (place: Place) => {
        clearTimeout(timeout)
        resolve(place)
      }
      waiting.push(take)
    })
  const onConnection = async <Result>(work: (run: Run) => Promise<Result>): Promise<Result> => {
    const place = idle.pop() ?? (await waitForPlace())
    try {
      if (place.connection?.isLost !== false) place.connection = await options.connect()
      const { connection } = place
      return await work((statement) => connection.run(statement, options))
    } finally {
      const next = waiting.shift()
      if (next) next(place)
      else idle.push(place)
    }
  }
  /** The part of a postgres.js client that Drizzle uses. */
  const client = {
    ...statementsOn((statement) => onConnection((run) => run(statement))),
    begin: (work: (tx: object) => Promise<unknown>) => onConnection((run) => transaction(run, work)),
  } as unknown as postgres.Sql
  /** Closes the idle connections; the next statements open others. */
  const renew = () => idle.forEach(({ connection }) => void connection?.close())
  const close = () => Promise.all(places.map(({ connection }) => connection?.close(CLOSE_S)))
  return { client, renew, close }
}

async function transaction(run: Run, work: (tx: object) => Promise<unknown>): Promise<unknown> {
  // What is nested fails with the whole: nothing goes on after an error inside.
  const tx: object = { ...statementsOn(run), savepoint: (nested: typeof work) => nested(tx) }
  await run((client) => client.unsafe('begin'))
  try {
    const result = await work(tx)
    const { command } = await run((client) => client.unsafe('commit'))
    // PostgreSQL commits nothing after a failed statement, and reports no error.
    if (command !== 'COMMIT') throw new Error('a statement failed, so the transaction was rolled back')
    return result
  } catch (error) {
    await run((client) => client.unsafe('rollback')).catch(() => {})
    throw error
  }
}

function statementsOn(run: Run) {
  const unsafe = (...args: Parameters<postgres.Sql['unsafe']>) => ({
    values: () => run((client) => client.unsafe(...args).values()),
    // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, a statement is sent when it is awaited
    then: (...settled: Parameters<Promise<unknown>['then']>) =>
      run((client) => client.unsafe(...args)).then(...settled),
  })
  return { options: { parsers: {}, serializers: {} }, unsafe }
}
