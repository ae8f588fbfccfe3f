/** All pairs of live activities that share something: each activity is compared with those added before it, the newest first. */
import type { Budget } from '../vocabulary/budget.ts'
import { SHARED_PATHS_MAX } from '../vocabulary/contract/overlap-list.ts'
import { labelKey } from '../vocabulary/contract/scope.ts'
import type { Glob } from '../vocabulary/scope/glob.ts'
import { type Exclusion, isIgnored, pathSet } from '../vocabulary/scope/path-set.ts'
import { higher, overlapSeverity, Ranking, type Severity } from '../vocabulary/severity.ts'
import type { LiveSet } from './live-set.ts'
import { add, bySeverityAndAge, changes, type Entry, type Pair, type SharedPath } from './pair.ts'
import { globOf, PathIndex } from './path-index.ts'
import { areaPlace, ISSUE_MARK, type LiveRecord } from './record.ts'
import type { Stacks } from './stacks.ts'

/** A path of an activity that was added. */
interface Known {
  entry: Entry
  /** The positions of the activities that declare it, and of those that change the file. */
  declaring: number[]
  changing: number[]
  /** Those that share a path with it, itself included. Null until they are needed. */
  overlaps: Known[] | null
}

/** The pairs of one activity, by the position of the newer one. Null for those that are left out. */
type Found = Map<number, Pair | null>

/** The maximum number of pairs that are kept; the others are counted. */
const PAIRS_MAX = 5_000
/** Cost units of visiting an activity with a common path or place, and of creating a pair. */
const VISIT_COST = 2
const PAIR_COST = 10

interface PairsOptions {
  stacks: Stacks<LiveRecord>
  ignore: Exclusion
  /** The globs of each area, by `labelKey`. */
  areas: ReadonlyMap<string, readonly Glob[]>
  budget: Budget
}

export class Pairs {
  readonly #set: LiveSet
  readonly #options: PairsOptions
  readonly #records: LiveRecord[] = []
  /** The number of pairs of each activity, including those that are not kept. */
  readonly #counts: number[] = []
  /** By id, because a change of an activity replaces its record. */
  readonly #positions = new Map<string, number>()
  /** The globs that the settings give the areas of the activities. */
  readonly #ofAreas = new PathIndex<LiveRecord>()
  readonly #areaPaths = new Map<LiveRecord, Entry[]>()
  readonly #known = new Map<Entry, Known>()
  /** The names of the files that both activities of a pair change. */
  readonly names = new Set<string>()
  readonly #ranking = new Ranking<Pair>(PAIRS_MAX, bySeverityAndAge)

