/** The clock of the database, so that instances whose own clocks differ agree on leases and expiries. */
import { sql } from 'drizzle-orm'
import { type Clock, later, MINUTE_MS, stopwatch, systemClock } from '../../../vocabulary/clock.ts'
import type { Database, Db } from './database.ts'

/** A slower answer says too little about the time. */
const ANSWER_MAX_MS = 1000

export class DatabaseClock {
  #current: Clock = systemClock

  /** The time; that of this machine until the database was asked. Between two answers, a monotonic clock counts on. */
  readonly now: Clock = () => this.#current()

  /** Asks the database for the time. One query. */
  async synchronize(db: Db): Promise<void> {
    const elapsed = stopwatch()
    const [row] = await db
      .select({ at: sql<string>`to_json(clock_timestamp() at time zone 'UTC') #>> '{}'` })
      .from(sql`(values (1)) as one`)
    const ms = elapsed()
    if (!row || ms > ANSWER_MAX_MS) return
    const at = later(new Date(`${row.at}Z`), ms / 2)
    const since = stopwatch()
    this.#current = () => later(at, since())
  }

  /** Asks once a minute. Returns a function that ends this. */
  keepSynchronized(database: Database): () => void {
    const timer = setInterval(() => {
      // While the database is down, the last answer counts.
      this.synchronize(database.connection()).catch(() => {})
    }, MINUTE_MS)
    timer.unref()
    return () => clearInterval(timer)
  }
}
