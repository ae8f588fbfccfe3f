/** Runs a computation once for all concurrent callers with the same key, and caches the result. */
import { LRUCache } from 'lru-cache'

/** `shared` counts callers that got the result of another caller's computation; the others count computations. */
export const OUTCOMES = ['computed', 'shared', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Computation<Result> {
  /** Identifies everything that the result depends on. */
  key: string
  compute(): Promise<Result>
  /** The size of the result in the cache; above 0. */
  sizeOf(result: Result): number
}

const CACHE_TTL_MS = 60_000

export class SingleFlight {
  readonly #running = new Map<string, Promise<object>>()
  readonly #cache: LRUCache<string, object>
  readonly #count: (outcome: Outcome) => void

  /** `size`: the capacity of the cache, in units of `sizeOf`. */
  constructor(options: { size: number; count: (outcome: Outcome) => void }) {
    this.#cache = new LRUCache({ maxSize: options.size, ttl: CACHE_TTL_MS })
    this.#count = options.count
  }

  /** The result for `key`: from the cache, from a running computation, or from a new one. */
  async get<Result extends object>({ key, compute, sizeOf }: Computation<Result>): Promise<Result> {
    const known = this.#cache.get(key) ?? this.#running.get(key)
    if (known) {
      this.#count('shared')
      return known as Result | Promise<Result>
    }
    const computed = compute()
    this.#running.set(key, computed)
    try {
      const result = await computed
      this.#cache.set(key, result, { size: sizeOf(result) })
      this.#count('computed')
      return result
    } catch (error) {
      this.#count('failed')
      throw error
    } finally {
      this.#running.delete(key)
    }
  }
}
