/** The distinct globs of many activities, and which of them share a path. Each pair of globs is compared once. */
import { type Budget, comparisonCost } from '../../vocabulary/budget.ts'
import type { Alternative } from '../../vocabulary/scope/alternative.ts'
import { alternativesOf, type Glob } from '../../vocabulary/scope/glob.ts'
import { alternativesOverlap, sharedPath } from '../../vocabulary/scope/intersect.ts'
import { type Exclusion, isIgnored } from '../../vocabulary/scope/path-set.ts'
import type { Steps } from '../base/event-loop.ts'
import { addTo } from '../base/lists.ts'
import type { WorkBudget } from './work-budget.ts'

/** An entry of the table: one distinct glob. */
export interface KnownGlob {
  readonly source: string
  /** One for each glob that shares a path with it, itself included; none if the settings ignore it. */
  readonly overlaps: GlobOverlap[]
  /** The positions of the activities that declared it, and of those that change the file. */
  readonly owners: number[]
  readonly changers: number[]
  /** The number of the newest glob whose overlap with it was added. It prevents that a pair is added twice. */
  last_overlap: number
}

export interface GlobOverlap {
  readonly other: KnownGlob
  /** One alternative of each glob. The two share a path. */
  readonly alternatives: readonly [Alternative, Alternative]
  /** The shared path, once computed. */
  example?: string
}

interface Entry {
  known: KnownGlob
  alternative: Alternative
}

/** Cost units of finding a known glob, indexing an alternative, indexing it in a parent directory, and adding an overlap. */
const FINDING = 5
const INDEXING = 15
const DIRECTORY = 10
const OVERLAP = 40

export class GlobTable {
  readonly #ignore: Exclusion
  readonly #budget: WorkBudget
  /** By source. File names have their own map, because a glob with the same text also matches everything beneath it. */
  readonly #files = new Map<string, KnownGlob>()
  readonly #globs = new Map<string, KnownGlob>()
  /** Alternatives by the directory that contains every match. */
  readonly #at = new Map<string, Entry[]>()
  /** The same alternatives by each parent of that directory. */
  readonly #beneath = new Map<string, Entry[]>()
  /** The number of globs so far. */
  #count = 0

  /** `ignore`: a plain glob whose path it excludes gets no overlaps. */
  constructor(ignore: Exclusion, budget: WorkBudget) {
    this.#ignore = ignore
    this.#budget = budget
  }

  /** The entry of a glob, added if it is new. If the budget is exhausted, overlaps may be missing. */
  *find(glob: Glob): Steps<KnownGlob> {
    const { source, alternatives } = glob
    const all = alternatives?.[0]?.kind === 'file' ? this.#files : this.#globs
    this.#budget.remaining -= FINDING + comparisonCost(source.length)
    let known = all.get(source)
    if (known === undefined) {
      known = { source, overlaps: [], owners: [], changers: [], last_overlap: 0 }
      all.set(source, known)
      yield* this.#learn(known, glob)
    }
    return known
  }

  /** The names of files that several activities change and that are not ignored. */
  *sharedFiles(): Generator<string> {
    for (const { source, overlaps, changers } of this.#files.values())
      if (changers.length > 1 && overlaps.length > 0) yield source
  }

  *#learn(known: KnownGlob, glob: Glob): Steps<void> {
    if (isIgnored(glob, this.#ignore, this.#budget)) return
    const alternatives = alternativesOf(glob, this.#budget)
    const [first] = alternatives
    // Every glob matches some path, so it overlaps with itself.
    if (first) known.overlaps.push({ other: known, alternatives: [first, first] })
    known.last_overlap = ++this.#count
    for (const alternative of alternatives) {
      const above = this.#above(alternative.dir)
      yield* this.#findOverlaps(known, alternative, above)
      if (this.#budget.isExhausted) return
      this.#budget.remaining -= INDEXING
      const entry = { known, alternative }
      addTo(this.#at, alternative.dir, entry)
      for (const dir of above) addTo(this.#beneath, dir, entry)
    }
  }

  /** Adds the overlaps of an alternative. Two alternatives can share a path only if one directory is or contains the other. */
  *#findOverlaps(known: KnownGlob, mine: Alternative, above: readonly string[]): Steps<void> {
    const places = above.map((dir) => this.#at.get(dir))
    places.push(this.#at.get(mine.dir))
    // No path is beneath a file.
    if (mine.kind !== 'file') places.push(this.#beneath.get(mine.dir))
    for (const entries of places) {
      if (entries === undefined) continue
      for (let at = 0; at < entries.length; at++) {
        if (this.#budget.isPauseDue) yield
        if (this.#budget.isExhausted) return
        this.#addOverlap(known, mine, entries[at] as Entry)
      }
    }
  }

  #addOverlap(known: KnownGlob, mine: Alternative, { known: other, alternative }: Entry): void {
    // Other alternatives of both may overlap too, and the pair is added once.
    if (other.last_overlap === this.#count || !alternativesOverlap(mine, alternative, this.#budget)) return
    other.last_overlap = this.#count
    this.#budget.remaining -= OVERLAP
    known.overlaps.push({ other, alternatives: [mine, alternative] })
    other.overlaps.push({ other: known, alternatives: [alternative, mine] })
  }

  /** The directories above this one, the root first. */
  #above(dir: string): string[] {
    const above = dir === '' ? [] : ['']
    for (let slash = dir.indexOf('/'); slash !== -1; slash = dir.indexOf('/', slash + 1)) {
      this.#budget.remaining -= DIRECTORY + comparisonCost(slash)
      above.push(dir.slice(0, slash))
    }
    return above
  }
}

/** A path that two globs share; null if the budget is exhausted. */
export function exampleOf(overlap: GlobOverlap, budget: Budget): string | null {
  const example = overlap.example ?? sharedPath(...overlap.alternatives, budget)
  if (example !== null) overlap.example = example
  return example
}
