/** Who collides with whom among the live activities, with what a reader needs to know of the other side. */
import { isLive } from '../../activities/lifecycle.ts'
import type { OutputOf } from '../../operations/contract.ts'
import type { Severity } from '../../overlap/overlap.ts'
import { byRank } from '../../overlap/severity.ts'
import type { Session } from './session.ts'

type Activity = OutputOf<'listActivities'>['items'][number]
export type Overlaps = OutputOf<'listOverlaps'>
export type Named = Pick<Activity, 'title' | 'actor' | 'branch'>

/** A collision as one side sees it. */
export interface Collision {
  severity: Severity
  /** Undefined where the other side was not read. */
  other: Named | undefined
  /** A path that both match, or a label that both name. */
  where: string
}

/** By the id of the activity, the most severe first. */
export type Collisions = ReadonlyMap<string, readonly Collision[]>

/** Collisions of one activity that are named; the others are counted. */
export const SHOWN_MAX = 3
/** Activities that are read one by one because no list that was read holds them. */
const READ_MAX = 5

/** What is known of the collisions of a repository; null where none of `activities` is live. */
export async function overlapsAmong(
  { client, at }: Session,
  activities: readonly Activity[],
): Promise<Overlaps | null> {
  return activities.some(({ status }) => isLive(status)) ? client.listOverlaps(at) : null
}

/** The collisions of `activities` by name; the lists that are read for it are the newest activities. */
export async function collisionsOf(
  session: Session,
  activities: readonly Activity[],
  overlaps: Overlaps,
): Promise<Collisions> {
  const sides = new Map(activities.map(({ id }) => [id, sidesOf(id, overlaps)]))
  const wanted = [...sides.values()].flatMap((each) => each.slice(0, SHOWN_MAX).map(({ id }) => id))
  const known = await namesOf(session, activities, new Set(wanted))
  const named = ([id, all]: [string, Side[]]): [string, Collision[]] => [
    id,
    all.map(({ id: other_id, ...side }) => ({ ...side, other: known.get(other_id) })),
  ]
  return new Map([...sides].map(named))
}

interface Side extends Omit<Collision, 'other'> {
  /** Of the other activity. */
  id: string
}

function sidesOf(id: string, { items }: Overlaps): Side[] {
  return items
    .filter(({ activity_ids }) => activity_ids.includes(id))
    .map(({ activity_ids, severity, areas, paths }) => ({
      id: activity_ids.find((each) => each !== id) as string,
      severity,
      where: paths[0]?.example ?? areas.map((area) => `#${area}`).join(' '),
    }))
    .toSorted(byRank)
}

async function namesOf(
  { client, at }: Session,
  shown: readonly Activity[],
  wanted: ReadonlySet<string>,
): Promise<Map<string, Named>> {
  const known = new Map<string, Named>(shown.map((each) => [each.id, each]))
  const missing = () => [...wanted].filter((id) => !known.has(id))
  if (missing().length === 0) return known
  const { items } = await client.listActivities({ ...at, input: { limit: 100 } })
  for (const each of items) known.set(each.id, each)
  const read = missing()
    .slice(0, READ_MAX)
    .map((id) => client.getActivity({ ...at, id }).catch(() => undefined))
  for (const each of await Promise.all(read)) if (each) known.set(each.id, each)
  return known
}
