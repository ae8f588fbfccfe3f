/** Overlapping activities, grouped by pull request or branch. Pure. */

import { authorLogin } from '../activities/author.ts'
import type { ComparedActivity } from '../activities/live-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { branchKey, type LastChange, type LedgerSide, pullRequestKey, type SideKey } from '../ledger/pair.ts'
import type { PairRow } from '../ledger/table.ts'
import type { Found } from '../overlap/conclude.ts'
import type { NumberedPullRequest } from '../pull-requests/store.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'

export type FoundOverlaps = [Found<ComparedActivity>, ...Found<ComparedActivity>[]]

export interface OverlapGroup {
  /** Its key in the ledger; null for an activity that has neither a pull request nor a branch. */
  key: SideKey | null
  /** The number of its pull request. */
  number: number | null
  /** The most severe first. */
  overlaps: FoundOverlaps
}

/** `collisions`: the most severe first. The groups are in the order of their first collisions. */
export function groupOverlaps(collisions: readonly Found<ComparedActivity>[]): OverlapGroup[] {
  const groups = new Map<string, OverlapGroup>()
  // An activity on the branch of a pull request belongs to it, even if it is not linked yet.
  const numbers = new Map(
    collisions.flatMap(({ record }) =>
      record.branch !== null && record.pr_number !== null ? [[record.branch, record.pr_number]] : [],
    ),
  )
  for (const each of collisions) {
    const { branch, id } = each.record
    const number = each.record.pr_number ?? (branch === null ? null : (numbers.get(branch) ?? null))
    const key = number !== null ? pullRequestKey(number) : branch === null ? null : branchKey(branch)
    const group = groups.get(key ?? id)
    if (group) group.overlaps.push(each)
    else groups.set(key ?? id, { key, number, overlaps: [each] })
  }
  return [...groups.values()]
}

/** The activity that represents the group: that of its pull request, else the most severe one. */
export function recordOf({ overlaps }: OverlapGroup): ComparedActivity {
  const [{ record }] = overlaps
  return overlaps.find((each) => each.record.pr_number !== null)?.record ?? record
}

/** Open pull requests, by number. */
export type OtherPullRequests = ReadonlyMap<number, NumberedPullRequest>

/** A pull request as a side of the ledger. */
export function sideOfPullRequest(pr: PullRequestRow): LedgerSide {
  return { key: pullRequestKey(pr.number), author: pr.author, last_change: lastChangeOf(pr) }
}

/** A branch without a pull request as a side of the ledger. `activities`: those of the branch, at least one. */
export function sideOfBranch(branch: string, activities: readonly ActivityRow[]): LedgerSide {
  return { key: branchKey(branch), author: authorOf(activities), last_change: lastDeclared(activities) }
}

/** When a pull request was last pushed. */
export function lastChangeOf({
  pushed_at,
  changed_at,
  push_received_at,
  is_push_seen,
  head_sha,
}: Pick<
  PullRequestRow,
  'pushed_at' | 'push_received_at' | 'changed_at' | 'is_push_seen' | 'head_sha'
>): LastChange {
  const at = pushed_at ?? changed_at
  return { at, received_at: push_received_at ?? at, is_exact: is_push_seen, head: head_sha }
}

/** When the activities of a branch were last declared or pushed. */
export function lastDeclared(
  records: readonly Pick<ComparedActivity, 'declared_at' | 'created_at'>[],
): LastChange {
  const times = records.map(({ declared_at, created_at }) => (declared_at ?? created_at).getTime())
  const at = new Date(Math.max(...times))
  return { at, received_at: at, is_exact: true, head: null }
}

/** The login of the author of a group's first activity, else its actor; null without activities. */
export function authorOf(
  records: readonly Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>[],
): string | null {
  const [record] = records
  return record ? (authorLogin(record) ?? record.actor) : null
}

/** When the work of a group was last pushed or declared. */
export function activeAt(group: OverlapGroup, others: OtherPullRequests): Date {
  const other = group.number === null ? undefined : others.get(group.number)
  return other ? lastChangeOf(other).at : lastDeclared(group.overlaps.map(({ record }) => record)).at
}

/** The login of the author of a group, or the name of its actor. */
export function loginOf(group: OverlapGroup, others: OtherPullRequests): string {
  const other = group.number === null ? undefined : others.get(group.number)
  return other?.author ?? authorOf([recordOf(group)]) ?? ''
}

/** The overlaps of a side as the ledger has them. */
export interface EnteredOverlaps {
  groups: OverlapGroup[]
  /** The pairs of the side in the ledger, by the other side. */
  pairs: ReadonlyMap<SideKey, PairRow>
  /** The open pull requests of the other sides, by number. */
  others: ReadonlyMap<number, NumberedPullRequest>
}
