/** One connection to PostgreSQL, which is made anew when it is lost (docs/reliability.md). */
import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { stopwatch } from '../base/clock.ts'
import { isKept } from './prepared.ts'

/** How long a connection that could not be made is the last choice. */
const RETRY_MS = 500
/** The service as a whole ends within ten seconds. */
export const CLOSE_S = 1

export interface Lane {
  /** Whether it could not connect, a moment ago. */
  isFailing(): boolean
  run<Result>(work: (client: postgres.Sql) => PromiseLike<Result>): Promise<Result>
  close(): Promise<void>
}

export interface LaneOptions {
  connect(onclose: () => void): postgres.Sql
  /** Prepares a new connection before its first statement. */
  setUp(client: postgres.Sql): PromiseLike<unknown>
  /** Whether the connection keeps the statements that are built once. */
  is_keeping: boolean
}

/**
 * One connection, and another when that is lost. postgres.js would use the client again; but what it had yet to write is
 * stuck in it from then on, and a transaction that is rolled back on a lost connection ends the process.
 */
export function openLane({ connect, setUp, is_keeping }: LaneOptions): Lane {
  const elapsed = stopwatch()
  let isClosing = false
  let retry_at = 0
  let client: postgres.Sql
  let ready: Promise<unknown> | undefined
  const open = () => {
    let isLost = false
    const opened = connect(() => {
      isLost = true
      if (isClosing || client !== opened) return
      // At once: what waits for its turn there would be forgotten by an end that is given time.
      void opened.end({ timeout: 0 })
      open()
    })
    client = sparingRollback(is_keeping ? keeping(opened) : opened, () => isLost)
    ready = undefined
    // Sets the client's parsers and serializers.
    drizzle({ client })
  }
  open()

  /** The client, connected. Whoever asks meanwhile shares the connection that is being made, and its failure. */
  const connected = async () => {
    const present = client
    ready ??= Promise.resolve(setUp(present))
    try {
      await ready
      return present
    } catch (error) {
      if (client === present) ready = undefined
      retry_at = elapsed() + RETRY_MS
      throw error
    }
  }
  return {
    isFailing: () => elapsed() < retry_at,
    run: async (work) => work(await connected()),
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
