/** Finds the target branches of pull requests, and when each was merged. */
import { type Branch, branchOf, type Commit, type Commits } from './commits.ts'
import type { Mirror } from './mirror.ts'

/** The maximum number of branches that are read besides the default branch, those with the newest commits first. */
const BRANCHES_MAX = 200

export interface Merge {
  /** Index of the branch. */
  branch: number
  /** The position of the merge in `Branch.chain`. */
  position: number
  /** In seconds. */
  at: number
}

export interface MergedBranches {
  /** The default branch, and those (such as release branches) that pull requests were merged into. */
  branches: Branch[]
  /** By number of the pull request. */
  merges: Map<number, Merge>
}

const NAMED = /^Merge pull request #(\d+) |#(\d+)\)?$/

/** The pull request that the subject of a commit says to be merged; null if it names none. */
export function numberNamed({ subject }: Pick<Commit, 'subject'>): number | null {
  const [, merged, squashed] = NAMED.exec(subject) ?? []
  return merged === undefined && squashed === undefined ? null : Number(merged ?? squashed)
}

export function mergedBranches(
  commits: Commits,
  mirror: Pick<Mirror, 'default_branch' | 'branches' | 'heads'>,
): MergedBranches {
  const merges = new Map<number, Merge>()
  const heads = new Map(
    [...mirror.heads].flatMap(([n, sha]) => {
      const head = commits.byId.get(sha)
      return head === undefined ? [] : [[n, head] as const]
    }),
  )
  const pullHeads = new Set(heads.values())
  const branches: Branch[] = []
  const newest = mirror.branches.toSorted((a, b) => b.committed - a.committed).slice(0, BRANCHES_MAX)
  for (const ref of [mirror.default_branch, ...newest]) {
    const tip = commits.byId.get(ref.sha)
    const isDefault = branches.length === 0
    if (tip === undefined || (!isDefault && pullHeads.has(tip))) continue
    const branch = branchOf(commits, ref.name.replace('refs/heads/', ''), tip)
    const found = mergesInto(commits, branch, { heads, trunk: branches[0] ?? null })
    if (found.size === 0 && !isDefault) continue
    for (const [n, merge] of found) if (!merges.has(n)) merges.set(n, { branch: branches.length, ...merge })
    branches.push(branch)
  }
  return { branches, merges }
}

/** Excludes merges that are also in `trunk`. */
function mergesInto(
  { all }: Commits,
  { chain, arrival }: Branch,
  { heads, trunk }: { heads: Map<number, number>; trunk: Branch | null },
): Map<number, Omit<Merge, 'branch'>> {
  const merges = new Map<number, Omit<Merge, 'branch'>>()
  const isOwn = (commit: number) => trunk === null || trunk.arrival[commit] === -1
  const mergeAt = (position: number) => ({
    position,
    at: (all[chain[position] as number] as Commit).committed,
  })
  const onChain = new Map<string, number>()
  for (const [position, index] of chain.entries()) {
    if (!isOwn(index)) continue
    const commit = all[index] as Commit
    onChain.set(textOf(commit), position)
    const n = numberNamed(commit)
    if (n !== null && heads.has(n) && !merges.has(n)) merges.set(n, mergeAt(position))
  }
  for (const [n, head] of heads) {
    if (merges.has(n)) continue
    const position = arrival[head] as number
    if (position !== -1) {
      // A head on the chain itself may belong to a pull request that was reset to the branch and then closed.
      if (chain[position] !== head && isOwn(chain[position] as number)) merges.set(n, mergeAt(position))
      continue
    }
    const rebased = onChain.get(textOf(all[head] as Commit))
    if (rebased === undefined) continue
    const merge = mergeAt(rebased)
    // If the commit was on the branch before, the pull request cherry-picked it from there.
    if (merge.at >= (all[head] as Commit).committed) merges.set(n, merge)
  }
  return merges
}

/** The fields of a commit that GitHub keeps in a rebase. */
function textOf({ authored, email, subject }: Commit): string {
  return `${authored} ${email} ${subject}`
}
