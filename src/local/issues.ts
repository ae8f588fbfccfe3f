/** Who works on an issue in one clone: of the live work on it, what came first holds it (docs/contract/issues.md). */
import { issuesOf } from '../engine/records/activity.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { ISSUE_OTHERS_MAX, type Issue, type IssueWorker } from '../vocabulary/contract/issue.ts'
import type { Clone } from './clone.ts'
import type { CloneOptions } from './clone-options.ts'
import { findClosing } from './merged-work.ts'
import type { LocalWork } from './work.ts'

export async function issueIn(clone: Clone, number: number, options: CloneOptions): Promise<Issue> {
  const [holder = null, ...others] = workersOn(clone, number)
  const done_by = await findClosing(number, { ...options, merged: clone.merged })
  return { number, holder, others: others.slice(0, ISSUE_OTHERS_MAX), done_by }
}

function workersOn({ work }: Clone, number: number): IssueWorker[] {
  const on = [...work.values()].filter(
    ({ activity }) => isLive(activity.status) && issuesOf(activity).includes(number),
  )
  return on
    .map(({ activity, issue_since }) => {
      const { id: activity_id, actor, agent, branch, pr_url, created_at } = activity
      const since = issue_since ?? created_at.toISOString()
      return { activity_id, actor, agent, branch, pr_url, since }
    })
    .sort((a, b) => (a.since + a.activity_id < b.since + b.activity_id ? -1 : 1))
}

/**
 * When work comes to an issue now: after all that is on it, so that nobody who holds it loses it, whatever the clocks say. Null
 * without an issue.
 */
export function laterSince(work: readonly LocalWork[], issue: number | null, now: Date): string | null {
  if (issue === null) return null
  const on = work.filter(({ activity }) => activity.issue === issue)
  const last = Math.max(0, ...on.map(({ issue_since }) => Date.parse(issue_since ?? '') || 0))
  return new Date(Math.max(now.getTime(), last + 1)).toISOString()
}
