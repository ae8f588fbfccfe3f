/** The budget of a long computation that yields to other requests. */

import type { Budget } from '../../vocabulary/budget.ts'
import { periodicYield, type Steps } from '../../vocabulary/event-loop.ts'

/** Units of work between two reads of the clock: a millisecond at most. */
const TURN_UNITS = 20_000

export class WorkBudget implements Budget {
  readonly #budget: Budget
  readonly #pause = periodicYield()
  #reserve: number
  #pause_at: number

  /** `reserve`: the part of `budget` that is available only after `useReserve`. */
  constructor({ budget, reserve }: { budget: Budget; reserve: number }) {
    this.#budget = budget
    this.#reserve = reserve
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

  /** Runs work that pauses whenever one is due (to await after every step would take longer than the step). */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (!this.isPauseDue) continue
      await this.#pause()
      this.#pause_at = this.remaining - TURN_UNITS
    }
  }
}
