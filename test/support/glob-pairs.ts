/** Compares two whole globs by comparing their alternatives as the service does. */
import type { Budget } from '../../src/vocabulary/budget.ts'
import { alternativesOf, type Glob } from '../../src/vocabulary/scope/glob.ts'
import { alternativesOverlap, sharedPath } from '../../src/vocabulary/scope/intersect.ts'
import { weightOf } from '../../src/vocabulary/scope/segment-search.ts'

export function overlaps(a: Glob, b: Glob, budget: Budget): boolean {
  const others = alternativesOf(b, budget)
  return alternativesOf(a, budget).some((x) => others.some((y) => alternativesOverlap(x, y, budget)))
}

/** The shortest path that two alternatives share; null if there is none or the budget is exhausted. */
export function intersect(a: Glob, b: Glob, budget: Budget): string | null {
  const others = alternativesOf(b, budget)
  const pairs = alternativesOf(a, budget).flatMap((x) => others.map((y) => [x, y] as const))
  const shared = pairs
    .filter(([x, y]) => alternativesOverlap(x, y, budget))
    .map(([x, y]) => sharedPath(x, y, budget))
  if (budget.remaining < 0) return null
  return shared.reduce(
    (best, path) => (best === null || (path !== null && pathWeight(path) < pathWeight(best)) ? path : best),
    null,
  )
}

function pathWeight(path: string): number {
  return path.split('/').reduce((sum, name) => sum + weightOf(name) + 1, 0)
}
