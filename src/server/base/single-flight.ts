/** Runs a computation once for all concurrent callers with the same key, caches the result, and cancels it when every caller has left. */
import { LRUCache } from 'lru-cache'
import { clientDisconnected } from '../../vocabulary/failure.ts'

/** `shared` counts callers that got the result of another caller's computation; the others count computations. */
export const OUTCOMES = ['computed', 'shared', 'cancelled', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Computation<Result> {
  /** Identifies everything that the result depends on. */
  key: string
  /** Aborted when the caller disconnects. */
  disconnected: AbortSignal
  /** Must reject soon after `cancelled` is aborted. */
  compute(cancelled: AbortSignal): Promise<Result>
  /** The size of the result in the cache; above 0. */
  sizeOf(result: Result): number
}

interface Running {
  key: string
  callers: number
  controller: AbortController
  result: Promise<object>
}

const CACHE_TTL_MS = 60_000

export class SingleFlight {
  readonly #running = new Map<string, Running>()
  readonly #cache: LRUCache<string, object>
  readonly #count: (outcome: Outcome) => void

  /** `size`: the capacity of the cache, in units of `sizeOf`. */
  constructor(options: { size: number; count: (outcome: Outcome) => void }) {
    this.#cache = new LRUCache({ maxSize: options.size, ttl: CACHE_TTL_MS })
    this.#count = options.count
  }

  /** The result for `key`: from the cache, from a running computation, or from a new one. */
  async get<Result extends object>(computation: Computation<Result>): Promise<Result> {
    if (computation.disconnected.aborted) throw clientDisconnected()
    const cached = this.#cache.get(computation.key)
    const running = this.#running.get(computation.key)
    if (cached || running) this.#count('shared')
    if (cached) return cached as Result
    return this.#wait<Result>(running ?? this.#start(computation), computation.disconnected)
  }

  #start<Result extends object>({ key, compute, sizeOf }: Computation<Result>): Running {
    const controller = new AbortController()
    const result = compute(controller.signal)
    const running: Running = { key, callers: 0, controller, result }
    this.#running.set(key, running)
    result.then(
      (value) => {
        this.#end(running, 'computed')
        this.#cache.set(key, value, { size: sizeOf(value) })
      },
      () => this.#end(running, controller.signal.aborted ? 'cancelled' : 'failed'),
    )
    return running
  }

  #wait<Result extends object>(running: Running, disconnected: AbortSignal): Promise<Result> {
    running.callers += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        running.callers -= 1
        if (running.callers === 0) this.#cancel(running)
        reject(clientDisconnected())
      }
      disconnected.addEventListener('abort', leave, { once: true })
      running.result
        .finally(() => disconnected.removeEventListener('abort', leave))
        .then((value) => resolve(value as Result), reject)
    })
  }

  /** Cancels a computation. The next caller with its key starts a new one. */
  #cancel(running: Running): void {
    this.#remove(running)
    running.controller.abort()
  }

  #end(running: Running, outcome: Outcome): void {
    this.#remove(running)
    this.#count(outcome)
  }

  #remove(running: Running): void {
    if (this.#running.get(running.key) === running) this.#running.delete(running.key)
  }
}
