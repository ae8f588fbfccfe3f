/** Finds own and stacked activities by the rules of a check, in memory (docs/contract/overlap.md#stacks). Pure. */
import type { Budget } from '../../vocabulary/budget.ts'
import type { BranchLink } from '../stacks/table.ts'

interface Branches {
  branch: string | null
  base_branch: string | null
}

interface Names {
  has(name: string): boolean
}

/** Cost units of following one branch. */
const STEP = 5

/** Holds the branches of all live activities and the links of branches, because a stack may lead through any of them. */
export class Stacks {
  /** Branch → the base branches of its activities. */
  readonly #bases = new Map<string, Set<string>>()
  /** Base branch → the branches of the activities based on it. */
  readonly #tops = new Map<string, Set<string>>()
  /** Branch → the branches that its commits are built on. */
  readonly #built_on = new Map<string, Set<string>>()
  readonly #below = new Map<Branches, ReadonlySet<string>>()
  readonly #stacks = new Map<string, ReadonlySet<string>>()
  readonly #above = new Map<string, ReadonlySet<string>>()
  readonly #budget: Budget

  constructor(live: readonly Branches[], links: readonly BranchLink[], budget: Budget) {
    this.#budget = budget
    for (const { branch, base_branch } of links) addTo(this.#built_on, branch, base_branch)
    for (const { branch, base_branch } of [...live, ...links]) {
      if (branch === null || base_branch === null) continue
      addTo(this.#bases, branch, base_branch)
      addTo(this.#tops, base_branch, branch)
    }
  }

  /**
   * Whether a check of either leaves the other out: both are of one branch or stack, or for different base branches. May be
   * wrong if the budget is exhausted.
   */
  areApart(one: Branches, other: Branches): boolean {
    if (one.branch !== null && one.branch === other.branch) return true
    return this.#leavesOut(one, other) && this.#leavesOut(other, one)
  }

  #leavesOut(work: Branches, other: Branches): boolean {
    return this.#expects(work, other) || this.#areForOtherBases(work, other)
  }

  /** Whether both have a base branch, and no branch is in the stacks of both: one is work for another release. */
  #areForOtherBases(work: Branches, { base_branch }: Branches): boolean {
    if (work.base_branch === null || base_branch === null || work.base_branch === base_branch) return false
    const below = this.#belowOf(work)
    return ![...this.#stackOf(base_branch)].some((name) => below.has(name))
  }

  /** A base branch and the branches below it. */
  #stackOf(base_branch: string): ReadonlySet<string> {
    return cached(this.#stacks, base_branch, () =>
      this.#reach(this.#bases, { start: [base_branch], except: null }),
    )
  }

  /**
   * The branches of `among` that an activity is built on, without those further below. Excludes its own branch. Some are
   * missing if the budget is exhausted.
   */
  nearestBelow(work: Branches, among: Names): string[] {
    const start = this.#basesOf(work)
    const reached = this.#reach(this.#bases, { start, except: work.branch, until: among })
    return [...reached].filter((name) => among.has(name))
  }

  #expects(work: Branches, { branch, base_branch }: Branches): boolean {
    if (branch !== null && this.#belowOf(work).has(branch)) return true
    const above = this.#aboveOf(work)
    if (base_branch !== null && above.has(base_branch)) return true
    const built_on = branch === null ? undefined : this.#built_on.get(branch)
    return built_on !== undefined && [...built_on].some((name) => above.has(name))
  }

  /**
   * The branches below an activity: its base, the bases of other activities on its branch, and theirs. Excludes its own
   * branch.
   */
  #belowOf(work: Branches): ReadonlySet<string> {
    return cached(this.#below, work, () =>
      this.#reach(this.#bases, { start: this.#basesOf(work), except: work.branch }),
    )
  }

  #basesOf({ branch, base_branch }: Branches): Iterable<string> {
    const own = branch === null ? [] : (this.#bases.get(branch) ?? [])
    return base_branch === null ? own : [base_branch, ...own]
  }

  /** The branch of an activity, and the branches based on it. */
  #aboveOf({ branch }: Branches): ReadonlySet<string> {
    if (branch === null) return NONE
    return cached(this.#above, branch, () => this.#reach(this.#tops, { start: [branch], except: null }))
  }

  /** The names that `links` lead to from `start`, except `except`. Does not follow the links of names in `until`. */
  #reach(
    links: ReadonlyMap<string, ReadonlySet<string>>,
    { start, except, until = NONE }: { start: Iterable<string>; except: string | null; until?: Names },
  ): ReadonlySet<string> {
    const reached = new Set<string>()
    const waiting = [...start]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      this.#budget.remaining -= STEP
      if (this.#budget.remaining < 0) return reached
      if (name === except || reached.has(name)) continue
      reached.add(name)
      if (!until.has(name)) waiting.push(...(links.get(name) ?? []))
    }
    return reached
  }
}

const NONE: ReadonlySet<string> = new Set()

function addTo(links: Map<string, Set<string>>, from: string, to: string): void {
  const there = links.get(from)
  if (there) there.add(to)
  else links.set(from, new Set([to]))
}

function cached<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = all.get(key)
  if (value === undefined) {
    value = make()
    all.set(key, value)
  }
  return value
}
