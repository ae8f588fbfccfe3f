/** Splits long computations, so that they do not block other requests. */
import { setImmediate } from 'node:timers/promises'
import { stopwatch } from '../../vocabulary/clock.ts'

/** The longest time without a yield. */
const SLICE_MS = 5

/** A computation that can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs a computation, and yields to other requests in between. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let elapsed = stopwatch(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (elapsed() < SLICE_MS) continue
    await setImmediate()
    elapsed = stopwatch()
  }
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

/** Returns a function that yields to the event loop when the last yield was at least 5 ms ago. */
export function periodicYield(): () => Promise<void> {
  let elapsed = stopwatch()
  return async () => {
    if (elapsed() < SLICE_MS) return
    await setImmediate()
    elapsed = stopwatch()
  }
}
