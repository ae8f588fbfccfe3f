/** The commits of a mirror as a graph in memory, and the commits that a pull request adds to a branch. */
import type { Git } from './git.ts'

/** Other commits refer to it by its index in `Commits.all`. Times are in seconds. */
export interface Commit {
  sha: string
  tree: string
  parents: number[]
  authored: number
  committed: number
  author: string
  email: string
  subject: string
}

export interface Commits {
  all: Commit[]
  byId: Map<string, number>
}

/** Reads all commits that are reachable from `tips` (commit ids). */
export async function readCommits(git: Git, tips: readonly string[]): Promise<Commits> {
  const format = '--format=%H%x00%T%x00%P%x00%at%x00%ct%x00%an%x00%ae%x00%s'
  const all: Commit[] = []
  const byId = new Map<string, number>()
  const parents: string[] = []
  for await (const line of git.records(['log', '--stdin', format], `${tips.join('\n')}\n`, '\n')) {
    const [sha = '', tree = '', above = '', authored, committed, author = '', email = '', subject = ''] =
      line.split('\0')
    byId.set(sha, all.length)
    parents.push(above)
    const at = { authored: Math.min(Number(authored), Number(committed)), committed: Number(committed) }
    all.push({ sha, tree, parents: [], ...at, author, email: email.toLowerCase(), subject })
  }
  for (const [index, commit] of all.entries())
    commit.parents = (parents[index] as string).split(' ').flatMap((sha) => byId.get(sha) ?? [])
  return { all, byId }
}

export interface Branch {
  name: string
  /** Its first-parent history, the oldest commit first: see `precedingOf`. */
  chain: number[]
  /** For each commit, the position in `chain` of the merge that brought it into the branch; -1 if none did. */
  arrival: Int32Array
}

export function branchOf({ all }: Commits, name: string, tip: number): Branch {
  const chain: number[] = []
  for (let at: number | undefined = tip; at !== undefined; at = precedingOf(all[at] as Commit, name))
    chain.push(at)
  chain.reverse()
  const arrival = new Int32Array(all.length).fill(-1)
  for (const [position, commit] of chain.entries()) {
    const todo = [commit]
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (arrival[at] !== -1) continue
      arrival[at] = position
      todo.push(...(all[at] as Commit).parents)
    }
  }
  return { name, chain, arrival }
}

/** The newest commit of a branch that was made by then, else its first one. */
export function tipAt(
  { commits: { all }, branches }: { commits: Commits; branches: readonly Branch[] },
  branch: number,
  at: number,
): Commit {
  const { chain } = branches[branch] as Branch
  const tip = chain.findLast((each) => (all[each] as Commit).committed <= at) ?? (chain[0] as number)
  return all[tip] as Commit
}

const UPSTREAM = /^Merge (?:remote-tracking branch '[^/']+\/([^']+)'|branch '([^']+)' of )/

/** The first parent, except for a merge of the branch's own upstream into a local copy, such as that of a release script. */
function precedingOf({ parents, subject }: Commit, branch: string): number | undefined {
  const [, tracked, named] = UPSTREAM.exec(subject) ?? []
  return (tracked ?? named) === branch ? (parents[1] ?? parents[0]) : parents[0]
}

export interface Addition {
  /** The commits that `head` adds to the branch. */
  own: Set<number>
  /** The commits of the branch that are parents of `own`. */
  boundary: number[]
  /** The merge base: the commit of `boundary` that was merged into the branch last. */
  base: number
}

/**
 * The commits that `head` adds to a branch as it was before position `before`. Null if `head` adds nothing, has no commit in
 * common with the branch, or adds more than `max` commits.
 */
export function additionOf(
  { all }: Commits,
  { arrival }: Branch,
  { head, before, max }: { head: number; before: number; max: number },
): Addition | null {
  const own = new Set<number>()
  const boundary = new Set<number>()
  const todo = [head]
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (own.has(at)) continue
    const position = arrival[at] as number
    if (position !== -1 && position < before) boundary.add(at)
    else {
      own.add(at)
      if (own.size > max) return null
      todo.push(...(all[at] as Commit).parents)
    }
  }
  const isAfter = (a: number, b: number) =>
    (arrival[a] as number) - (arrival[b] as number) ||
    (all[a] as Commit).committed - (all[b] as Commit).committed
  const base = [...boundary].sort(isAfter).at(-1)
  return own.size === 0 || base === undefined ? null : { own, boundary: [...boundary], base }
}
