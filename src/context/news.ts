/** Tells every instance in which repositories something changed, so that the pages that show them are brought up to date. */
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { faultOf } from '../db/errors.ts'

const CHANNEL = 'deconflict_changes'
/** What changes within this time is told at once: a notification takes a lock that all commits of the database share. */
const GATHER_MS = 200
/** A notification holds 8,000 bytes. */
const IDS_MAX = 400

export class News {
  readonly #database: Database
  readonly #log: Logger
  readonly #changed = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Calls `heard` with repositories in which something changed, on whatever instance; without any where some may have been missed. */
  listen(heard: (repo_ids?: number[]) => void): Promise<void> {
    return this.#database.listen(CHANNEL, {
      heard: (text) => heard(JSON.parse(text)),
      missed: () => heard(),
    })
  }

  /** Notes a change that is committed. News that is lost with the process is made up for by the next look at the page. */
  note(repo_id: number): void {
    this.#changed.add(repo_id)
    this.#timer ??= setTimeout(() => void this.#tell(), GATHER_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#changed.clear()
  }

  async #tell(): Promise<void> {
    this.#timer = undefined
    const ids = [...this.#changed]
    this.#changed.clear()
    try {
      for (let from = 0; from < ids.length; from += IDS_MAX)
        await this.#database.announce(CHANNEL, JSON.stringify(ids.slice(from, from + IDS_MAX)))
    } catch (error) {
      this.#log.warn(faultOf(error), 'a change could not be told to the open pages')
    }
  }
}
