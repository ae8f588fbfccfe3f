/** Which work is built on which: own and stacked activities, and those for another base branch (docs/contract/overlap.md#stacks). */

export interface Branches {
  readonly branch: string | null
  readonly base_branch: string | null
}

/** The live activities by their branches, and the links that commits show: `branch` is built on `base_branch`. */
export interface BranchGraph<Each extends Branches> {
  onBranch(name: string): Iterable<Each>
  onBase(name: string): Iterable<Each>
  linkedBelow(branch: string): Iterable<string>
  linkedAbove(base_branch: string): Iterable<string>
}

interface Names {
  has(name: string): boolean
}

const NONE: ReadonlySet<string> = new Set()

/** The stacks of one graph at one moment: what is found is kept. */
export class Stacks<Each extends Branches> {
  readonly #graph: BranchGraph<Each>
  readonly #below = new Map<string, ReadonlySet<string>>()
  readonly #above = new Map<string, ReadonlySet<string>>()
  readonly #stacks = new Map<string, ReadonlySet<string>>()

  constructor(graph: BranchGraph<Each>) {
    this.#graph = graph
  }

  /** The activities that a check of `work` leaves out: those on its branch, and those that it is stacked with. */
  expectedOf(work: Branches): Map<Each, 'own' | 'stacked'> {
    const expected = new Map<Each, 'own' | 'stacked'>()
    const add = (all: Iterable<Each>, how: 'own' | 'stacked') => {
      for (const each of all) if (!expected.has(each)) expected.set(each, how)
    }
    if (work.branch !== null) add(this.#graph.onBranch(work.branch), 'own')
    for (const name of this.#belowOf(work)) add(this.#graph.onBranch(name), 'stacked')
    for (const name of this.#aboveOf(work)) {
      add(this.#graph.onBranch(name), 'stacked')
      add(this.#graph.onBase(name), 'stacked')
    }
    return expected
  }

  /** Whether a check of either leaves the other out: both are of one branch or stack, or for different base branches. */
  areApart(one: Branches, other: Branches): boolean {
    return this.#leavesOut(one, other) && this.#leavesOut(other, one)
  }

  #leavesOut(work: Branches, other: Branches): boolean {
    return this.#expects(work, other) || this.areForOtherBases(work, other)
  }

  /** Whether both have a base branch, and no branch is in the stacks of both: one is work for another release. */
  areForOtherBases(work: Branches, { base_branch }: Branches): boolean {
    if (work.base_branch === null || base_branch === null || work.base_branch === base_branch) return false
    const below = this.#belowOf(work)
    return ![...this.#stackOf(base_branch)].some((name) => below.has(name))
  }

  /** The branches that an activity is built on, down to the first ones of `among`. Excludes its own branch. */
  nearestBelow(work: Branches, among: Names): ReadonlySet<string> {
    return this.#reach(this.#bases, { start: this.#basesOf(work), except: work.branch, until: among })
  }

  #expects(work: Branches, { branch, base_branch }: Branches): boolean {
    const above: ReadonlySet<string | null> = this.#aboveOf(work)
    const below: ReadonlySet<string | null> = this.#belowOf(work)
    return above.has(branch) || above.has(base_branch) || below.has(branch)
  }

  #stackOf(base_branch: string): ReadonlySet<string> {
    return kept(this.#stacks, base_branch, () =>
      this.#reach(this.#bases, { start: [base_branch], except: null }),
    )
  }

  /** The branches below an activity: its base, the bases of other activities on its branch, and theirs. Excludes its own branch. */
  #belowOf(work: Branches): ReadonlySet<string> {
    const key = [work.branch, work.base_branch].join('\n')
    return kept(this.#below, key, () =>
      this.#reach(this.#bases, { start: this.#basesOf(work), except: work.branch }),
    )
  }

  #basesOf({ branch, base_branch }: Branches): Iterable<string> {
    const own = branch === null ? [] : this.#bases(branch)
    return base_branch === null ? own : [base_branch, ...own]
  }

  /** The branch of an activity, and the branches based on it. */
  #aboveOf({ branch }: Branches): ReadonlySet<string> {
    if (branch === null) return NONE
    return kept(this.#above, branch, () => this.#reach(this.#tops, { start: [branch], except: null }))
  }

  /** The base branches of the activities of a branch, and the branches that its commits are built on. */
  readonly #bases = (branch: string): Set<string> => {
    const bases = new Set(this.#graph.linkedBelow(branch))
    for (const { base_branch } of this.#graph.onBranch(branch))
      if (base_branch !== null) bases.add(base_branch)
    return bases
  }

  /** The branches of the activities that are based on a branch, and those whose commits are built on it. */
  readonly #tops = (base_branch: string): Set<string> => {
    const tops = new Set(this.#graph.linkedAbove(base_branch))
    for (const { branch } of this.#graph.onBase(base_branch)) if (branch !== null) tops.add(branch)
    return tops
  }

  /** The names that `next` leads to from `start`, except `except`. Does not go on from names in `until`. */
  #reach(
    next: (name: string) => Iterable<string>,
    { start, except, until = NONE }: { start: Iterable<string>; except: string | null; until?: Names },
  ): ReadonlySet<string> {
    const reached = new Set<string>()
    const waiting = [...start]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === except || reached.has(name)) continue
      reached.add(name)
      if (!until.has(name)) waiting.push(...next(name))
    }
    return reached
  }
}

function kept<Value>(all: Map<string, Value>, key: string, make: () => Value): Value {
  let value = all.get(key)
  if (value === undefined) {
    value = make()
    all.set(key, value)
  }
  return value
}
