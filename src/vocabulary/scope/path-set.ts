/** The globs of one scope, indexed so that comparing it with many other scopes is cheap. */
import type { Deadline, Steps } from '../clock.ts'
import { firstIndex } from '../lists.ts'
import { type Alternative, alternativesOverlap, mayOverlap, sharedPath } from './alternative.ts'
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

export function pathSet(globs: readonly Glob[]): PathSet {
  const entries = new Map<string, Entry[]>()
  for (const [index, glob] of globs.entries()) {
    for (const alternative of alternativesOf(glob)) {
      const existing = entries.get(alternative.dir)
      if (existing === undefined) entries.set(alternative.dir, [{ alternative, glob: index }])
      else existing.push({ alternative, glob: index })
    }
  }
  return { globs, entries, dirs: [...entries.keys()].sort() }
}

/** Whether a path takes no part in comparisons. `is_file`: nothing lies beneath it. */
export type Exclusion = (path: string, is_file: boolean) => boolean

const NOTHING: Exclusion = () => false

export interface PairOptions {
  deadline: Pick<Deadline, 'isOver'>
  /** Plain globs of `theirs` are skipped if their path is excluded. */
  ignore?: Exclusion
}

/**
 * Pairs of globs that share a path, each pair once: in the order of `theirs`, then from the root down. `undefined` marks a step
 * without a result, after which the caller may pause. If the deadline is over afterwards, pairs may be missing. `ignore` is
 * called only for globs that overlap.
 */
export function* pairsOf(
  yours: PathSet,
  theirs: readonly Glob[],
  { deadline, ignore = NOTHING }: PairOptions,
): Generator<GlobPair | undefined> {
  for (const glob of theirs)
    for (const found of overlapsOf(yours, glob, deadline)) {
      if (found && isIgnored(glob, ignore)) break
      yield found && {
        yours: found.source,
        theirs: glob.source,
        example: sharedPath(found.mine, found.other),
      }
    }
}

/** The next pairs, at most `max`. */
export function* takePairs(pairs: Iterator<GlobPair | undefined>, max: number): Steps<GlobPair[]> {
  const taken: GlobPair[] = []
  while (taken.length < max) {
    const next = pairs.next()
    if (next.done) break
    if (next.value) taken.push(next.value)
    else yield
  }
  return taken
}

/** Whether `pairsOf` yields any pair. Computes no example. */
export function* overlapsAny(
  yours: PathSet,
  theirs: readonly Glob[],
  { deadline, ignore = NOTHING }: PairOptions,
): Steps<boolean> {
  for (const glob of theirs)
    for (const found of overlapsOf(yours, glob, deadline)) {
      if (found && !isIgnored(glob, ignore)) return true
      if (found) break
      yield
    }
  return false
}

interface OverlappingPair {
  mine: Alternative
  other: Alternative
  /** The source of the glob of `mine`. */
  source: string
}

/** The overlaps of a glob with the globs of a set, one per glob of the set, and a step after each alternative, and each pattern that overlaps with none. */
function* overlapsOf(
  set: PathSet,
  glob: Glob,
  deadline: PairOptions['deadline'],
): Generator<OverlappingPair | undefined> {
  const found = new Set<number>()
  for (const other of deadline.isOver ? [] : alternativesOf(glob)) {
    for (const dir of dirsAround(set.dirs, other.dir))
      for (const { alternative: mine, glob: index } of set.entries.get(dir) ?? []) {
        if (found.has(index) || !mayOverlap(mine, other)) continue
        if (alternativesOverlap(mine, other, deadline)) {
          found.add(index)
          yield { mine, other, source: (set.globs[index] as Glob).source }
        } else if (mine.kind === 'pattern' || other.kind === 'pattern') yield
      }
    if (deadline.isOver) return
    yield
  }
}

/** The directories from the root down to `dir` itself, then those of the sorted `dirs` that are beneath it. */
export function* dirsAround(dirs: readonly string[], dir: string): Generator<string> {
  yield ''
  if (dir !== '') {
    for (let slash = dir.indexOf('/'); slash !== -1; slash = dir.indexOf('/', slash + 1))
      yield dir.slice(0, slash)
    yield dir
  }
  yield* dirsBeneath(dirs, dir)
}

export function dirsBeneath(dirs: readonly string[], dir: string): string[] {
  if (dir === '') return dirs.filter((each) => each !== '')
  const from = firstIndex(dirs, (each) => each >= `${dir}/`)
  // '0' follows '/', so every text that begins with the directory and a slash is before it.
  return dirs.slice(
    from,
    firstIndex(dirs, (each) => each >= `${dir}0`),
  )
}

/** Whether the glob is plain and its path excluded. */
export function isIgnored(glob: Glob, ignore: Exclusion): boolean {
  const only = glob.is_plain ? alternativesOf(glob)[0] : undefined
  return only !== undefined && ignore(only.dir, only.kind === 'file')
}
