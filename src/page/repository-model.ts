/** Everything that the view of a repository shows, computed from its records and the address. Pure. */
import { EVERYONE, type View } from './address.ts'
import { type Choice, matches, matching } from './filter.ts'
import { type HotFolder, hotFolders } from './hot-spots.ts'
import { type LiveWork, liveWork } from './live-work.ts'
import type { Person } from './people.ts'
import { type PersonCount, peopleCounts } from './people-counts.ts'
import type { Activity, List, Overlaps } from './records.ts'

/** Whose work the first section shows. */
export type Subject =
  | { kind: 'person'; person: Person; is_reader: boolean; activities: Activity[] }
  | { kind: 'activity'; activity: Activity }
  /** `note`: why everyone's work is shown; null if the reader chose it. */
  | { kind: 'everyone'; note: string | null }

export interface RepositoryModel {
  now_ms: number
  work: LiveWork
  people: PersonCount[]
  /** The key of the reader; null if the login is unknown. */
  reader: string | null
  /** The chosen key of a person, or `everyone`; null if a pull request is shown. */
  chosen: string | null
  subject: Subject
  folders: HotFolder[]
  /** The activities that match the choice. */
  shown: Activity[]
  areas: string[]
  /** How many activities and collisions match the choice. If `is_exact` is false, there may be more collisions. */
  counts: { activities: number; collisions: number; is_exact: boolean }
}

const AREAS_MAX = 200

export function modelOf(
  { activities, overlaps }: { activities: List<Activity>; overlaps: Overlaps | null },
  view: View,
  login: string | null,
): RepositoryModel {
  const work = liveWork(activities.items, overlaps?.items ?? [], overlaps?.same_file)
  const people = peopleCounts(work)
  const reader = login?.toLowerCase() ?? null
  const subject = subjectOf(work, view, { people, reader })
  const isPerson = view.person !== null && view.person !== EVERYONE
  const choice: Choice = { ...view, person: isPerson ? view.person : null }
  const shown = matching(work, choice)
  const ids = new Set(shown.map(({ id }) => id))
  const isAll = shown.length === activities.items.length
  const collisions = work.collisions.filter(({ activity_ids }) =>
    activity_ids.some((id) => ids.has(id)),
  ).length
  // If all activities were compared, `total` is exact, even if not all collisions are listed.
  const isCounted = isAll && (overlaps?.checked_against.activities ?? 0) >= activities.items.length
  return {
    now_ms: activities.as_of_ms,
    work,
    people,
    reader,
    subject,
    chosen: subject.kind === 'everyone' ? EVERYONE : subject.kind === 'person' ? subject.person.key : null,
    folders: hotFolders(narrowed(work, { ...choice, person: null, path: null })),
    shown,
    areas: [...new Set(activities.items.flatMap(({ scope }) => scope.areas))].sort().slice(0, AREAS_MAX),
    counts: {
      activities: shown.length,
      collisions: isAll ? Math.max(collisions, overlaps?.total ?? 0) : collisions,
      is_exact: overlaps?.checked_against.complete === true || isCounted,
    },
  }
}

/** The activities that match, and the other sides of their collisions. */
function narrowed(work: LiveWork, choice: Choice): LiveWork {
  if (choice.text.trim() === '' && choice.area === null && !choice.only_collisions) return work
  const ids = new Set<string>()
  for (const activity of work.activities.values())
    if (matches(activity, work, choice)) {
      ids.add(activity.id)
      for (const { activity_ids } of work.collisions_of.get(activity.id) ?? [])
        for (const id of activity_ids) ids.add(id)
    }
  return liveWork(
    [...work.activities.values()].filter(({ id }) => ids.has(id)),
    work.collisions,
  )
}

function subjectOf(
  work: LiveWork,
  { person, pull_request }: View,
  { people, reader }: { people: PersonCount[]; reader: string | null },
): Subject {
  if (pull_request !== null)
    for (const activity of work.activities.values())
      if (activity.pr_url?.endsWith(`/pull/${pull_request}`)) return { kind: 'activity', activity }
  const key = pull_request === null ? (person ?? reader) : EVERYONE
  const found = key === EVERYONE ? undefined : people.find((each) => each.person.key === key)?.person
  if (!found) return { kind: 'everyone', note: describeFallback({ person, pull_request }, reader) }
  return {
    kind: 'person',
    person: found,
    is_reader: found.key === reader,
    activities: [...work.activities.values()].filter(({ id }) => work.people.get(id)?.key === found.key),
  }
}

function describeFallback(
  { person, pull_request }: Pick<View, 'person' | 'pull_request'>,
  reader: string | null,
): string | null {
  const instead = 'These are the collisions of everyone.'
  if (pull_request !== null)
    return `Pull request #${pull_request} has no live work here: it is merged, closed or not tracked. ${instead}`
  if (person === EVERYONE) return null
  if (person !== null) return `${person} has no live work here. ${instead}`
  return reader === null ? null : `You have no live work here. ${instead}`
}
