/** The order in which to merge the open pull requests that conflict with each other (docs/contract/signal.md#merge-order). Pure. */
import type { MergeOrder } from '../../vocabulary/contract/merge-order.ts'

/** An open pull request with all its live activities. */
export interface OpenPullRequest {
  activity_id: string
  pr_url: string
  /** The `activity_id` of each pull request that conflicts with it. */
  conflicts_with: ReadonlySet<string>
  changed_lines: number
  changed_files: number
  /** The `activity_id` of each of the nearest pull requests that it is stacked on. */
  built_on: ReadonlySet<string>
  /** False if it may have more conflicts than those in `conflicts_with`. */
  is_decided: boolean
}

/** `pulls`: the newest first. `not_compared`: a sentence that says which activities were not compared; null if all were. */
export function mergeOrder(pulls: readonly OpenPullRequest[], not_compared: string | null): MergeOrder {
  const conflicting = pulls.filter((each) => each.conflicts_with.size > 0)
  // Of two with equal conflicts and sizes, the older one comes first.
  const ordered = bottomUp(conflicting.toReversed().sort(byConflictsAndSize))
  const positions = new Map(ordered.map(({ activity_id }, index) => [activity_id, index + 1]))
  const positionOf = (id: string) => positions.get(id) as number
  const items = ordered.map(({ activity_id, pr_url, conflicts_with }) => ({
    activity_id,
    pr_url,
    conflicts_with: [...conflicts_with].sort((a, b) => positionOf(a) - positionOf(b)),
    position: positionOf(activity_id),
  }))
  const clear = pulls.filter((each) => each.conflicts_with.size === 0 && each.is_decided)
  const order = { items, clear: clear.map(({ activity_id }) => activity_id) }
  const reasons = [not_compared, undecidedReason(pulls)].filter((each) => each !== null)
  return reasons.length === 0 ? order : { ...order, complete: false, reason: reasons.join(' ') }
}

function undecidedReason(pulls: readonly OpenPullRequest[]): string | null {
  const count = pulls.filter(({ is_decided }) => !is_decided).length
  if (count === 0) return null
  const subject = count === 1 ? '1 open pull request has' : `${count} open pull requests have`
  return `It is not known whether ${subject} further conflicts; those without a known conflict are in neither list.`
}

function byConflictsAndSize(a: OpenPullRequest, b: OpenPullRequest): number {
  return (
    a.conflicts_with.size - b.conflicts_with.size ||
    b.changed_lines - a.changed_lines ||
    b.changed_files - a.changed_files
  )
}

/**
 * Keeps the order, but puts each pull request after those that it is built on. Two that are built on each other are not a
 * stack.
 */
function bottomUp(ranked: readonly OpenPullRequest[]): OpenPullRequest[] {
  const byId = new Map(ranked.map((each) => [each.activity_id, each]))
  const basesOf = ({ activity_id, built_on }: OpenPullRequest) =>
    [...built_on].filter((id) => byId.get(id)?.built_on.has(activity_id) === false)
  const waiting = ranked.map((pull) => ({ pull, bases: new Set(basesOf(pull)) }))
  const ordered: OpenPullRequest[] = []
  while (waiting.length > 0) {
    const free = waiting.findIndex(({ bases }) => bases.size === 0)
    // In a cycle of three or more, none is free, so the first one is taken.
    for (const { pull } of waiting.splice(Math.max(free, 0), 1)) {
      ordered.push(pull)
      for (const { bases } of waiting) bases.delete(pull.activity_id)
    }
  }
  return ordered
}
