/** Compares two whole globs by comparing their alternatives as the service does. */
import { Deadline } from '../../src/vocabulary/clock.ts'
import { type Alternative, alternativesOverlap, sharedPath } from '../../src/vocabulary/scope/alternative.ts'
import { alternativesOf, type Glob } from '../../src/vocabulary/scope/glob.ts'

export function overlaps(a: Glob, b: Glob, deadline?: Deadline): boolean {
  return firstPair(a, b, deadline) !== undefined
}

/** A path of the first alternatives that share one; null if there are none. */
export function intersect(a: Glob, b: Glob): string | null {
  const shared = firstPair(a, b)
  return shared === undefined ? null : sharedPath(...shared)
}

function firstPair(a: Glob, b: Glob, deadline = new Deadline()): [Alternative, Alternative] | undefined {
  const pairs = alternativesOf(a).flatMap((x) => alternativesOf(b).map((y): [typeof x, typeof y] => [x, y]))
  return pairs.find(([x, y]) => alternativesOverlap(x, y, deadline))
}
