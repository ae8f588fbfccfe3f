/** The only module that reads the time of this machine. A request reads the clock once and passes the time on; SQL never calls now(). */

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
