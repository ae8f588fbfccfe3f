/** Derives the pull requests of a mirror from its commits: author, target branch, merge base, and when each was open. */
import { type Addition, additionOf, type Branch, type Commit, type Commits } from './commits.ts'
import type { Merge, MergedBranches } from './merges.ts'
import type { Mirror } from './mirror.ts'

export const DAY = 86_400
/** Days after its last push for which a closed pull request counts as open: git does not tell when it was closed. */
const CLOSED_AFTER_DAYS = 14
/** An older `refs/pull/N/merge` is of a closed pull request: GitHub did not always delete them. */
const TRIED_WITHIN_DAYS = 365
/** A pull request with more commits is left out. */
const OWN_COMMITS_MAX = 1000

export interface PullRequest extends Addition {
  n: number
  /** Index of its target branch. */
  branch: number
  head: number
  author: { name: string; email: string }
  is_bot: boolean
  /** In seconds, as are all times. */
  opened: number
  /** Of the last push: only the last head is known. */
  pushed: number
  merged: Merge | null
  /** Neither merged nor closed when the mirror was made. */
  is_open: boolean
  /** When it was merged, or the latest time at which it was closed; infinite if it is open. */
  ended: number
}

/** In order of number. `since`: those that ended before are left out. */
export function readPullRequests(
  commits: Commits,
  mirror: Pick<Mirror, 'heads' | 'tried'>,
  { branches, merges, since }: MergedBranches & { since: number },
): PullRequest[] {
  const found = [...mirror.heads]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([n, sha]) => {
      const head = commits.byId.get(sha)
      const addition =
        head === undefined ? null : targetOf(commits, branches, { head, merge: merges.get(n), since })
      return head === undefined || addition === null ? [] : [{ n, head, ...addition }]
    })
  const times = found.map(({ n, own }) => ({
    n,
    first: Math.min(...[...own].map((at) => (commits.all[at] as Commit).authored)),
    merged: merges.get(n)?.at ?? Number.POSITIVE_INFINITY,
  }))
  const opened = openingTimes(times)
  return found.flatMap((each) => {
    const pushed = (commits.all[each.head] as Commit).committed
    const at = { opened: opened.get(each.n) as number, pushed, merged: merges.get(each.n) ?? null }
    const is_open = at.merged === null && isOpen(mirror.tried, { n: each.n, since })
    const given_up = Math.max(at.opened, pushed) + CLOSED_AFTER_DAYS * DAY
    const ended = at.merged?.at ?? (is_open ? Number.POSITIVE_INFINITY : given_up)
    return ended < since ? [] : [{ ...each, ...at, ...authorOf(commits, each.own), is_open, ended }]
  })
}

/** Without any `refs/pull/N/merge`, all pull requests that were not merged count as open. */
function isOpen(tried: Mirror['tried'], { n, since }: { n: number; since: number }): boolean {
  if (tried.size === 0) return true
  return (tried.get(n) ?? Number.NEGATIVE_INFINITY) >= since - TRIED_WITHIN_DAYS * DAY
}

/** The target branch: the one it was merged into, else the one to which it adds the fewest commits, the default first. */
function targetOf(
  commits: Commits,
  branches: readonly Branch[],
  { head, merge, since }: { head: number; merge: Merge | undefined; since: number },
): (Addition & { branch: number }) | null {
  const addedTo = (branch: number, before: number, max: number) => {
    const addition = additionOf(commits, branches[branch] as Branch, { head, before, max })
    return addition && { ...addition, branch }
  }
  if (merge !== undefined) return addedTo(merge.branch, merge.position, OWN_COMMITS_MAX)
  let best = addedTo(0, Number.POSITIVE_INFINITY, OWN_COMMITS_MAX)
  const isOld = (commits.all[head] as Commit).committed < since - TRIED_WITHIN_DAYS * DAY
  for (let branch = 1; branch < branches.length && !isOld; branch++) {
    const max = best === null ? OWN_COMMITS_MAX : best.own.size - 1
    best = addedTo(branch, Number.POSITIVE_INFINITY, max) ?? best
  }
  return best
}

/**
 * A pull request was opened after the first commit of every lower number and before the merge of every higher one: the
 * earliest time that fits, by number. `times` are in order of number. A first commit that is later than such a merge
 * replaced an older one in a rebase, and is ignored.
 */
export function openingTimes(times: readonly { n: number; first: number; merged: number }[]) {
  const latest: number[] = []
  let before = Number.POSITIVE_INFINITY
  for (const { merged } of times.toReversed()) {
    before = Math.min(before, merged)
    latest.push(before)
  }
  latest.reverse()
  let after = Number.NEGATIVE_INFINITY
  return new Map(
    times.map(({ n, first }, index) => {
      const end = latest[index] as number
      if (first <= end) after = Math.max(after, first)
      return [n, Number.isFinite(after) ? after : end]
    }),
  )
}

/** Coding agents count as people, as in comments of the service. */
const AGENTS = new Set([
  'copilot',
  'copilot-swe-agent',
  'devin-ai-integration',
  'claude',
  'google-labs-jules',
  'cursor',
])

/** The author of most of its commits. */
function authorOf({ all }: Commits, own: ReadonlySet<number>): Pick<PullRequest, 'author' | 'is_bot'> {
  const made = [...own].map((at) => all[at] as Commit).toSorted((a, b) => a.authored - b.authored)
  const plain = made.filter(({ parents }) => parents.length < 2)
  const counts = new Map<string, number>()
  for (const { email } of plain) counts.set(email, (counts.get(email) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const { author: name, email } = (plain.find((each) => counts.get(each.email) === most) ?? made[0]) as Commit
  const login = /^(.*)\[bot\]$/.exec(name)?.[1] ?? /^(?:\d+\+)?(.*)\[bot\]@/.exec(email)?.[1]
  return { author: { name, email }, is_bot: login !== undefined && !AGENTS.has(login.toLowerCase()) }
}

export function isSameAuthor({ author: a }: PullRequest, { author: b }: PullRequest): boolean {
  return a.email === b.email || a.name.toLowerCase() === b.name.toLowerCase()
}

/** One head is among the commits that the other adds, or is the commit on which it starts. */
export function isStacked(a: PullRequest, b: PullRequest): boolean {
  const isBeneath = (low: PullRequest, high: PullRequest) =>
    high.own.has(low.head) || high.boundary.includes(low.head)
  return isBeneath(a, b) || isBeneath(b, a)
}

/**
 * The merged one of the two if the other was rebased over its merge, else null. The last head of a rebased pull request
 * does not show whether the two conflicted before.
 */
export function rebasedOver<Each extends PullRequest>(a: Each, b: Each, { arrival }: Branch): Each | null {
  const isBeneath = ({ merged }: Each, other: Each) =>
    merged !== null && (arrival[other.base] as number) >= merged.position
  if (isBeneath(a, b)) return a
  return isBeneath(b, a) ? b : null
}
