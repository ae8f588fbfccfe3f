/** Compares two whole globs by comparing their alternatives as the service does. */
import type { Budget } from '../../src/vocabulary/budget.ts'
import { alternativesOverlap, sharedPath } from '../../src/vocabulary/scope/alternative.ts'
import { alternativesOf, type Glob } from '../../src/vocabulary/scope/glob.ts'

export function overlaps(a: Glob, b: Glob, budget: Budget): boolean {
  const others = alternativesOf(b, budget)
  return alternativesOf(a, budget).some((x) => others.some((y) => alternativesOverlap(x, y, budget)))
}

/** A path of the first alternatives that share one; null if there are none or the budget is exhausted. */
export function intersect(a: Glob, b: Glob, budget: Budget): string | null {
  const others = alternativesOf(b, budget)
  const pairs = alternativesOf(a, budget).flatMap((x) => others.map((y) => [x, y] as const))
  const shared = pairs.find(([x, y]) => alternativesOverlap(x, y, budget))
  return shared === undefined || budget.remaining < 0 ? null : sharedPath(...shared, budget)
}
