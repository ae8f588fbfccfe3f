/** The side that is checked: a pull request, or a branch without one. Pure. */

import { authorLogin } from '../activities/author.ts'
import type { ComparedActivity } from '../activities/live-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { branchKey, type LastChange, type LedgerSide, pullRequestKey } from '../ledger/pair.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'

export interface Subject extends LedgerSide {
  /** Null for a branch without a pull request. */
  pr: PullRequestRow | null
  /** The branch, unless it is in a fork. */
  branch: string | null
  activities: readonly ActivityRow[]
}

/** `activities`: the live ones of the pull request. */
export function pullRequestSubject(pr: PullRequestRow, activities: readonly ActivityRow[]): Subject {
  const branch = pr.branch?.includes(':') ? null : pr.branch
  const last_change = lastPush(pr)
  return { key: pullRequestKey(pr.number), author: pr.author, last_change, pr, branch, activities }
}

/** `activities`: those of the branch. */
export function branchSubject(branch: string, activities: readonly [ActivityRow, ...ActivityRow[]]): Subject {
  return {
    key: branchKey(branch),
    author: findAuthor(activities[0]),
    last_change: lastDeclaration(activities),
    pr: null,
    branch,
    activities,
  }
}

/** When a pull request was last pushed. */
export function lastPush({
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
export function lastDeclaration(
  records: readonly Pick<ComparedActivity, 'declared_at' | 'created_at'>[],
): LastChange {
  const times = records.map(({ declared_at, created_at }) => (declared_at ?? created_at).getTime())
  const at = new Date(Math.max(...times))
  return { at, received_at: at, is_exact: true, head: null }
}

/** The login of the author of an activity, else its actor. */
export function findAuthor(record: Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>): string {
  return authorLogin(record) ?? record.actor
}
