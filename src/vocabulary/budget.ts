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
  readonly #budgets: { budget: Budget; units: number; per_unit: number }[] = []
  /** The bytes of its body. */
  received = 0

  /** A new budget of `units`. What a computation uses of it counts towards this request; `per_unit` of them are one unit there. */
  budget(units: number, per_unit = 1): Budget {
    const budget = { remaining: units }
    this.#budgets.push({ budget, units, per_unit })
    return budget
  }

  /** Units used so far. */
  get units(): number {
    return this.#budgets.reduce(
      (sum, { budget, units, per_unit }) => sum + (units - budget.remaining) / per_unit,
      0,
    )
  }
}
