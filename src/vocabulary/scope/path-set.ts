/** The globs of one scope, indexed so that comparing it with many other scopes is cheap. */
import { type Budget, comparisonCost } from '../budget.ts'
import { firstIndex } from '../lists.ts'
import { type Alternative, alternativesOverlap, sharedPath } from './alternative.ts'
import { alternativesOf, type Glob } from './glob.ts'

/** The source of a glob of each side, and a path that matches both. */
export interface GlobPair {
  readonly yours: string
  readonly theirs: string
  readonly example: string
}

/** Alternatives by `dir`. Two can overlap only if one `dir` equals or contains the other. */
export interface PathSet {
  readonly globs: readonly Glob[]
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  /** The keys of `entries` in code unit order, in which everything beneath a directory is one range. */
  readonly dirs: readonly string[]
}

interface Entry {
  readonly alternative: Alternative
  /** The index of its glob in `globs`. */
  readonly glob: number
}

/** Cost units of indexing an alternative, finding a position in `dirs`, and looking up a parent directory. */
const INSERT_COST = 15
const SEEK_COST = 20
const LOOKUP_COST = 5

/** Indexes the globs of one scope. If the budget is exhausted, some are missing. */
export function pathSet(globs: readonly Glob[], budget: Budget): PathSet {
  const entries = new Map<string, Entry[]>()
  for (const [index, glob] of globs.entries()) {
    for (const alternative of alternativesOf(glob, budget)) {
      budget.remaining -= INSERT_COST
      const existing = entries.get(alternative.dir)
      if (existing === undefined) entries.set(alternative.dir, [{ alternative, glob: index }])
      else existing.push({ alternative, glob: index })
    }
  }
  return { globs, entries, dirs: [...entries.keys()].sort() }
}

/** Whether a path takes no part in comparisons. `is_file`: nothing lies beneath it. */
export type Exclusion = (path: string, is_file: boolean, budget: Budget) => boolean

const NOTHING: Exclusion = () => false

export interface PairOptions {
  budget: Budget
  /** Plain globs of `theirs` are skipped if their path is excluded. */
  ignore?: Exclusion
}

/**
 * Pairs of globs that share a path, each pair once: in the order of `theirs`, then from the root down. Costs a few units per
 * glob and per pair that is compared, and the cost of each comparison. If `budget.remaining` is below 0 afterwards, pairs
 * may be missing. `ignore` is called only for globs that overlap.
 */
export function* pairsOf(
  yours: PathSet,
  theirs: readonly Glob[],
  { budget, ignore = NOTHING }: PairOptions,
): Generator<GlobPair> {
  for (const glob of theirs) {
    for (const entry of overlapsOf(yours, glob, budget)) {
      if (isIgnored(glob, ignore, budget)) break
      const example = sharedPath(entry.mine, entry.other, budget)
      if (example === null) return
      yield { yours: entry.source, theirs: glob.source, example }
    }
    if (budget.remaining < 0) return
  }
}

/** The next pairs, at most `max`. */
export function takePairs(pairs: Iterator<GlobPair>, max: number): GlobPair[] {
  const taken: GlobPair[] = []
  while (taken.length < max) {
    const next = pairs.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

/** Whether `pairsOf` yields any pair. Computes no example. */
export function overlapsAny(
  yours: PathSet,
  theirs: readonly Glob[],
  { budget, ignore = NOTHING }: PairOptions,
): boolean {
  return theirs.some((glob) => {
    const [first] = overlapsOf(yours, glob, budget)
    return first !== undefined && !isIgnored(glob, ignore, budget)
  })
}

interface OverlappingPair {
  mine: Alternative
  other: Alternative
  /** The source of the glob of `mine`. */
  source: string
}

/** The overlaps of a glob with the globs of a set, one per glob of the set. */
function* overlapsOf(set: PathSet, glob: Glob, budget: Budget): Generator<OverlappingPair> {
  const found = new Set<number>()
  for (const other of alternativesOf(glob, budget)) {
    for (const { alternative: mine, glob: index } of candidates(set, other.dir, budget)) {
      if (budget.remaining < 0) return
      if (found.has(index) || !alternativesOverlap(mine, other, budget)) continue
      found.add(index)
      yield { mine, other, source: (set.globs[index] as Glob).source }
    }
  }
}

/** The entries of the directories from the root down to `dir`, then of those beneath it. */
function* candidates(set: PathSet, dir: string, budget: Budget): Generator<Entry> {
  budget.remaining -= SEEK_COST + comparisonCost(dir.length)
  yield* set.entries.get('') ?? []
  if (dir !== '') {
    for (let slash = dir.indexOf('/'); slash !== -1; slash = dir.indexOf('/', slash + 1)) {
      budget.remaining -= LOOKUP_COST + comparisonCost(slash)
      yield* set.entries.get(dir.slice(0, slash)) ?? []
    }
    yield* set.entries.get(dir) ?? []
  }
  const beneath = dir === '' ? '' : `${dir}/`
  for (let at = firstIndex(set.dirs, (other) => other > beneath); at < set.dirs.length; at++) {
    const other = set.dirs[at] as string
    if (!other.startsWith(beneath)) return
    yield* set.entries.get(other) ?? []
  }
}

/**
 * Removes plain globs whose path is excluded. Globs with wildcards are never ignored. If `budget.remaining` is below 0
 * afterwards, the result may contain some ignored globs.
 */
export function withoutIgnored(globs: readonly Glob[], ignore: Exclusion, budget: Budget): Glob[] {
  return globs.filter((glob) => !isIgnored(glob, ignore, budget))
}

/** Whether the glob is plain and its path excluded. */
export function isIgnored(glob: Glob, ignore: Exclusion, budget: Budget): boolean {
  const only = glob.is_plain ? alternativesOf(glob, budget)[0] : undefined
  return only !== undefined && ignore(only.dir, only.kind === 'file', budget)
}
