/**
 * A pool: each statement and each transaction has a connection to itself (docs/reliability.md), a postgres.js client with
 * `max: 1`. A client with several becomes slower for good under sustained load, waits without end for a server that stops
 * responding, and sends statements behind one that waits for a lock: with `max_pipeline: 1` too, and with 0 no transaction works.
 */
import type postgres from 'postgres'
import { connectionError } from './errors.ts'

type Run = <Result>(statement: (client: postgres.Sql) => PromiseLike<Result>) => Promise<Result>

/** Not used again once it is lost: postgres.js would drop what it has not sent, and continue a transaction on a new connection. */
export class Connection {
  readonly client: postgres.Sql
  isLost = false

  /** `connect` returns a client that calls `onclose` when it loses its connection. */
  constructor(connect: (onclose: () => void) => postgres.Sql) {
    this.client = connect(() => {
      this.isLost = true
    })
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
export function openPool(
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
  const close = (timeout_s: number) =>
    Promise.all(places.map(({ connection }) => connection?.close(timeout_s)))
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
