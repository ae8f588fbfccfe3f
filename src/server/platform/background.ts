/** Work that waits in memory: what follows a response, what waits for its turn, and what runs once for all who ask for it. */
import { LRUCache } from 'lru-cache'
import { drop } from '../../vocabulary/lists.ts'

/** A counter of the metrics. */
interface OutcomeCounter<Outcome> {
  inc(labels: { outcome: Outcome }): void
}

/** `dropped` counts work that was not started because too much was waiting. */
export type BackgroundOutcome = 'done' | 'failed' | 'dropped'

export interface BackgroundOptions {
  /** How much runs at the same time: each may hold a database connection. */
  at_once: number
  /** How much waits at most. */
  waiting_max: number
  counter: OutcomeCounter<BackgroundOutcome>
  onError: (error: unknown) => void
}

export class BackgroundWork {
  readonly #options: BackgroundOptions
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #running = new Set<Promise<void>>()
  /** How many of those still take work. */
  #active = 0

  constructor(options: BackgroundOptions) {
    this.#options = options
  }

  /** Starts `work` after the present response was sent. */
  start(work: () => Promise<void>): void {
    const { at_once, waiting_max, counter } = this.#options
    if (this.#waiting.length >= waiting_max) {
      counter.inc({ outcome: 'dropped' })
      return
    }
    this.#waiting.push(work)
    if (this.#active >= at_once) return
    this.#active += 1
    const runner: Promise<void> = this.#runAll().finally(() => this.#running.delete(runner))
    this.#running.add(runner)
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #runAll(): Promise<void> {
    await new Promise(setImmediate)
    for (let work = this.#waiting.shift(); work; work = this.#waiting.shift()) {
      try {
        await work()
        this.#options.counter.inc({ outcome: 'done' })
      } catch (error) {
        this.#options.counter.inc({ outcome: 'failed' })
        this.#options.onError(error)
      }
    }
    this.#active -= 1
  }
}

/** By key, what has not ended. */
const queues = new Map<string, Promise<unknown>[]>()

/** Runs `work` after what this process began before it on the same `key`, however that ended. At most `at_once` of a key run. */
export function inTurn<Result>(key: string, work: () => Promise<Result>, at_once = 1): Promise<Result> {
  const before = queues.get(key) ?? []
  const result = (before.at(-at_once) ?? Promise.resolve()).then(work)
  const ended = result.catch(() => {}).finally(() => drop(queues, key, ended))
  queues.set(key, [...before, ended])
  return result
}

/** `shared` counts callers that got the result of another caller's computation; the others count computations. */
export type ComputationOutcome = 'computed' | 'shared' | 'failed'

const CACHE_TTL_MS = 60_000

/** Runs a computation once for all concurrent callers with the same key, and caches the result. */
export class SingleFlight {
  readonly #cache: LRUCache<string, object, () => Promise<object>>
  readonly #counter: OutcomeCounter<ComputationOutcome>

  /** `size`: the capacity of the cache, in characters of JSON. */
  constructor({ size, counter }: { size: number; counter: OutcomeCounter<ComputationOutcome> }) {
    this.#counter = counter
    this.#cache = new LRUCache<string, object, () => Promise<object>>({
      maxSize: size,
      ttl: CACHE_TTL_MS,
      sizeCalculation: (result) => JSON.stringify(result).length,
      // A result that is evicted while it is computed still serves those who wait.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context: compute }) => compute(),
    })
  }

  /** The result for `key`, which identifies everything that it depends on: from the cache, from a running computation, or from a new one. */
  async get<Result extends object>(key: string, compute: () => Promise<Result>): Promise<Result> {
    const status: LRUCache.Status<string, object> = {}
    const result = this.#cache.forceFetch(key, { context: compute, status }) as Promise<Result>
    if (status.fetch === 'hit' || status.fetch === 'inflight') {
      this.#counter.inc({ outcome: 'shared' })
      return result
    }
    result.then(
      () => this.#counter.inc({ outcome: 'computed' }),
      () => this.#counter.inc({ outcome: 'failed' }),
    )
    return result
  }
}
