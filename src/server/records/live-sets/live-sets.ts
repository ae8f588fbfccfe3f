/** The live sets of the repositories that were asked last, in the memory of this instance. */
import { LRUCache } from 'lru-cache'
import { LiveSet } from '../../../engine/live-set.ts'

/** The approximate memory of all live sets. The repository that was asked longest ago leaves first. */
const BYTES_MAX = 200_000_000
/** The approximate size of an empty live set. */
const SET_BYTES = 2_000

interface Held {
  set: LiveSet
  running: Promise<void> | null
  /** A refresh that begins when the running one has ended. */
  next: Promise<void> | null
}

export class LiveSets {
  readonly #held = new LRUCache<number, Held>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ set }) => SET_BYTES + set.bytes,
  })

  /**
   * The live set of a repository, after a refresh that began after this call. Concurrent callers share refreshes. Throws what
   * `refresh` throws.
   */
  async upToDate(repo_id: number, refresh: (set: LiveSet) => Promise<void>): Promise<LiveSet> {
    const held = this.#held.get(repo_id) ?? { set: new LiveSet(), running: null, next: null }
    const start = (): Promise<void> => {
      held.next = null
      held.running = refresh(held.set).finally(() => {
        held.running = null
        // Again, because its size has changed.
        this.#held.set(repo_id, held)
      })
      return held.running
    }
    if (held.running === null) {
      this.#held.set(repo_id, held)
      await start()
    } else {
      held.next ??= held.running.then(start, start)
      await held.next
    }
    return held.set
  }
}
