/** The commits of the branches of a clone that the base branch has not: which branch is built on which (docs/contract/overlap.md#stacks), and where two parted. */
import type { Git } from '../git/git.ts'
import type { Diff } from './work.ts'

/** The commits of all branches that are looked at, the newest first. */
const COMMITS_MAX = 5000

/** Null: a detached HEAD, and no commit yet. */
export interface Head {
  branch: string | null
  head: string | null
}

export class Commits {
  /** Those of each commit; every commit comes before its parents. */
  readonly #parents = new Map<string, readonly string[]>()
  readonly #below = new Map<string, ReadonlySet<string>>()

  /** `graph`: a line for each commit, with its parents. */
  constructor(graph: string) {
    for (const line of graph.split('\n')) {
      const [sha = '', ...of] = line.split(' ')
      if (sha !== '') this.#parents.set(sha, of)
    }
  }

  /**
   * A branch is built on those whose heads are below its own, but not on a neighbour that has committed nothing yet: `merged`, the heads of
   * the base branch, and `shared`, those that several branches have, are where branches begin.
   */
  links(
    heads: readonly Head[],
    merged: readonly string[],
    shared: readonly string[],
  ): { branch: string; base_branch: string }[] {
    const named = heads.filter(
      (each): each is { branch: string; head: string } => !!each.branch && !!each.head,
    )
    const starts = new Set([...shared, ...merged.flatMap((sha) => [...this.#belowOf(sha)])])
    return named.flatMap(({ branch, head }) => {
      const below = this.#belowOf(head)
      const others = named.filter(
        (each) => each.head !== head && below.has(each.head) && !starts.has(each.head),
      )
      return others.map((each) => ({ branch, base_branch: each.branch }))
    })
  }

  /** The last commit that both have, undefined if that is in the base branch. */
  fork(one: string, other: string): string | undefined {
    const [mine, its] = [this.#belowOf(one), this.#belowOf(other)]
    if (mine.size === 0 || its.size === 0) return undefined
    return [...this.#parents.keys()].find((sha) => mine.has(sha) && its.has(sha))
  }

  /** The one commit of the base branch on which a commit is built; undefined if there are several, or the graph is cut. */
  baseOf(sha: string): string | undefined {
    const below = this.#belowOf(sha)
    const parents = [...below].flatMap((each) => this.#parents.get(each) ?? [])
    const [only, other] = new Set(parents.filter((each) => !below.has(each)))
    return other === undefined && this.#parents.size < COMMITS_MAX ? only : undefined
  }

  /** A commit and all that it is built on. */
  #belowOf(sha: string): ReadonlySet<string> {
    const known = this.#below.get(sha)
    if (known) return known
    const below = new Set<string>()
    const waiting = [sha]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (below.has(next) || !this.#parents.has(next)) continue
      below.add(next)
      waiting.push(...(this.#parents.get(next) as readonly string[]))
    }
    this.#below.set(sha, below)
    return below
  }
}

/** One call of git for all branches. `base`: the head of the base branch. */
export async function readCommits(
  git: Git,
  heads: readonly Head[],
  base: string | undefined,
): Promise<Commits> {
  const shas = heads.flatMap(({ head }) => (head === null || head === base ? [] : head))
  if (shas.length < 2 || base === undefined) return new Commits('')
  const limits = ['--parents', '--topo-order', `--max-count=${COMMITS_MAX}`]
  return new Commits((await git.output(['rev-list', ...limits, ...new Set(shas), `^${base}`, '--'])) ?? '')
}

/**
 * Without links to branches that have committed nothing yet, and began at a commit that both have, as on a branch that is gone
 * since. What a branch of the remote has was committed elsewhere.
 */
export async function withoutNew(git: Git, links: ReturnType<Commits['links']>): Promise<typeof links> {
  const atOnce = git.atOneMoment()
  const kept = links.map(async (link) => {
    const log = await atOnce.output([
      'log',
      '-g',
      '-2',
      '--format=%gs',
      `refs/heads/${link.base_branch}`,
      '--',
    ])
    const [, from] = /^branch: Created from (.*)$/.exec(log ?? '') ?? []
    return from === undefined || from.endsWith(`/${link.base_branch}`) ? [link] : []
  })
  return (await Promise.all(kept)).flat()
}

/** Where work is in the history of the clone. */
export interface Stand {
  head: string
  /** What it changes since a commit that it contains; null if git fails. */
  readSince(fork: string): Promise<Diff | null>
}

/** What work has changed since it parted from other work, if the base branch has not got the commit where that was. */
export type Since = (id: string | null, other: string | null) => Promise<Diff | undefined>

export function sinceFork(commits: Commits, standOf: (id: string | null) => Stand | undefined): Since {
  const read = new Map<string, Promise<Diff | null>>()
  return async (id, other) => {
    const [stand, its] = [standOf(id), standOf(other)]
    const fork = stand && its && commits.fork(stand.head, its.head)
    if (!fork) return undefined
    const key = `${id} ${fork}`
    const diff = read.get(key) ?? stand.readSince(fork)
    read.set(key, diff)
    return (await diff) ?? undefined
  }
}
