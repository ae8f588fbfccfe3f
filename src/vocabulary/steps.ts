/** Long computations as steps, so that the caller decides when to pause. */

/** A computation that can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>
