/** Overlapping activities, grouped by pull request or branch. Pure. */

import type { Found } from '../../engine/check/conclusion.ts'
import type { ComparedActivity } from '../records/activities/compared-store.ts'
import { branchKey, pullRequestKey, type SideKey } from './pair.ts'

export type FoundOverlaps = [Found<ComparedActivity>, ...Found<ComparedActivity>[]]

/** Overlapping activities of one pull request or branch. */
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
