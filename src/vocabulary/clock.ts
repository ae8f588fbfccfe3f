/**
 * The only module that reads the time of this machine. A request reads the clock once and passes the time on; SQL never calls now(). And
 * long computations: they yield to other requests, end at a deadline, and their time counts for the rate limit.
 */

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Returns the current time. Tests pass their own clock. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Starts a monotonic stopwatch. The returned function gives the elapsed milliseconds. */
export function stopwatch(): () => number {
  const started = performance.now()
  return () => performance.now() - started
}

/** The same, in processor time of this process: a busy machine does not make it longer. Each call takes 1 µs. */
export function processorStopwatch(): () => number {
  const elapsed = stopwatch()
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    // Other threads of the process count, too.
    return Math.min(elapsed(), (user + system) / 1000)
  }
}

/** The time `ms` milliseconds after `instant`; `ms` may be negative. */
export function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms)
}

/** The processor time after which a comparison ends: an ordinary one takes some milliseconds, the largest one 400 in a process that has just started. */
const COMPARISON_MS = 1_000
/** The longest time without a yield. */
const SLICE_MS = 5

/** A computation that can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>

/** What a request costs, for its rate limit. */
export class Meter {
  /** Processor time of its computations. */
  used_ms = 0
  /** The bytes of its body. */
  received = 0
  readonly #comparison_ms: number

  constructor(comparison_ms = COMPARISON_MS) {
    this.#comparison_ms = comparison_ms
  }

  deadline(): Deadline {
    return new Deadline(this.#comparison_ms, this)
  }
}

/** The end of one computation after so much processor time, however busy the machine is. By default there is none. */
export class Deadline {
  readonly #limit_ms: number
  readonly #meter: Pick<Meter, 'used_ms'>
  #used_ms = 0
  #sinceYield = stopwatch()
  #running: () => number = () => 0

  constructor(limit_ms = Number.POSITIVE_INFINITY, meter: Pick<Meter, 'used_ms'> = { used_ms: 0 }) {
    this.#limit_ms = limit_ms
    this.#meter = meter
  }

  /** The time is up: what is left is not computed, and the result says so. Reads the clock. */
  get isOver(): boolean {
    const left_ms = this.#limit_ms - this.#used_ms
    // Time that passes is never less than that of the processor, and is read faster.
    return this.#sinceYield() >= left_ms && this.#running() >= left_ms
  }

  /** Runs a computation, and yields to other requests in between. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    this.#running = processorStopwatch()
    try {
      for (;;) {
        const step = steps.next()
        if (step.done) return step.value
        if (this.#sinceYield() < SLICE_MS) continue
        this.#charge()
        await nextTurn()
        this.#sinceYield = stopwatch()
        this.#running = processorStopwatch()
      }
    } finally {
      this.#charge()
    }
  }

  #charge(): void {
    const ms = this.#running()
    this.#used_ms += ms
    this.#meter.used_ms += ms
    // What others do until the next part does not count.
    this.#running = () => 0
  }
}

/** Runs a computation that has no deadline. */
export function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  return new Deadline().run(steps)
}

/** What waits for a turn, in this order. */
const waiting: (() => void)[] = []

/** Yields to other requests. Of all that waits for the next turn, only the first goes on in it, so that their work does not add up. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeFirst)
  })
}

function resumeFirst(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeFirst)
}

/** Maps a long list, one item a step. */
export function* mapped<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item, index: number) => Result,
): Steps<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    results.push(resultOf(item, index))
    yield
  }
  return results
}
