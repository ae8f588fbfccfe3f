/** Work budgets: the cost of a computation is counted in units, and the computation stops when they are used up. */

/** Units left. Below 0 the budget is exhausted: the computation has stopped early, and its result is incomplete. */
export interface Budget {
  remaining: number
}

/** A budget for work that is small whatever the input. */
export function unbounded(): Budget {
  return { remaining: Number.POSITIVE_INFINITY }
}

/** The cost, in units, of comparing two texts of which the shorter has `length` characters. */
export function comparisonCost(length: number): number {
  return 1 + (length >> 3)
}

/** Adds up the cost of one request, for its rate limit. */
export class Meter {
  readonly #budgets: { budget: Budget; units: number }[] = []
  /** The bytes of its body. */
  received = 0

  /** A new budget of `units`. The units that a computation uses of it count towards this request. */
  budget(units: number): Budget {
    const budget = { remaining: units }
    this.#budgets.push({ budget, units })
    return budget
  }

  /** Units used so far. */
  get units(): number {
    return this.#budgets.reduce((sum, { budget, units }) => sum + units - budget.remaining, 0)
  }
}
