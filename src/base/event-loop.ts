/** Breaks long work up, so that it does not hold up other requests. */
import { setImmediate } from 'node:timers/promises'
import { stopwatch } from './clock.ts'

/** After this much work without a pause, other requests get their turn. */
const TURN_MS = 5

/** A function that lets other requests have their turn, when the last pause is long enough ago. */
export function periodicYield(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < TURN_MS) return
    await setImmediate()
    elapsed = stopwatch()
  }
}
