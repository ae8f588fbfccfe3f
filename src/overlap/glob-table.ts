/** The globs of many activities, each once, with all that share a path with it: a pair of globs is decided once (contract §6). */

import { type Budget, comparisonCost } from '../base/budget.ts'
import type { Alternative } from '../scope/alternative.ts'
import { alternativesOf, type Glob } from '../scope/glob.ts'
import { alternativesOverlap, sharedPath } from '../scope/intersect.ts'
import { isIgnored } from '../scope/path-set.ts'
import type { Steps, WorkBudget } from './work-budget.ts'

export interface KnownGlob {
  readonly source: string
  /** With every glob that shares a path with it, itself included; none where the settings ignore it. */
  readonly meetings: Meeting[]
  /** The activities that have it, by number. */
  readonly owners: number[]
}

export interface Meeting {
  readonly other: KnownGlob
  /** One of each that share a path. */
  readonly alternatives: readonly [Alternative, Alternative]
  /** The path, once it was worked out. */
  example?: string
}

interface Entry {
  known: KnownGlob
  alternative: Alternative
}

/** In units: finding a glob again, indexing an alternative, doing so for each directory above it, and noting a meeting. */
const FINDING = 5
const INDEXING = 15
const DIRECTORY = 10
const MEETING = 40

export class GlobTable {
  readonly #ignore: readonly Glob[]
  readonly #budget: WorkBudget
  /** By their text: names of files, and globs. Of two that are written alike, a glob covers what lies beneath it too. */
  readonly #files = new Map<string, KnownGlob>()
  readonly #globs = new Map<string, KnownGlob>()
  /** Alternatives by the directory that all they match lies in. */
  readonly #at = new Map<string, Entry[]>()
  /** And by each directory above that one. */
  readonly #beneath = new Map<string, Entry[]>()

  /** `ignore`: plain globs whose exact path one of these matches meet nothing. */
  constructor(ignore: readonly Glob[], budget: WorkBudget) {
    this.#ignore = ignore
    this.#budget = budget
  }

  /** With the budget exhausted afterwards, some of what it meets may be missing. */
  *find(glob: Glob): Steps<KnownGlob> {
    const { source, alternatives } = glob
    const all = alternatives?.[0]?.kind === 'file' ? this.#files : this.#globs
    this.#budget.remaining -= FINDING + comparisonCost(source.length)
    let known = all.get(source)
    if (known === undefined) {
      known = { source, meetings: [], owners: [] }
      all.set(source, known)
      yield* this.#learn(known, glob)
    }
    return known
  }

  *#learn(known: KnownGlob, glob: Glob): Steps<void> {
    if (isIgnored(glob, this.#ignore, this.#budget)) return
    const alternatives = alternativesOf(glob, this.#budget)
    const [first] = alternatives
    // Every glob matches some path.
    if (first) known.meetings.push({ other: known, alternatives: [first, first] })
    const met = new Set([known])
    for (const alternative of alternatives) {
      const above = this.#above(alternative.dir)
      yield* this.#meet(known, alternative, { met, above })
      if (this.#budget.isExhausted) return
      this.#budget.remaining -= INDEXING
      const entry = { known, alternative }
      add(this.#at, alternative.dir, entry)
      for (const dir of above) add(this.#beneath, dir, entry)
    }
  }

  /** Notes what an alternative of a glob meets. Two alternatives can meet only on one line from the root. */
  *#meet(
    known: KnownGlob,
    mine: Alternative,
    { met, above }: { met: Set<KnownGlob>; above: string[] },
  ): Steps<void> {
    const places = [...above, mine.dir].map((dir) => this.#at.get(dir))
    // Nothing lies beneath a file.
    if (mine.kind !== 'file') places.push(this.#beneath.get(mine.dir))
    for (const entries of places) {
      if (entries === undefined) continue
      for (const { known: other, alternative } of entries) {
        if (this.#budget.isPauseDue) yield
        if (this.#budget.isExhausted) return
        if (met.has(other) || !alternativesOverlap(mine, alternative, this.#budget)) continue
        this.#budget.remaining -= MEETING
        met.add(other)
        known.meetings.push({ other, alternatives: [mine, alternative] })
        other.meetings.push({ other: known, alternatives: [alternative, mine] })
      }
    }
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

/** A path that two globs share; null when the budget ran out. */
export function exampleOf(meeting: Meeting, budget: Budget): string | null {
  const example = meeting.example ?? sharedPath(...meeting.alternatives, budget)
  if (example !== null) meeting.example = example
  return example
}

function add(entries: Map<string, Entry[]>, dir: string, entry: Entry): void {
  const there = entries.get(dir)
  if (there) there.push(entry)
  else entries.set(dir, [entry])
}
