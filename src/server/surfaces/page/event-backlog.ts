/** Changes that open pages have not been sent yet. Those of one repository are read together, one read at a time. */
import { setTimeout as wait } from 'node:timers/promises'
import { faultOf } from '../../db/errors.ts'
import type { App } from '../../repositories/app.ts'
import { type Changed, type ChangedRepository, joinChanged } from '../../repositories/change-feed.ts'
import { openKnownRepo, type RepoContext } from '../../repositories/repo.ts'

/** An event with more characters is not sent; the pages read their lists instead, page by page. */
const DATA_MAX = 500_000
/** The pause after a read is as long as the read took, but at most this. */
const PAUSE_MAX_MS = 1000

interface Options {
  app: App
  /** What changed, as the data of an event; null if pages do not show it. */
  read(ctx: RepoContext, ids: readonly string[]): Promise<object | null>
  /** Sends the data to the pages of a repository. Null: the change is unknown, or too large for an event. */
  send(repo_id: number, data: object | null): Promise<void>
}

export class EventBacklog {
  readonly #options: Options
  readonly #changed = new Map<number, Changed>()
  readonly #reading = new Set<number>()
  #isStopped = false

  constructor(options: Options) {
    this.#options = options
  }

  add({ repo_id, changed }: ChangedRepository): void {
    this.#changed.set(repo_id, joinChanged(this.#changed.get(repo_id) ?? [], changed))
    if (!this.#reading.has(repo_id)) void this.#sendAll(repo_id)
  }

  stop(): void {
    this.#isStopped = true
    this.#changed.clear()
  }

  async #sendAll(repo_id: number): Promise<void> {
    const { clock } = this.#options.app
    this.#reading.add(repo_id)
    for (let changed = this.#take(repo_id); changed; changed = this.#take(repo_id)) {
      const began_ms = clock().getTime()
      await this.#send(repo_id, changed)
      await wait(Math.min(PAUSE_MAX_MS, clock().getTime() - began_ms), undefined, { ref: false })
    }
    this.#reading.delete(repo_id)
  }

  #take(repo_id: number): Changed | undefined {
    const changed = this.#isStopped ? undefined : this.#changed.get(repo_id)
    this.#changed.delete(repo_id)
    return changed
  }

  async #send(repo_id: number, changed: Changed): Promise<void> {
    const { app, read, send } = this.#options
    if (changed === 'any') return send(repo_id, null)
    try {
      const ctx = await openKnownRepo(app, repo_id, app.clock())
      const data = ctx && (await read(ctx, changed))
      if (data) await send(repo_id, JSON.stringify(data).length > DATA_MAX ? null : data)
    } catch (error) {
      app.log.warn({ repo_id, ...faultOf(error) }, 'changed records not read')
      await send(repo_id, null)
    }
  }
}