  /** `live`: the activities that may be added. */
  constructor(set: LiveSet, live: readonly LiveRecord[], options: PairsOptions) {
    this.#set = set
    this.#options = options
    for (const record of live) {
      const globs = record.areas.flatMap((label) => options.areas.get(labelKey(label)) ?? [])
      if (globs.length === 0) continue
      const entries = [...new Set(globs)].map(({ source }) => this.#ofAreas.addGlob(source, record))
      this.#areaPaths.set(record, entries)
    }
  }

  /** The number of pairs so far. */
  get total(): number {
    return this.#ranking.total
  }

  /** The pairs, at most `PAIRS_MAX`: the most severe first, then those of the newest activities. */
  top(): Pair[] {
    return this.#ranking.top()
  }

  /** The positions of the activities with a pair that is not in `pairs`. */
  leftOut(pairs: readonly Pair[]): Set<number> {
    const left = [...this.#counts]
    for (const { newer, older } of pairs)
      for (const position of [newer, older]) left[position] = (left[position] as number) - 1
    return new Set([...left.keys()].filter((position) => (left[position] as number) > 0))
  }

  /** Compares an activity with all added before. Pauses between steps. False if the budget was exhausted before the last one. */
  *add(record: LiveRecord): Generator<undefined, boolean> {
    const { budget } = this.#options
    const older = this.#records.push(record) - 1
    this.#counts.push(0)
    const found: Found = new Map()
    const own = [...record.paths, ...(this.#areaPaths.get(record) ?? [])].map((entry) => this.#at(entry))
    for (const known of own) {
      const isChanged = changes(record, known.entry)
      for (const other of yield* this.#overlapsOf(known)) {
        const shared = { newer: other.entry, older: known.entry }
        const declare = (pair: Pair | null) => {
          const isRoom = pair !== null && pair.shared.length < SHARED_PATHS_MAX
          if (isRoom && !this.#isByLines(pair, shared)) add(pair.shared, shared)
        }
        for (const newer of other.declaring) declare(this.#pairWith(found, newer, older))
        for (const newer of other.changing) {
          const pair = this.#pairWith(found, newer, older)
          if (!isChanged) declare(pair)
          else if (pair) {
            this.names.add(known.entry.source)
            add(pair.files, shared)
          }
        }
        yield
      }
      if (budget.remaining < 0) break
    }
    if (budget.remaining >= 0) yield* this.#addPlaces(found, older)
    // The severity of a pair depends on whether it shares a path, which is known only now.
    for (const pair of found.values()) {
      if (pair === null) continue
      pair.severity = this.#severityOf(pair)
      this.#ranking.add(pair)
      for (const position of [pair.newer, older])
        this.#counts[position] = (this.#counts[position] as number) + 1
    }
    this.#positions.set(record.id, older)
    for (const { entry, declaring, changing } of own)
      (changes(record, entry) ? changing : declaring).push(older)
    return budget.remaining >= 0
  }

  /** Whether one of the two paths names a file that both change, so that its lines are compared. */
  #isByLines({ by_lines, newer, older }: Pair, shared: SharedPath): boolean {
    if (!by_lines) return false
    const isChangedBy = (position: number, file: Entry) => {
      this.#options.budget.remaining -= VISIT_COST
      const record = this.#records[position] as LiveRecord
      return record.paths.indexOf(file) >= record.literal
    }
    return [shared.newer, shared.older].some(({ source }) => {
      const file = this.#set.paths.fileNamed(source)
      return file !== undefined && isChangedBy(newer, file) && isChangedBy(older, file)
    })
  }

  #at(entry: Entry): Known {
    let known = this.#known.get(entry)
    if (known === undefined) {
      known = { entry, declaring: [], changing: [], overlaps: null }
      this.#known.set(entry, known)
    }
    return known
  }

  /** If the budget is exhausted, some are missing. */
  *#overlapsOf(known: Known): Generator<undefined, readonly Known[]> {
    if (known.overlaps) return known.overlaps
    const { budget, ignore } = this.#options
    known.overlaps = []
    const glob = globOf(known.entry, budget)
    if (isIgnored(glob, ignore, budget)) return known.overlaps
    const paths = pathSet([glob], budget)
    for (const index of [this.#set.paths, this.#ofAreas]) {
      for (const other of index.near(paths, { budget, ignore })) {
        if (other) known.overlaps.push(this.#at(other))
        else yield
      }
    }
    return known.overlaps
  }

  /** By areas, and by what both take. */
  *#addPlaces(found: Found, older: number): Generator<undefined, void> {
    const { areas, taken } = this.#records[older] as LiveRecord
    const places = new Map<string, string | null>([
      ...areas.map((area) => [areaPlace(area), area] as const),
      ...taken.map((place) => [place, null] as const),
    ])
    for (const [place, area] of places) {
      for (const owner of this.#set.at(place)) {
        const newer = this.#positions.get(owner.id)
        const pair = newer === undefined ? null : this.#pairWith(found, newer, older)
        if (pair && area !== null) pair.areas.push(area)
        if (pair && place.startsWith(ISSUE_MARK)) pair.on_one_issue = true
        yield
      }
    }
  }

  /** Null if both are of one branch or stack or have different bases, and if the budget is exhausted. */
  #pairWith(found: Found, newer: number, older: number): Pair | null {
    const { budget, stacks } = this.#options
    budget.remaining -= VISIT_COST
    if (budget.remaining < 0) return null
    const there = found.get(newer)
    if (there !== undefined) return there
    const [one, two] = [this.#records[newer], this.#records[older]] as [LiveRecord, LiveRecord]
    const isLeftOut = stacks.areApart(one, two)
    if (!isLeftOut) budget.remaining -= PAIR_COST
    if (budget.remaining < 0) return null
    const by_lines = one.has_files && two.has_files
    const pair: Pair | null = isLeftOut
      ? null
      : { newer, older, severity: 'low', areas: [], shared: [], files: [], by_lines, on_one_issue: false }
    found.set(newer, pair)
    return pair
  }

  #severityOf({ newer, older, shared, files, on_one_issue }: Pair): Severity {
    if (on_one_issue) return 'high'
    const by = shared.length + files.length > 0 ? 'path' : 'area'
    const [one, other] = [newer, older].map((position) =>
      overlapSeverity(by, (this.#records[position] as LiveRecord).weight),
    ) as [Severity, Severity]
    return higher(one, other)
  }
}
