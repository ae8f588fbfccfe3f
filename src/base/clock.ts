/** The one place that reads the time. A request reads it once and passes it on; SQL never calls now(). */

/** Answers the present instant. Tests hand in their own. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Starts a monotonic stopwatch; the function it answers gives the milliseconds since. */
export function stopwatch(): () => number {
  const started = performance.now()
  return () => performance.now() - started
}

/** The instant `ms` milliseconds after `instant` (before it, when negative). */
export function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms)
}
