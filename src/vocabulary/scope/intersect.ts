/** Decides exactly, in polynomial time, whether two globs match a common path, and finds an example. */
import { type Budget, comparisonCost, unbounded } from '../budget.ts'
import { type Alternative, partsOf } from './alternative.ts'
import { alternativesOf, type Glob, parseGlob } from './glob.ts'
import { ANY_NAME, commonName, matchesSegment, type Segment, segmentsOverlap } from './segment.ts'
import { matches, meet } from './wildcards.ts'

/**
 * Whether some path matches both. Costs a few units per pair of alternatives and one per pair of states visited; a unit
 * takes 10 to 100 ns. The result is false if the budget is exhausted.
 */
export function alternativesOverlap(a: Alternative, b: Alternative, budget: Budget): boolean {
  budget.remaining -= 1 + comparisonCost(a.prefix.length)
  if (budget.remaining < 0) return false
  if (a.kind === 'file') return matchesAlternative(b, a.dir, budget)
  if (b.kind === 'file') return matchesAlternative(a, b.dir, budget)
  if (a.kind !== 'pattern' && b.kind !== 'pattern') return isWithin(a.dir, b.dir) || isWithin(b.dir, a.dir)
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return false
  if (!a.suffix.endsWith(b.suffix) && !b.suffix.endsWith(a.suffix)) return false
  const common = (one: Segment | null, other: Segment | null) =>
    one === null || other === null || segmentsOverlap(one, other, budget) ? '' : null
  return meet(partsOf(a), partsOf(b), { common, least: 0, budget }) !== null
}

/**
 * Whether the glob matches the path `src/a.ts` itself. Polynomial in both lengths; costs one unit per alternative and per
 * pair of states visited. The result is false if the budget is exhausted.
 */
export function matchesPath(glob: Glob, path: string, budget: Budget = unbounded()): boolean {
  return alternativesOf(glob, budget).some((alternative) => matchesAlternative(alternative, path, budget))
}

/** More than the cost of a list of 3,000 names of 100 characters, and of 200 ordinary globs. */
const NAME_UNITS_MAX = 1_000_000

/**
 * Whether one of the globs of a settings file matches a name, such as that of a branch. The work is bounded, because whoever
 * installs the App writes such a file: globs after that are ignored.
 */
export function matchesName(globs: readonly string[], name: string): boolean {
  const budget: Budget = { remaining: NAME_UNITS_MAX }
  return globs.some((glob) => budget.remaining > 0 && matchesPath(parseGlob(glob, budget), name, budget))
}

/** `matchesPath` for one alternative. */
function matchesAlternative(alternative: Alternative, path: string, budget: Budget): boolean {
  if (--budget.remaining < 0) return false
  if (!path.startsWith(alternative.prefix) || !path.endsWith(alternative.suffix)) return false
  switch (alternative.kind) {
    case 'file':
      return path.length === alternative.dir.length
    case 'subtree':
      return path !== ''
    case 'plain':
      return path.length === alternative.dir.length || path[alternative.dir.length] === '/'
    case 'pattern': {
      if (!path.includes(alternative.core)) return false
      const isMatch = (segment: Segment, name: string) => matchesSegment(segment, name, budget)
      return matches(partsOf(alternative), path.split('/'), { isMatch, budget })
    }
  }
}

/**
 * A path that matches both, with as few names as possible. They must overlap, see `alternativesOverlap`. Null if the budget is
 * exhausted.
 */
export function sharedPath(a: Alternative, b: Alternative, budget: Budget): string | null {
  if (a.kind === 'file') return a.dir
  if (b.kind === 'file') return b.dir
  if (a.kind === 'pattern' || b.kind === 'pattern') {
    const common = (one: Segment | null, other: Segment | null) =>
      commonName(one ?? ANY_NAME, other ?? ANY_NAME, budget)
    return meet(partsOf(a), partsOf(b), { common, least: 0, budget })?.join('/') ?? null
  }
  const deeper = a.dir.length < b.dir.length ? b.dir : a.dir
  const isExcluded = [a, b].some(({ kind, dir }) => kind === 'subtree' && dir === deeper)
  if (!isExcluded) return deeper
  return deeper === '' ? 'x' : `${deeper}/x`
}

function isWithin(path: string, dir: string): boolean {
  return dir === '' || (path.startsWith(dir) && (path.length === dir.length || path[dir.length] === '/'))
}
