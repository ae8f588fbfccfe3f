/** Announces to every instance which repositories have changed records, so that open pages can refresh. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { faultOf } from '../db/errors.ts'

const CHANNEL = 'deconflict_changes'
/** Changes within this time share one notification: each takes a lock that all commits of the database share. */
const BATCH_MS = 200
/** A PostgreSQL notification holds at most 8,000 bytes. */
const IDS_MAX = 400

export class ChangeFeed {
  readonly #database: Database
  readonly #log: Logger
  readonly #changed = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Calls `onChange` with the ids of changed repositories, or without ids when notifications may have been missed. */
  subscribe(onChange: (repo_ids?: number[]) => void): Promise<void> {
    return this.#database.listen(CHANNEL, {
      heard: (text) => onChange(JSON.parse(text)),
      missed: () => onChange(),
    })
  }

  /** Queues the announcement of a committed change. If the process ends first, pages see the change on their next regular refresh. */
  announce(repo_id: number): void {
    this.#changed.add(repo_id)
    this.#timer ??= setTimeout(() => void this.#publish(), BATCH_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#changed.clear()
  }

  async #publish(): Promise<void> {
    this.#timer = undefined
    const ids = [...this.#changed]
    this.#changed.clear()
    try {
      for (let from = 0; from < ids.length; from += IDS_MAX)
        await this.#database.announce(CHANNEL, JSON.stringify(ids.slice(from, from + IDS_MAX)))
    } catch (error) {
      this.#log.warn(faultOf(error), 'change announcement failed')
    }
  }
}
