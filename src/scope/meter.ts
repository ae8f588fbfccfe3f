/** Adds up the work units of one request, so that it can be charged for them (contract §9). */
import type { Budget } from './frontier.ts'

export class Meter {
  readonly #budgets: { budget: Budget; units: number }[] = []

  /** A budget of so many units; what is spent of it is work of this request. */
  budget(units: number): Budget {
    const budget = { remaining: units }
    this.#budgets.push({ budget, units })
    return budget
  }

  /** Units spent so far. */
  get units(): number {
    return this.#budgets.reduce((sum, { budget, units }) => sum + units - budget.remaining, 0)
  }
}
