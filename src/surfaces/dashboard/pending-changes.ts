/** Changes that open pages have not been sent yet. Those of one repository are read together, one read at a time. */
import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../../context/app.ts'
import { type Changed, type ChangedRepository, together } from '../../context/change-feed.ts'
import { openKnownRepo } from '../../context/repo.ts'
import { faultOf } from '../../db/errors.ts'
import { changedRecords } from '../../operations/changed-records.ts'

/** An event with more characters is not sent; the pages read their lists instead, page by page. */
const DATA_MAX = 500_000
/** After a read, the next one waits as long as it took, but no longer. */
const PAUSE_MAX_MS = 1000

/** Sends `data` to the pages of a repository. Empty: they read their lists again. */
type Send = (repo_id: number, data: object) => Promise<void>

export class PendingChanges {
  readonly #app: App
  readonly #send: Send
  readonly #changed = new Map<number, Changed>()
  readonly #reading = new Set<number>()
  #isStopped = false

  constructor(app: App, send: Send) {
    this.#app = app
    this.#send = send
  }

  add({ repo_id, changed }: ChangedRepository): void {
    this.#changed.set(repo_id, together(this.#changed.get(repo_id) ?? [], changed))
    if (!this.#reading.has(repo_id)) void this.#sendAll(repo_id)
  }

  stop(): void {
    this.#isStopped = true
    this.#changed.clear()
  }

  async #sendAll(repo_id: number): Promise<void> {
    this.#reading.add(repo_id)
    for (let changed = this.#take(repo_id); changed; changed = this.#take(repo_id)) {
      const began_ms = this.#app.clock().getTime()
      await this.#send(repo_id, await this.#read(repo_id, changed))
      await wait(Math.min(PAUSE_MAX_MS, this.#app.clock().getTime() - began_ms), undefined, { ref: false })
    }
    this.#reading.delete(repo_id)
  }

  #take(repo_id: number): Changed | undefined {
    const changed = this.#isStopped ? undefined : this.#changed.get(repo_id)
    this.#changed.delete(repo_id)
    return changed
  }

  /** What changed; empty if that is unknown, cannot be read, or is too much for an event. */
  async #read(repo_id: number, changed: Changed): Promise<object> {
    if (changed === 'any') return {}
    try {
      const ctx = await openKnownRepo(this.#app, repo_id, this.#app.clock())
      const data = ctx ? await changedRecords(ctx, changed) : {}
      return JSON.stringify(data).length > DATA_MAX ? {} : data
    } catch (error) {
      this.#app.log.warn({ repo_id, ...faultOf(error) }, 'changed records not read')
      return {}
    }
  }
}
