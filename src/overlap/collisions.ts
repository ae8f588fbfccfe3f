/** All collisions among the activities of a repository, added one by one from the newest (contract §6). */
import type { OutlinedActivity } from '../activities/live-store.ts'
import { activityWeight } from '../claims/weight.ts'
import { labelKey } from '../scope/scope.ts'
import { globsOf, type StoredScope } from './compare.ts'
import { exampleOf, GlobTable, type KnownGlob, type Meeting } from './glob-table.ts'
import { OVERLAPS_MAX, type Overlap, type Severity, SHARED_PATHS_MAX } from './overlap.ts'
import type { Rules } from './rules.ts'
import { byRank, isAtLeast, overlapSeverity, Ranking } from './severity.ts'
import type { Stacks } from './stacks.ts'
import type { Steps, WorkBudget } from './work-budget.ts'

interface Pair {
  /** The positions of the two activities in the order added: the newest is 0. */
  newer: number
  older: number
  /** The higher of the severities of the two sides. */
  severity: Severity
  areas: string[]
  /** Globs of the older one that share a path with a glob of the newer one. */
  shared: { glob: KnownGlob; meeting: Meeting }[]
}

/** By the position of the newer one; null for own and stacked activities. */
type Pairs = Map<number, Pair | null>

/** Cost units of visiting two activities that share a glob or label, and of creating their pair. */
const VISIT = 2
const PAIR = 10

export class Collisions {
  readonly #rules: Rules
  readonly #stacks: Stacks
  readonly #budget: WorkBudget
  readonly #globs: GlobTable
  /** Compared form of a label → positions of the activities that have it. */
  readonly #labels = new Map<string, number[]>()
  readonly #added: OutlinedActivity[] = []
  readonly #ranking = new Ranking<Pair>(OVERLAPS_MAX, bySeverityAndAge)

  constructor({ rules, stacks, budget }: { rules: Rules; stacks: Stacks; budget: WorkBudget }) {
    this.#rules = rules
    this.#stacks = stacks
    this.#budget = budget
    this.#globs = new GlobTable(rules.ignore, budget)
  }

  /** The number of collisions among the activities added so far. */
  get total(): number {
    return this.#ranking.total
  }

  /** Compares an activity with all added before. False if the budget was exhausted before the last one. */
  *add(activity: OutlinedActivity, scope: StoredScope): Steps<boolean> {
    const older = this.#added.push(activity) - 1
    const found: Pairs = new Map()
    const globs = yield* this.#globsOf(scope)
    for (const glob of globs) yield* this.#addByGlob(found, older, glob)
    // The severity of a pair depends on whether it shares a path, which is known only now.
    if (!this.#budget.isExhausted) yield* this.#addByLabels(found, older, scope.areas)
    for (const pair of found.values()) {
      if (pair === null) continue
      pair.severity = this.#severityOf(pair)
      this.#ranking.add(pair)
    }
    for (const { owners } of globs) owners.push(older)
    return !this.#budget.isExhausted
  }

  *#globsOf(scope: StoredScope): Steps<Set<KnownGlob>> {
    const known = new Set<KnownGlob>()
    for (const glob of globsOf(scope, this.#rules, this.#budget)) {
      if (this.#budget.isPauseDue) yield
      if (this.#budget.isExhausted) break
      known.add(yield* this.#globs.find(glob))
    }
    return known
  }

  *#addByGlob(found: Pairs, older: number, glob: KnownGlob): Steps<void> {
    for (const meeting of glob.meetings) {
      for (const newer of meeting.other.owners) {
        if (this.#budget.isPauseDue) yield
        if (this.#budget.isExhausted) return
        const pair = this.#pairOf(found, newer, older)
        if (pair && pair.shared.length < SHARED_PATHS_MAX) pair.shared.push({ glob, meeting })
      }
    }
  }

  *#addByLabels(found: Pairs, older: number, areas: string[]): Steps<void> {
    for (const [key, area] of new Map(areas.map((each) => [labelKey(each), each]))) {
      const owners = this.#labels.get(key) ?? []
      for (const newer of owners) {
        if (this.#budget.isPauseDue) yield
        if (this.#budget.isExhausted) return
        this.#pairOf(found, newer, older)?.areas.push(area)
      }
      owners.push(older)
      this.#labels.set(key, owners)
    }
  }

  /** Null for own and stacked activities, and if the budget is exhausted. */
  #pairOf(found: Pairs, newer: number, older: number): Pair | null {
    this.#budget.remaining -= VISIT
    if (this.#budget.isExhausted) return null
    const there = found.get(newer)
    if (there !== undefined) return there
    const isExpected = this.#stacks.areExpected(this.#activity(newer), this.#activity(older))
    if (!isExpected) this.#budget.remaining -= PAIR
    if (this.#budget.isExhausted) return null
    const pair: Pair | null = isExpected ? null : { newer, older, severity: 'low', areas: [], shared: [] }
    found.set(newer, pair)
    return pair
  }

  #severityOf({ newer, older, shared }: Pair): Severity {
    const by = shared.length > 0 ? 'path' : 'area'
    const one = overlapSeverity(by, activityWeight(this.#activity(newer)))
    const other = overlapSeverity(by, activityWeight(this.#activity(older)))
    return isAtLeast(one, other) ? one : other
  }

  #activity(number: number): OutlinedActivity {
    return this.#added[number] as OutlinedActivity
  }

  /** The most severe collisions first, then those of the newest activities. `is_whole`: no example is missing. */
  *list(): Steps<{ items: Overlap[]; is_whole: boolean }> {
    const items: Overlap[] = []
    for (const each of this.#ranking.top()) {
      if (this.#budget.isPauseDue) yield
      items.push(this.#shown(each))
    }
    return { items, is_whole: !this.#budget.isExhausted }
  }

  #shown({ newer, older, severity, areas, shared }: Pair): Overlap {
    return {
      activity_ids: [this.#activity(older).id, this.#activity(newer).id],
      severity,
      areas,
      paths: shared.flatMap(({ glob, meeting }) => {
        const example = exampleOf(meeting, this.#budget)
        return example === null ? [] : [{ globs: [glob.source, meeting.other.source], example }]
      }),
    }
  }
}

function bySeverityAndAge(a: Pair, b: Pair): number {
  return byRank(a, b) || a.newer - b.newer || a.older - b.older
}
