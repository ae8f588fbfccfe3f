/** Watches statements before they reach the database, or holds them, so that a test controls what happens meanwhile. */
import { fillPlaceholders } from 'drizzle-orm'
import { PglitePreparedQuery } from 'drizzle-orm/pglite'
import { PostgresJsPreparedQuery } from 'drizzle-orm/postgres-js'
import { vi } from 'vitest'

/**
 * Calls `before` with the text and values of each statement, and sends the statement when that is done. Returns what ends
 * it. It watches executions, because a prepared statement is built once and may be older than the test.
 */
export function watchStatements(
  before: (text: string, values: unknown[]) => Promise<void> | undefined,
): () => void {
  const queries =
    process.env.TEST_DATABASE_KIND === 'embedded' ? PglitePreparedQuery : PostgresJsPreparedQuery
  const prototype = queries.prototype as PostgresJsPreparedQuery<never>
  const execute = prototype.execute
  const spy = vi.spyOn(prototype, 'execute').mockImplementation(async function (
    this: PostgresJsPreparedQuery<never>,
    values,
  ) {
    const { sql, params } = this.getQuery()
    await before(sql, fillPlaceholders(params, values ?? {}))
    return execute.call(this, values)
  })
  return () => spy.mockRestore()
}

export type HeldStatements = ReturnType<typeof holdStatements>

/** Holds the first `count` statements whose text matches. */
export function holdStatements(text: RegExp, count: number) {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  let executed = 0
  const stop = watchStatements((statement) => {
    if (!text.test(statement)) return undefined
    executed += 1
    return executed <= count ? gate : undefined
  })
  return {
    /** The number of statements, held or not. */
    executed: () => executed,
    /** Releases the held statements and holds no more. */
    release: () => open(),
    /** Releases the statements and watches no more. */
    restore() {
      open()
      stop()
    },
  }
}
