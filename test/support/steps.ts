/** Runs computations of the service that can pause. */
import type { Steps } from '../../src/vocabulary/clock.ts'

/** Runs a computation without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
