/** Work that waits in memory: what follows a response, which nobody waits for except the shutdown, and what waits for its turn. */

/** `dropped` counts work that was not started because too much was waiting. */
export type BackgroundOutcome = 'done' | 'failed' | 'dropped'

export interface BackgroundOptions {
  /** How much runs at the same time: each may hold a database connection. */
  at_once: number
  /** How much waits at most. */
  waiting_max: number
  count: (outcome: BackgroundOutcome) => void
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
    const { at_once, waiting_max, count } = this.#options
    if (this.#waiting.length >= waiting_max) {
      count('dropped')
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
        this.#options.count('done')
      } catch (error) {
        this.#options.count('failed')
        this.#options.onError(error)
      }
    }
    this.#active -= 1
  }
}

const last = new Map<string, Promise<unknown>>()

/** Runs `work` after all work on the same `key` that this process began before, however that ended. */
export function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const result = (last.get(key) ?? Promise.resolve()).then(work)
  const ended = result.then(
    () => {},
    () => {},
  )
  last.set(key, ended)
  void ended.then(() => {
    if (last.get(key) === ended) last.delete(key)
  })
  return result
}
