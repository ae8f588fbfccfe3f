/**
 * A connection pool: a statement takes an idle connection, or waits for one (docs/reliability.md).
 *
 * One postgres.js client with `max: 8` instead has no timeout for a server that stops responding: of 16 statements, all were
 * still waiting after 45 s, and a new one 15 s after the server was reachable again. With this pool, all 16 failed within
 * 17 s, and the next one took 0.2 s: `npx vitest run --project faults test/faults/connections.test.ts -t "stops responding"`.
 */
import type postgres from 'postgres'
import { type Connection, inSavepoint, type RunStatement } from './connection.ts'

interface Waiter {
  take(connection: Connection): void
  timeout: NodeJS.Timeout
}

/**
 * The part of a postgres.js client that Drizzle uses. Every statement and every transaction has a connection to itself:
 * a statement that waits for a lock would block everything sent after it. Rejects a statement when no connection becomes
 * idle within `wait_ms`.
 */
export function pooled(connections: Connection[], wait_ms: number): postgres.Sql {
  const idle = [...connections]
  const waiting = new Set<Waiter>()

  /**
   * Takes the idle connection that was used last, because the server has its statements and their rows cached. Takes one that
   * failed to connect only if all connections are idle, so that there is none to wait for.
   */
  const takeIdle = (): Connection | undefined => {
    const working = idle.findLastIndex((connection) => !connection.isFailing)
    if (working >= 0) return idle.splice(working, 1)[0]
    return idle.length === connections.length ? idle.shift() : undefined
  }
  const waitForIdle = () =>
    new Promise<Connection>((resolve, reject) => {
      const waiter: Waiter = {
        take: resolve,
        timeout: setTimeout(() => {
          waiting.delete(waiter)
          reject(noneIdle())
        }, wait_ms),
      }
      waiting.add(waiter)
    })
  const release = (connection: Connection) => {
    idle.push(connection)
    for (const waiter of waiting) {
      const next = takeIdle()
      if (!next) return
      clearTimeout(waiter.timeout)
      waiting.delete(waiter)
      waiter.take(next)
    }
  }
  const withIdle = async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    const connection = takeIdle() ?? (await waitForIdle())
    try {
      return await work(connection)
    } finally {
      release(connection)
    }
  }

  const run: RunStatement = (statement) => withIdle((connection) => connection.use((run) => run(statement)))
  const begin = (work: (tx: object) => Promise<unknown>) =>
    withIdle((connection) => connection.transaction((run) => work(transactionOn(run))))
  return { ...statementsOn(run), begin } as unknown as postgres.Sql
}

function transactionOn(run: RunStatement): object {
  const transaction = {
    ...statementsOn(run),
    savepoint: (work: (tx: object) => Promise<unknown>) => inSavepoint(run, () => work(transaction)),
  }
  return transaction
}

function statementsOn(run: RunStatement) {
  const unsafe = (...args: Parameters<postgres.Sql['unsafe']>) => ({
    values: () => run((client) => client.unsafe(...args).values()),
    // biome-ignore lint/suspicious/noThenProperty: as in postgres.js, a statement is sent when it is awaited
    then: (...settled: Parameters<Promise<unknown>['then']>) =>
      run((client) => client.unsafe(...args)).then(...settled),
  })
  return { options: { parsers: {}, serializers: {} }, unsafe }
}

function noneIdle(): Error {
  return Object.assign(new Error('all connections to the database are busy'), {
    code: 'CONNECTION_NONE_IDLE',
  })
}
