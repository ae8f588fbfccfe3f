/** The work that overlaps with a pull request: one item per pull request or branch, with all its activities. Pure. */
import type { ComparedActivity } from '../activities/live-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { Found } from '../overlap/conclude.ts'
import { type Activity, branchKey, type LedgerSide, pullRequestKey, type SideKey } from '../signal/pair.ts'
import type { NumberedPullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

export type Group = [Found<ComparedActivity>, ...Found<ComparedActivity>[]]

export interface OtherWork {
  /** Its key in the ledger; null for an activity that has neither a pull request nor a branch. */
  key: SideKey | null
  /** The number of its pull request. */
  number: number | null
  /** The most severe first. */
  group: Group
}

/** In the order of the most severe activity of each. */
export function otherWorkOf(collisions: readonly Found<ComparedActivity>[]): OtherWork[] {
  const works = new Map<string, OtherWork>()
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
    const work = works.get(key ?? id)
    if (work) work.group.push(each)
    else works.set(key ?? id, { key, number, group: [each] })
  }
  return [...works.values()]
}

/** The activity that represents the work: that of its pull request, else the most severe one. */
export function recordOf({ group }: OtherWork): ComparedActivity {
  const [{ record }] = group
  return group.find((each) => each.record.pr_number !== null)?.record ?? record
}

/** Open pull requests, by number. */
export type OtherPullRequests = ReadonlyMap<number, NumberedPullRequest>

/** A pull request as a side of the ledger. */
export function sideOfPullRequest(pr: PullRequestRow): LedgerSide {
  return { key: pullRequestKey(pr.number), author: pr.author, activity: activityOf(pr) }
}

/** A branch without a pull request as a side of the ledger; at least one activity. */
export function sideOfBranch(branch: string, activities: readonly ActivityRow[]): LedgerSide {
  return { key: branchKey(branch), author: authorOf(activities), activity: lastDeclared(activities) }
}

export function activityOf({
  pushed_at,
  changed_at,
  push_received_at,
  is_push_seen,
  head_sha,
}: Pick<
  PullRequestRow,
  'pushed_at' | 'push_received_at' | 'changed_at' | 'is_push_seen' | 'head_sha'
>): Activity {
  const at = pushed_at ?? changed_at
  return { at, received_at: push_received_at ?? at, is_exact: is_push_seen, head: head_sha }
}

/** When the work of a branch was last declared or pushed. */
export function lastDeclared(
  records: readonly Pick<ComparedActivity, 'declared_at' | 'created_at'>[],
): Activity {
  const times = records.map(({ declared_at, created_at }) => (declared_at ?? created_at).getTime())
  const at = new Date(Math.max(...times))
  return { at, received_at: at, is_exact: true, head: null }
}

export function authorOf(
  records: readonly Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>[],
): string | null {
  const [record] = records
  if (!record) return null
  return record.source === 'api' ? (record.created_by ?? record.actor) : record.actor
}

/** When other work was last pushed or declared. */
export function activeAt(work: OtherWork, others: OtherPullRequests): Date {
  const other = work.number === null ? undefined : others.get(work.number)
  return other ? activityOf(other).at : lastDeclared(work.group.map(({ record }) => record)).at
}

/** The login of the author of other work, or the name of its actor. */
export function loginOf(work: OtherWork, others: OtherPullRequests): string {
  const other = work.number === null ? undefined : others.get(work.number)
  return other?.author ?? authorOf([recordOf(work)]) ?? ''
}
