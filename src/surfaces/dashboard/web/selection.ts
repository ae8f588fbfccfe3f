/** Selects what the page shows: the activities that pass the filter, every collision of one of them, and whether a merge order. Pure. */
import type { Activity, Overlap, Overlaps } from './records.ts'

export interface Filter {
  text: string
  /** An empty string matches any risk. */
  min_risk: '' | Activity['risk']
  only_collisions: boolean
}

export interface Selection {
  /** Those that pass the filter, and the other sides of their collisions. */
  activities: Activity[]
  /** Ids of other sides that do not pass the filter themselves. */
  outside: ReadonlySet<string>
  /** Most severe first. */
  overlaps: Overlap[]
}

export const NO_FILTER: Filter = { text: '', min_risk: '', only_collisions: false }

export const SEVERITY_RANK = { low: 0, medium: 1, high: 2 } satisfies Record<Overlap['severity'], number>
export const RISK_RANK = { low: 0, medium: 1, high: 2, critical: 3 } satisfies Record<
  Activity['risk'],
  number
>

/** Collisions with an unknown activity are left out: the lists are read at slightly different times. */
export function select(activities: Activity[], overlaps: Overlap[], filter: Filter): Selection {
  const known = new Set(activities.map(({ id }) => id))
  const collisions = overlaps.filter(({ activity_ids }) => activity_ids.every((id) => known.has(id)))
  const colliding = new Set(collisions.flatMap(({ activity_ids }) => activity_ids))
  const text = filter.text.trim().toLowerCase()
  const passes = (activity: Activity) =>
    (text === '' || searchTextOf(activity).includes(text)) &&
    (filter.min_risk === '' || RISK_RANK[activity.risk] >= RISK_RANK[filter.min_risk]) &&
    (!filter.only_collisions || colliding.has(activity.id))
  const passing = new Set(activities.filter(passes).map(({ id }) => id))
  const shown = collisions.filter(({ activity_ids }) => activity_ids.some((id) => passing.has(id)))
  const outside = new Set(shown.flatMap(({ activity_ids }) => activity_ids.filter((id) => !passing.has(id))))
  return {
    activities: activities.filter(({ id }) => passing.has(id) || outside.has(id)),
    outside,
    overlaps: shown.toSorted((a, b) => SEVERITY_RANK[b.severity] - SEVERITY_RANK[a.severity]),
  }
}

/** Whether two pull requests may conflict by their lines, so that there is an order in which to merge them. */
export function mayConflict(
  activities: Activity[],
  { items, total }: Pick<Overlaps, 'items' | 'total'>,
): boolean {
  const open = new Set(activities.filter(({ pr_url }) => pr_url !== null).map(({ id }) => id))
  const isConflict = ({ lines, activity_ids }: Overlap) =>
    lines === 'conflict' && activity_ids.every((id) => open.has(id))
  return open.size > 1 && (items.length < total || items.some(isConflict))
}

function searchTextOf({ title, actor, agent, branch, scope }: Activity): string {
  return [title, actor, agent ?? '', branch ?? '', ...scope.areas, ...scope.paths].join('\n').toLowerCase()
}
