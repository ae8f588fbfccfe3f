/** Splits long computations, so that they do not block other requests. */
import { stopwatch } from './clock.ts'

/** The longest time without a yield. */
const SLICE_MS = 5

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

/** Runs a computation, and yields to other requests in between. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let elapsed = stopwatch(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (elapsed() < SLICE_MS) continue
    await nextTurn()
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
    await nextTurn()
    elapsed = stopwatch()
  }
}

/** A computation that can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>
