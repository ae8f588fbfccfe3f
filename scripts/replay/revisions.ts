/**
 * The pushes of a pull request, as far as its commits show them. A mirror contains only the last head, so each commit on the
 * way to it stands for a push at the time it was made, even if a rebase replaced it later.
 */
import { additionOf, type Branch, type Commit, type Commits } from './commits.ts'
import type { PullRequest } from './pull-requests.ts'

const HOUR = 3600
/** The maximum number of pushes per pull request, the latest ones. */
const REVISIONS_MAX = 20
/** As for `readPullRequests`. */
const OWN_COMMITS_MAX = 1000

/** A head of a pull request, and its merge base with the target branch. */
export type HeadAndBase = Pick<PullRequest, 'head' | 'base'>

/** A head of a pull request, from a push until the next one. */
export interface Revision extends HeadAndBase {
  /** In seconds. */
  at: number
}

/**
 * The revisions in order of time; the first one is that of the opening, unless there are too many. Commits of one hour are one
 * push. The last revision may repeat its head: an amended or rebased commit keeps its first time.
 */
export function revisionsOf(commits: Commits, branch: Branch, pr: PullRequest): Revision[] {
  const made = chainOf(commits, pr)
  const heads: { at: number; head: number }[] = []
  for (const { at, head } of made) {
    const last = heads.at(-1)
    if (last !== undefined && at - last.at <= (last.at === pr.opened ? 0 : HOUR)) last.head = head
    else heads.push({ at, head })
  }
  // Of a pull request whose first commits were replaced, these stand for those at its opening.
  if (heads[0]) heads[0].at = pr.opened
  const last = heads.at(-1)
  if (last !== undefined && pr.pushed - last.at > HOUR) heads.push({ at: pr.pushed, head: pr.head })
  const before = pr.merged?.position ?? Number.POSITIVE_INFINITY
  return heads.slice(-REVISIONS_MAX).flatMap(({ at, head }) => {
    if (head === pr.head) return [{ at, head, base: pr.base }]
    const addition = additionOf(commits, branch, { head, before, max: OWN_COMMITS_MAX })
    return addition === null ? [] : [{ at, head, base: addition.base }]
  })
}

/** The commits on the first-parent way to the head, the oldest first, none before the opening or before its predecessor. */
function chainOf({ all }: Commits, { head, own, opened }: PullRequest): { at: number; head: number }[] {
  const chain: number[] = []
  for (let at: number | undefined = head; at !== undefined && own.has(at); at = all[at]?.parents[0])
    chain.push(at)
  let latest = opened
  return chain.toReversed().map((commit) => {
    latest = Math.max(latest, (all[commit] as Commit).authored)
    return { at: latest, head: commit }
  })
}
