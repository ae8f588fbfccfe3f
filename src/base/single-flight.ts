/** Runs a computation once for all callers that want the same result, and cancels it when the last of them leaves. */
import { LRUCache } from 'lru-cache'
import { clientDisconnected } from './failure.ts'

/** `shared`: a caller got the result of a computation that another caller had started. The rest says how computations ended. */
export const OUTCOMES = ['computed', 'shared', 'cancelled', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Computation<Result> {
  /** Says everything that the result depends on. */
  key: string
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal
  /** Rejects soon after its own signal is aborted: then nobody waits any more. */
  compute(signal: AbortSignal): Promise<Result>
  /** What the result takes of the cache; above 0. */
  sizeOf(result: Result): number
}

interface Running {
  key: string
  callers: number
  controller: AbortController
  result: Promise<object>
}

/** Results stay this long for callers that come later. */
const KEPT_MS = 60_000

export class SingleFlight {
  readonly #running = new Map<string, Running>()
  readonly #kept: LRUCache<string, object>
  readonly #count: (outcome: Outcome) => void

  /** `size`: of all results that are kept, as `sizeOf` measures them. */
  constructor(options: { size: number; count: (outcome: Outcome) => void }) {
    this.#kept = new LRUCache({ maxSize: options.size, ttl: KEPT_MS })
    this.#count = options.count
  }

  /** The result for `key`: one that is kept, that of a running computation, or that of a new one. */
  async get<Result extends object>(wanted: Computation<Result>): Promise<Result> {
    if (wanted.signal.aborted) throw clientDisconnected()
    const kept = this.#kept.get(wanted.key)
    const running = this.#running.get(wanted.key)
    if (kept || running) this.#count('shared')
    if (kept) return kept as Result
    return this.#wait<Result>(running ?? this.#start(wanted), wanted.signal)
  }

  #start<Result extends object>({ key, compute, sizeOf }: Computation<Result>): Running {
    const controller = new AbortController()
    const result = compute(controller.signal)
    const running: Running = { key, callers: 0, controller, result }
    this.#running.set(key, running)
    result.then(
      (value) => {
        this.#end(running, 'computed')
        this.#kept.set(key, value, { size: sizeOf(value) })
      },
      () => this.#end(running, controller.signal.aborted ? 'cancelled' : 'failed'),
    )
    return running
  }

  #wait<Result extends object>(running: Running, signal: AbortSignal): Promise<Result> {
    running.callers += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        running.callers -= 1
        if (running.callers === 0) this.#cancel(running)
        reject(clientDisconnected())
      }
      signal.addEventListener('abort', leave, { once: true })
      const stay = () => signal.removeEventListener('abort', leave)
      running.result.then(
        (value) => {
          stay()
          resolve(value as Result)
        },
        (error) => {
          stay()
          reject(error)
        },
      )
    })
  }

  /** A caller that comes now starts anew. */
  #cancel(running: Running): void {
    this.#forget(running)
    running.controller.abort()
  }

  #end(running: Running, outcome: Outcome): void {
    this.#forget(running)
    this.#count(outcome)
  }

  #forget(running: Running): void {
    if (this.#running.get(running.key) === running) this.#running.delete(running.key)
  }
}
