/** Holds statements before they reach the database, so that a test controls what happens meanwhile. */
import { PgliteSession } from 'drizzle-orm/pglite'
import { PostgresJsSession } from 'drizzle-orm/postgres-js'
import { vi } from 'vitest'

export interface HeldStatements {
  /** The number of statements, held or not. */
  executed(): number
  /** Releases the held statements and holds no more. */
  release(): void
  /** Releases the statements and restores the session. */
  restore(): void
}

/** Holds the first `count` statements whose text matches. */
export function holdStatements(text: RegExp, count: number): HeldStatements {
  const sessions = process.env.TEST_DATABASE_KIND === 'embedded' ? PgliteSession : PostgresJsSession
  const prototype = sessions.prototype as typeof PostgresJsSession.prototype
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  let asked = 0
  const prepare = prototype.prepareQuery
  const spy = vi.spyOn(prototype, 'prepareQuery').mockImplementation(function (this: unknown, ...given) {
    const prepared = prepare.apply(this as never, given)
    if (!text.test(given[0].sql)) return prepared
    const execute = prepared.execute.bind(prepared)
    prepared.execute = async (values) => {
      asked += 1
      if (asked <= count) await gate
      return execute(values)
    }
    return prepared
  })
  return {
    executed: () => asked,
    release: () => open(),
    restore() {
      open()
      spy.mockRestore()
    },
  }
}
