/** One connection to PostgreSQL, replaced when it is lost or does not answer (docs/reliability.md). */
import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { stopwatch } from '../../vocabulary/clock.ts'

/** For this long after a failed attempt to connect, the connection is used only if there is no other. */
const RETRY_MS = 500
/** Timeout of closing a connection. Shutdown takes at most ten seconds in total. */
export const CLOSE_S = 1

export interface ConnectionOptions {
  /** Returns a new client of a single connection, and calls `onclose` when that is lost. */
  connect(onclose: () => void): Promise<postgres.Sql>
  /** Prepares a new connection before its first statement. */
  setUp(client: postgres.Sql): PromiseLike<unknown>
  /** Timeout of one statement. Longer than the server's own, so that it only applies when the server does not answer. */
  timeout_ms: number
  /** Called when a statement timed out. */
  onTimeout?: () => void
}

/** Runs one statement on a connection. */
export type RunStatement = <Result>(
  statement: (client: postgres.Sql) => PromiseLike<Result>,
) => Promise<Result>

/** Runs `work` in a nested transaction of the transaction to which `run` belongs. */
export async function inSavepoint<Result>(run: RunStatement, work: () => Promise<Result>): Promise<Result> {
  await run((client) => client.unsafe('savepoint nested'))
  try {
    const result = await work()
    await run((client) => client.unsafe('release savepoint nested'))
    return result
  } catch (error) {
    // On a lost connection there is nothing to roll back.
    await run((client) => client.unsafe('rollback to savepoint nested; release savepoint nested')).catch(
      () => {},
    )
    throw error
  }
}

interface Session {
  client: postgres.Sql
  isLost: boolean
}

/**
 * Serves one caller at a time. A postgres.js client that lost its connection is not used again: it would drop the statements
 * in its buffer, and continue a transaction on another connection.
 */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #elapsed = stopwatch()
  #session: Session | undefined
  #isBusy = false
  #retry_at = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Whether the last attempt to connect failed less than `RETRY_MS` ago. */
  get isFailing(): boolean {
    return this.#elapsed() < this.#retry_at
  }

  /** Calls `work` with a function that runs statements on the same session. */
  async use<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    this.#isBusy = true
    try {
      const session = this.#session ?? (await this.#open())
      return await work((statement) => this.#run(session, statement))
    } finally {
      this.#isBusy = false
    }
  }

  async transaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    return this.use(async (run) => {
      await run((client) => client.unsafe('begin'))
      try {
        const result = await work(run)
        const { command } = await run((client) => client.unsafe('commit'))
        // PostgreSQL commits nothing after a failed statement, and reports no error.
        if (command !== 'COMMIT') throw new Error('a statement failed, so the transaction was rolled back')
        return result
      } catch (error) {
        await run((client) => client.unsafe('rollback')).catch(() => this.#discard())
        throw error
      }
    })
  }

  /** Closes the connection if it is idle; the next statement opens another. */
  renew(): void {
    if (!this.#isBusy) this.#discard()
  }

  async close(): Promise<void> {
    await this.#session?.client.end({ timeout: CLOSE_S })
  }

  async #open(): Promise<Session> {
    try {
      const client = await this.#options.connect(() => {
        session.isLost = true
        this.#discard(session)
      })
      const session: Session = { client, isLost: false }
      this.#session = session
      // Drizzle sets the parsers and serializers of the client.
      drizzle({ client })
      await this.#run(session, this.#options.setUp)
      return session
    } catch (error) {
      this.#discard()
      this.#retry_at = this.#elapsed() + RETRY_MS
      throw error
    }
  }

  async #run<Result>(
    session: Session,
    statement: (client: postgres.Sql) => PromiseLike<Result>,
  ): Promise<Result> {
    if (session.isLost)
      throw Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_LOST' })
    const timeout = setTimeout(() => {
      this.#discard(session)
      this.#options.onTimeout?.()
    }, this.#options.timeout_ms)
    try {
      return await statement(session.client)
    } finally {
      clearTimeout(timeout)
    }
  }

  /** Ends the session, which rejects its statements in flight. */
  #discard(session = this.#session): void {
    if (!session) return
    session.isLost = true
    if (this.#session === session) this.#session = undefined
    void session.client.end({ timeout: 0 })
  }
}
