/** What a long computation may spend: it makes room for other requests meanwhile, and ends when it is cancelled. */

import type { Budget } from '../base/budget.ts'
import { periodicYield } from '../base/event-loop.ts'

/** Work that yields whenever a pause is due. Awaiting at every step would take longer than the steps. */
export type Steps<Result> = Generator<undefined, Result>

/** Work between two looks at the clock, in units: a millisecond at most. */
const TURN_UNITS = 20_000

export class WorkBudget implements Budget {
  readonly #budget: Budget
  readonly #signal: AbortSignal
  readonly #pause = periodicYield()
  #reserve: number
  #pause_at: number

  /** `reserve`: the part of `budget` that is there only after `useReserve`. */
  constructor({ budget, reserve, signal }: { budget: Budget; reserve: number; signal: AbortSignal }) {
    this.#budget = budget
    this.#reserve = reserve
    this.#signal = signal
    this.#pause_at = this.remaining - TURN_UNITS
  }

  get remaining(): number {
    return this.#budget.remaining - this.#reserve
  }

  set remaining(units: number) {
    this.#budget.remaining = units + this.#reserve
  }

  get isExhausted(): boolean {
    return this.remaining < 0
  }

  useReserve(): void {
    this.#pause_at += this.#reserve
    this.#reserve = 0
  }

  get isPauseDue(): boolean {
    return this.remaining < this.#pause_at
  }

  /** Carries out the work, and lets other requests have their turn meanwhile. Throws when the computation is cancelled. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      await this.#pause()
      this.#signal.throwIfAborted()
      this.#pause_at = this.remaining - TURN_UNITS
    }
  }
}
