/** All collisions among the activities of a repository, added one by one from the newest. */

import { areaPlace, ISSUE_MARK, type StoredScope } from '../../engine/place.ts'
import type { LiveRecord } from '../../engine/record.ts'
import type { Stacks } from '../../engine/stacks.ts'
import { SHARED_PATHS_MAX } from '../../vocabulary/contract/overlap-list.ts'
import { fileGlob, type Glob } from '../../vocabulary/scope/glob.ts'
import { byRank, higher, overlapSeverity, Ranking, type Severity } from '../../vocabulary/severity.ts'
import type { Steps } from '../base/event-loop.ts'
import { addTo } from '../base/lists.ts'
import { declaredGlobsOf } from './compare.ts'
import { type GlobOverlap, GlobTable, type KnownGlob } from './glob-table.ts'
import type { Rules } from './rules.ts'
import type { Side } from './side.ts'
import type { WorkBudget } from './work-budget.ts'

/** An activity that is compared, without its scope. */
export type Participant = Pick<LiveRecord, 'id' | 'branch' | 'base_branch' | 'weight'> & Omit<Side, 'files'>

/** Two activities that collide by their scopes. */
export interface CollidingPair {
  /** The positions of the two activities in the order added: the newest is 0. */
  newer: number
  older: number
  /** The severity by path. The two sides can differ in it; this is the higher one. */
  severity: Severity
  areas: string[]
  /** Globs of the older one that share a path with a glob of the newer one, other than files that both change. */
  shared: SharedGlob[]
  /** Files that both change. */
  files: SharedGlob[]
  /** Both have changed files, so the pair can be compared by lines. */
  by_lines: boolean
  /** Both are on one issue. */
  on_one_issue: boolean
}

/** A glob of the older activity, and how it overlaps with one of the newer activity. */
export interface SharedGlob {
  glob: KnownGlob
  overlap: GlobOverlap
}

interface Added {
  activity: Participant
  has_files: boolean
  /** The number of its collisions, including those that are not kept. */
  collisions: number
}

/** The pairs of one activity, by the position of the newer one. Null for own and stacked activities and those with another base branch. */
type Pairs = Map<number, CollidingPair | null>

/** The maximum number of collisions that are kept to be compared by lines; the others are counted. */
const PAIRS_MAX = 5_000
/** Cost units of visiting two activities that share a glob or label, and of creating their pair. */
const VISIT = 2
const PAIR = 10

export class Collisions {
  readonly #rules: Rules
  readonly #stacks: Stacks<LiveRecord>
  readonly #budget: WorkBudget
  readonly #globs: GlobTable
  /** The positions of the activities with a label, or that take or move something, by its place. */
  readonly #labels = new Map<string, number[]>()
  readonly #added: Added[] = []
  readonly #ranking = new Ranking<CollidingPair>(PAIRS_MAX, bySeverityAndAge)

  constructor({ rules, stacks, budget }: { rules: Rules; stacks: Stacks<LiveRecord>; budget: WorkBudget }) {
    this.#rules = rules
    this.#stacks = stacks
    this.#budget = budget
    this.#globs = new GlobTable(rules.ignore, budget)
  }

  /** The number of collisions among the activities added so far. */
  get total(): number {
    return this.#ranking.total
  }

  /** The collisions, at most `PAIRS_MAX`: the most severe first, then those of the newest activities. */
  pairs(): CollidingPair[] {
    return this.#ranking.top()
  }

