/** The globs of many activities, each once, with all that share a path with it: a pair of globs is decided once (contract §6). */
import type { Alternative } from '../scope/alternative.ts'
import { type Budget, comparing } from '../scope/frontier.ts'
import { alternativesOf, type Glob } from '../scope/glob.ts'
import { alternativesMeet, sharedPath } from '../scope/intersect.ts'
import { withoutIgnored } from '../scope/path-set.ts'
import type { WorkBudget } from './work-budget.ts'

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
  readonly #known = new Map<string, KnownGlob>()
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
  async find(glob: Glob): Promise<KnownGlob> {
    const key = isFile(glob) ? `file ${glob.source}` : `glob ${glob.source}`
    this.#budget.remaining -= FINDING + comparing(key.length)
    return this.#known.get(key) ?? this.#learn(key, glob)
  }

  async #learn(key: string, glob: Glob): Promise<KnownGlob> {
    const known: KnownGlob = { source: glob.source, meetings: [], owners: [] }
    this.#known.set(key, known)
    if (withoutIgnored([glob], this.#ignore, this.#budget).length === 0) return known
    const alternatives = alternativesOf(glob, this.#budget)
    for (const alternative of alternatives) this.#index({ known, alternative })
    const met = new Set<KnownGlob>()
    for (const mine of alternatives) {
      for (const { known: other, alternative } of this.#candidates(mine)) {
        if (this.#budget.isPauseDue) await this.#budget.pause()
        if (this.#budget.isExhausted) return known
        if (met.has(other) || !alternativesMeet(mine, alternative, this.#budget)) continue
        this.#budget.remaining -= MEETING
        met.add(other)
        known.meetings.push({ other, alternatives: [mine, alternative] })
        if (other !== known) other.meetings.push({ other: known, alternatives: [alternative, mine] })
      }
    }
    return known
  }

  #index(entry: Entry): void {
    const { dir } = entry.alternative
    this.#budget.remaining -= INDEXING
    add(this.#at, dir, entry)
    for (const above of this.#above(dir)) add(this.#beneath, above, entry)
  }

  /** What may meet an alternative: two can only on one line from the root. */
  *#candidates({ dir, kind }: Alternative): Generator<Entry> {
    for (const above of this.#above(dir)) yield* this.#at.get(above) ?? []
    yield* this.#at.get(dir) ?? []
    // Nothing lies beneath a file.
    if (kind !== 'file') yield* this.#beneath.get(dir) ?? []
  }

  /** The directories above this one, the root first. */
  *#above(dir: string): Generator<string> {
    if (dir !== '') yield ''
    for (let slash = dir.indexOf('/'); slash !== -1; slash = dir.indexOf('/', slash + 1)) {
      this.#budget.remaining -= DIRECTORY + comparing(slash)
      yield dir.slice(0, slash)
    }
  }
}

/** Of a file and of a declared path that is written alike, the second covers what lies beneath it too. */
function isFile(glob: Glob): boolean {
  return glob.alternatives?.[0]?.kind === 'file'
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
