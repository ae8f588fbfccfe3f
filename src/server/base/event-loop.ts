/** Splits long computations, so that they do not block other requests. */
import { setImmediate } from 'node:timers/promises'
import { stopwatch } from '../../vocabulary/clock.ts'

/** The longest time without a yield. */
const SLICE_MS = 5

/** Returns a function that yields to the event loop when the last yield was at least 5 ms ago. */
export function periodicYield(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < SLICE_MS) return
    await setImmediate()
    elapsed = stopwatch()
  }
}
