/** The issues that several live activities are on. Pure. */
import { findingOf } from '../vocabulary/finding.ts'
import type { LiveWork } from './live-work.ts'
import type { Activity } from './records.ts'

export interface SharedIssue {
  number: number
  /** At least two, the oldest first. */
  activities: Activity[]
}

/** Those with the most activities first. */
export function sharedIssues({ activities, collisions }: LiveWork): SharedIssue[] {
  const on = new Map<number, Set<Activity>>()
  const add = (issue: number | null, activity: Activity | undefined) => {
    if (issue === null || !activity) return
    on.set(issue, (on.get(issue) ?? new Set()).add(activity))
  }
  for (const activity of activities.values()) add(activity.issue, activity)
  // A pull request can close further issues.
  for (const { findings, activity_ids } of collisions)
    for (const id of activity_ids) add(findingOf(findings, 'issue')?.issue ?? null, activities.get(id))
  return [...on]
    .filter(([, all]) => all.size > 1)
    .map(([number, all]) => ({ number, activities: [...all].sort(byAge) }))
    .sort((a, b) => b.activities.length - a.activities.length || a.number - b.number)
}

function byAge(a: Activity, b: Activity): number {
  return a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1
}
