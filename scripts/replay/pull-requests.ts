/** Derives the pull requests of a mirror from its commits: author, target branch, merge base, and when each was open. */

import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { isBot } from '../../src/vocabulary/names.ts'
import { type Addition, additionOf, type Branch, type Commit, type Commits } from './commits.ts'
import type { Merge, MergedBranches } from './merges.ts'
import type { Mirror } from './mirror.ts'

export const DAY = 86_400
/** An older `refs/pull/N/merge` belongs to a closed pull request: GitHub did not always delete these refs. */
const TRIED_WITHIN_DAYS = 365
/** A pull request with more commits is left out. */
const OWN_COMMITS_MAX = 1000

export interface PullRequest extends Addition {
  n: number
  /** The index of the target branch. */
  branch: number
  head: number
  /** The same for two pull requests of one author: an email address, in place of GitHub's login. */
  author: string
  is_bot: boolean
  /** In seconds, as are all times. */
  opened: number
  /** The time of the last push; only the last head is known. */
  pushed: number
  merged: Merge | null
  /** Neither merged nor closed when the mirror was created. */
  is_open: boolean
  /** When it was merged, or the latest time at which it was closed; infinite if it is open. */
  ended: number
}

export interface ReadOptions {
  /** When the replayed period starts: pull requests that ended before are left out. In seconds. */
  since: number
  /** How long a closed pull request counts as open after its last push, because git does not record when it was closed. */
  closed_after_days: number
}

/** Returns the pull requests ordered by number. */
export function readPullRequests(
  commits: Commits,
  mirror: Pick<Mirror, 'heads' | 'merge_tried'>,
  { branches, merges, since, closed_after_days }: MergedBranches & ReadOptions,
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
  const authors = new Map<string, string>()
  return found.flatMap((each) => {
    const pushed = (commits.all[each.head] as Commit).committed
    const at = { opened: opened.get(each.n) as number, pushed, merged: merges.get(each.n) ?? null }
    const is_open = at.merged === null && isOpen(mirror.merge_tried, { n: each.n, since })
    const presumed_end = Math.max(at.opened, pushed) + closed_after_days * DAY
    const ended = at.merged?.at ?? (is_open ? Number.POSITIVE_INFINITY : presumed_end)
    return ended < since ? [] : [{ ...each, ...at, ...authorOf(commits, each.own, authors), is_open, ended }]
  })
}

/** If the mirror has no `refs/pull/N/merge`, all pull requests that were not merged count as open. */
function isOpen(merge_tried: Mirror['merge_tried'], { n, since }: { n: number; since: number }): boolean {
  if (merge_tried.size === 0) return true
  return (merge_tried.get(n) ?? Number.NEGATIVE_INFINITY) >= since - TRIED_WITHIN_DAYS * DAY
}

/** The branch that it was merged into, or else the branch to which it adds the fewest commits; the default branch wins a tie. */
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
  // It was reset to the default branch, and adds nothing to it.
  if (branches[0]?.arrival[head] !== -1) return null
  let best = addedTo(0, Number.POSITIVE_INFINITY, OWN_COMMITS_MAX)
  const isOld = (commits.all[head] as Commit).committed < since - TRIED_WITHIN_DAYS * DAY
  for (let branch = 1; branch < branches.length && !isOld; branch++) {
    const max = best === null ? OWN_COMMITS_MAX : best.own.size - 1
    best = addedTo(branch, Number.POSITIVE_INFINITY, max) ?? best
  }
  return best
}

/**
 * Returns the earliest possible time at which each pull request was opened, by number: after the first commit of every lower
 * number and before the merge of every higher one. `times` must be ordered by number. A first commit that is later than such
 * a merge replaced an older one in a rebase, and is ignored.
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

/** The author of most of the commits. `authors`: those of earlier pull requests, by email address and by name. */
function authorOf(
  { all }: Commits,
  own: ReadonlySet<number>,
  authors: Map<string, string>,
): Pick<PullRequest, 'author' | 'is_bot'> {
  const made = [...own].map((at) => all[at] as Commit).toSorted((a, b) => a.authored - b.authored)
  const plain = made.filter(({ parents }) => parents.length < 2)
  const counts = new Map<string, number>()
  for (const { email } of plain) counts.set(email, (counts.get(email) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const { author: name, email } = (plain.find((each) => counts.get(each.email) === most) ?? made[0]) as Commit
  const author = authors.get(email) ?? authors.get(name.toLowerCase()) ?? email
  for (const key of [email, name.toLowerCase()]) authors.set(key, author)
  const login = /^(?:\d+\+)?(.*\[bot\])@/.exec(email)?.[1] ?? name
  return { author, is_bot: isBot({ login, is_of_type_bot: false }, DEFAULT_SETTINGS.comment) }
}

/**
 * Whether a head with this merge base was rebased over the merge of the other pull request. It does not show whether the two
 * conflicted before.
 */
export function isRebasedOver(
  { base }: Pick<PullRequest, 'base'>,
  { merged }: PullRequest,
  { arrival }: Branch,
): boolean {
  return merged !== null && (arrival[base] as number) >= merged.position
}
