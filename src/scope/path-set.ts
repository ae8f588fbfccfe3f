/** The globs of one scope, indexed so that comparing it with many other scopes is cheap (contract §6). */

import { type Budget, comparisonCost } from '../base/budget.ts'
import type { Alternative } from './alternative.ts'
import { alternativesOf, type Glob } from './glob.ts'
import { alternativesOverlap, matchesPath, sharedPath } from './intersect.ts'

/** A glob of each side, as written, and a path that both match. */
export interface PathPair {
  readonly yours: string
  readonly theirs: string
  readonly example: string
}

/** Alternatives by the directory everything they match lies in: two can meet only on one line from the root. */
export interface PathSet {
  readonly globs: readonly Glob[]
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  /** The keys of `entries` in code unit order, so that what lies beneath a directory is one run. */
  readonly dirs: readonly string[]
}

interface Entry {
  readonly alternative: Alternative
  /** Which of the globs it belongs to. */
  readonly glob: number
}

/** What indexing an alternative costs, in units, finding where its directory stands, and looking one above it up. */
const INDEXING = 15
const SEEKING = 20
const LOOKING_UP = 5

/** Indexes the globs of one scope. With `budget.remaining` below 0 afterwards, some are missing. */
export function pathSet(globs: readonly Glob[], budget: Budget): PathSet {
  const entries = new Map<string, Entry[]>()
  for (const [index, glob] of globs.entries()) {
    for (const alternative of alternativesOf(glob, budget)) {
      budget.remaining -= INDEXING
      const there = entries.get(alternative.dir)
      if (there === undefined) entries.set(alternative.dir, [{ alternative, glob: index }])
      else there.push({ alternative, glob: index })
    }
  }
  return { globs, entries, dirs: [...entries.keys()].sort() }
}

export interface PairOptions {
  /** How many pairs are wanted at most. */
  max: number
  budget: Budget
  /** Plain globs of `theirs` whose exact path one of these matches take no part. */
  ignore?: readonly Glob[]
}

/**
 * Pairs of globs that share a path, each pair once, at most `max`: in the order of `theirs`, then from the root down.
 * Spends a few units per glob and per pair it has to look at, and what deciding takes. `budget.remaining` below 0
 * afterwards means that pairs may be missing. Whether a glob is ignored is asked only of one that would make a pair.
 */
export function pairsBetween(yours: PathSet, theirs: readonly Glob[], options: PairOptions): PathPair[] {
  const { max, budget, ignore = [] } = options
  const pairs: PathPair[] = []
  for (const glob of theirs) {
    for (const entry of meeting(yours, glob, budget)) {
      if (pairs.length >= max) return pairs
      if (isIgnored(glob, ignore, budget)) break
      const example = sharedPath(entry.mine, entry.other, budget)
      if (example === null) return pairs
      pairs.push({ yours: entry.source, theirs: glob.source, example })
    }
    if (pairs.length >= max || budget.remaining < 0) return pairs
  }
  return pairs
}

interface Meeting {
  mine: Alternative
  other: Alternative
  /** The glob of `mine`, as written. */
  source: string
}

/** Where a glob meets those of a set, each of them once. */
function* meeting(set: PathSet, glob: Glob, budget: Budget): Generator<Meeting> {
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

/** The entries at `dir`, above it and beneath it: first those from the root down to it, then those beneath. */
function* candidates(set: PathSet, dir: string, budget: Budget): Generator<Entry> {
  budget.remaining -= SEEKING + comparisonCost(dir.length)
  yield* set.entries.get('') ?? []
  if (dir !== '') {
    for (let slash = dir.indexOf('/'); slash !== -1; slash = dir.indexOf('/', slash + 1)) {
      budget.remaining -= LOOKING_UP + comparisonCost(slash)
      yield* set.entries.get(dir.slice(0, slash)) ?? []
    }
    yield* set.entries.get(dir) ?? []
  }
  const beneath = dir === '' ? '' : `${dir}/`
  for (let at = firstAfter(set.dirs, beneath); at < set.dirs.length; at++) {
    const other = set.dirs[at] as string
    if (!other.startsWith(beneath)) return
    yield* set.entries.get(other) ?? []
  }
}

/** Where the first of the sorted `dirs` stands that comes after `text`. */
function firstAfter(dirs: readonly string[], text: string): number {
  let low = 0
  let high = dirs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((dirs[middle] as string) > text) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The globs without the plain ones whose exact path one of `ignore` matches; wildcards are never ignored. With
 * `budget.remaining` below 0 afterwards, some may still be there that should not.
 */
export function withoutIgnored(globs: readonly Glob[], ignore: readonly Glob[], budget: Budget): Glob[] {
  return globs.filter((glob) => !isIgnored(glob, ignore, budget))
}

/** Whether it is a plain glob whose exact path one of `ignore` matches. */
export function isIgnored(glob: Glob, ignore: readonly Glob[], budget: Budget): boolean {
  const path = glob.is_plain ? alternativesOf(glob, budget)[0]?.dir : undefined
  return path !== undefined && ignore.some((each) => matchesPath(each, path, budget))
}
