/** The live work of a repository: activities, the person of each, the collisions, and the issues of several. Pure. */
import { findingOf } from '../vocabulary/finding.ts'
import { pullRequestName } from '../vocabulary/names.ts'
import {
  type Alternative,
  alternativesOverlap,
  matchesAlternative,
  plainAlternative,
  subtreeAlternative,
} from '../vocabulary/scope/alternative.ts'
import { alternativesOf, parseGlob } from '../vocabulary/scope/glob.ts'
import { byRank } from '../vocabulary/severity.ts'
import { type Person, peopleOf } from './people.ts'
import type { Activity, Overlap } from './records.ts'

export interface LiveWork {
  activities: ReadonlyMap<string, Activity>
  /** The person of each activity. */
  people: ReadonlyMap<string, Person>
  /** The most severe first. Those of equal severity are in the order of the service. */
  collisions: readonly Overlap[]
}

/** Collisions with an unknown activity are left out: the lists are read at slightly different times. */
export function liveWork(activities: readonly Activity[], overlaps: readonly Overlap[]): LiveWork {
  const byId = new Map(activities.map((activity) => [activity.id, activity]))
  const collisions = overlaps
    .filter(({ activity_ids }) => activity_ids.every((id) => byId.has(id)))
    .sort(byRank)
  return { activities: byId, people: peopleOf(activities), collisions }
}

/** `#12`, or the branch, or the title. */
export function nameOf({ pr_url, branch, title }: Activity): string {
  return pullRequestName(pr_url) ?? branch ?? title
}

/** What an activity names. Git's paths are files, whatever characters their names have. */
export function pathsOf(activity: Activity | undefined): { files: string[]; globs: string[] } {
  const { changes, paths } = activity?.scope ?? { changes: [], paths: [] }
  const files = changes.map(({ path }) => path)
  return activity?.source === 'api' ? { files, globs: paths } : { files: [...files, ...paths], globs: [] }
}

/** What a path of the address matches; a folder ends with `/`, which alone is the root. */
export function chosenAt(path: string): Alternative {
  return path === '/' ? subtreeAlternative('') : plainAlternative(path.replace(/\/$/, ''))
}

/** Whether an activity may change something that `chosen` matches; false if the activity is unknown. */
export function touches(activity: Activity | undefined, chosen: Alternative): boolean {
  const { files, globs } = pathsOf(activity)
  return (
    files.some((path) => matchesAlternative(chosen, path)) ||
    globs
      .flatMap((path) => alternativesOf(parseGlob(path)))
      .some((each) => alternativesOverlap(each, chosen, { isOver: false }))
  )
}

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