  /** The positions of the activities with a collision that is not in `pairs`. */
  leftOut(pairs: readonly CollidingPair[]): Set<number> {
    const kept = new Map<number, number>()
    for (const { newer, older } of pairs)
      for (const position of [newer, older]) kept.set(position, (kept.get(position) ?? 0) + 1)
    const positions = [...this.#added.keys()]
    return new Set(positions.filter((each) => this.#at(each).collisions > (kept.get(each) ?? 0)))
  }

  /** The names of files that several activities change and that the settings do not ignore. */
  sharedFiles(): Set<string> {
    return new Set(this.#globs.sharedFiles())
  }

  /** Compares an activity with all added before. False if the budget was exhausted before the last one. */
  *add(activity: Participant, scope: StoredScope): Steps<boolean> {
    const older = this.#added.push({ activity, has_files: scope.files.length > 0, collisions: 0 }) - 1
    const found: Pairs = new Map()
    const declared = yield* this.#known(declaredGlobsOf(scope, this.#rules, this.#budget))
    const changed = yield* this.#known(scope.files.map(fileGlob))
    for (const glob of declared) yield* this.#addByGlob(found, older, { glob, is_changed: false })
    for (const glob of changed) yield* this.#addByGlob(found, older, { glob, is_changed: true })
    if (!this.#budget.isExhausted) yield* this.#addByLabels(found, older, scope)
    // The severity of a pair depends on whether it shares a path, which is known only now.
    for (const pair of found.values()) {
      if (pair === null) continue
      pair.severity = this.#severityOf(pair)
      this.#ranking.add(pair)
      for (const position of [pair.newer, pair.older]) this.#at(position).collisions += 1
    }
    for (const { owners } of declared) owners.push(older)
    for (const { changers } of changed) changers.push(older)
    return !this.#budget.isExhausted
  }

  *#known(globs: Glob[]): Steps<Set<KnownGlob>> {
    const known = new Set<KnownGlob>()
    for (const glob of globs) {
      if (this.#budget.isPauseDue) yield
      if (this.#budget.isExhausted) break
      known.add(yield* this.#globs.find(glob))
    }
    return known
  }

  *#addByGlob(
    found: Pairs,
    older: number,
    { glob, is_changed }: { glob: KnownGlob; is_changed: boolean },
  ): Steps<void> {
    for (const overlap of glob.overlaps) {
      if (this.#budget.isPauseDue) yield
      if (this.#budget.isExhausted) return
      const shared = { glob, overlap }
      for (const newer of overlap.other.owners) addShared(this.#pairOf(found, newer, older)?.shared, shared)
      for (const newer of overlap.other.changers) {
        const pair = this.#pairOf(found, newer, older)
        addShared(is_changed ? pair?.files : pair?.shared, shared)
      }
    }
  }

  /** By labels, and by what both take. */
  *#addByLabels(found: Pairs, older: number, { areas, taken }: StoredScope): Steps<void> {
    const keys = new Map([
      ...areas.map((area) => [areaPlace(area), area] as const),
      ...taken.map((place) => [place, null] as const),
    ])
    for (const [key, area] of keys) {
      for (const newer of this.#labels.get(key) ?? []) {
        if (this.#budget.isPauseDue) yield
        if (this.#budget.isExhausted) return
        const pair = this.#pairOf(found, newer, older)
        if (area !== null) pair?.areas.push(area)
        if (pair && key.startsWith(ISSUE_MARK)) pair.on_one_issue = true
      }
      addTo(this.#labels, key, older)
    }
  }

  /** Null for own and stacked activities and those with another base branch, and if the budget is exhausted. */
  #pairOf(found: Pairs, newer: number, older: number): CollidingPair | null {
    this.#budget.remaining -= VISIT
    if (this.#budget.isExhausted) return null
    const there = found.get(newer)
    if (there !== undefined) return there
    const [one, other] = [this.#at(newer), this.#at(older)]
    const isLeftOut = this.#stacks.areApart(one.activity, other.activity)
    if (!isLeftOut) this.#budget.remaining -= PAIR
    if (this.#budget.isExhausted) return null
    const by_lines = one.has_files && other.has_files
    const pair: CollidingPair | null = isLeftOut
      ? null
      : { newer, older, severity: 'low', areas: [], shared: [], files: [], by_lines, on_one_issue: false }
    found.set(newer, pair)
    return pair
  }

  #severityOf({ newer, older, shared, files, on_one_issue }: CollidingPair): Severity {
    if (on_one_issue) return 'high'
    const by = shared.length + files.length > 0 ? 'path' : 'area'
    const [one, other] = [newer, older].map((each) =>
      overlapSeverity(by, this.#at(each).activity.weight),
    ) as [Severity, Severity]
    return higher(one, other)
  }

  #at(position: number): Added {
    return this.#added[position] as Added
  }
}

function addShared(list: SharedGlob[] | undefined, shared: SharedGlob): void {
  if (list && list.length < SHARED_PATHS_MAX) list.push(shared)
}

/** The most severe first, then those of the newest activities. */
export function bySeverityAndAge(
  a: Pick<CollidingPair, 'severity' | 'newer' | 'older'>,
  b: Pick<CollidingPair, 'severity' | 'newer' | 'older'>,
): number {
  return byRank(a, b) || a.newer - b.newer || a.older - b.older
}
