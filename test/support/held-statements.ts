/** Holds statements of the service back before they reach the database, so that a test decides what happens meanwhile. */
import { PgliteSession } from 'drizzle-orm/pglite'
import { PostgresJsSession } from 'drizzle-orm/postgres-js'
import { vi } from 'vitest'

export interface HeldStatements {
  /** How many were asked, held or not. */
  executed(): number
  /** Lets those go that are held, and holds none from now on. */
  release(): void
  /** Also takes the hold away. */
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
