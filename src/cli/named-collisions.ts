/** The collisions of activities in a list, with the name of the other side. */

import { isLive } from '../vocabulary/activity-status.ts'
import type { ListedActivity as Activity } from '../vocabulary/contract/activity.ts'
import type { Overlaps } from '../vocabulary/contract/overlap-list.ts'
import type { Consequence } from '../vocabulary/finding-kinds.ts'
import { sanitize } from '../vocabulary/others-text.ts'
import { byRank, type Severity } from '../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../vocabulary/shown.ts'
import { areasText, pairLabel, pairOf } from '../vocabulary/verdict-words.ts'
import type { CommandContext } from './command-context.ts'

type ActivityName = Pick<Activity, 'title' | 'actor' | 'branch'>

/** A collision from the point of view of one activity. */
export interface NamedCollision {
  severity: Severity
  consequence: Consequence
  other_id: string
  /** Undefined if the other activity was not read, or is not shown. */
  other?: ActivityName | undefined
  /** A path that both match and how their lines relate, or the areas that both name. */
  where: string
}

/** The collisions of each activity, by its id, the most severe first. */
export type CollisionsById = ReadonlyMap<string, readonly NamedCollision[]>

/** The maximum number of activities that are read one by one because they are not in a list. */
const SINGLE_READS_MAX = 5

/** The collisions of the repository; null without a request if none of `activities` is live. */
export async function readOverlaps(
  { client, at }: CommandContext,
  activities: readonly Activity[],
): Promise<Overlaps | null> {
  return activities.some(({ status }) => isLive(status)) ? client.listOverlaps(at) : null
}

/** The collisions of `activities`, with the names of those that are shown. */
export async function nameCollisions(
  context: CommandContext,
  activities: readonly Activity[],
  overlaps: Overlaps,
): Promise<CollisionsById> {
  const collisions = new Map(activities.map(({ id }) => [id, collisionsOf(id, overlaps)]))
  const shown = [...collisions.values()].flatMap((each) => each.slice(0, OTHERS_SHOWN_MAX))
  const names = await readNames(context, activities, new Set(shown.map(({ other_id }) => other_id)))
  for (const each of shown) each.other = names.get(each.other_id)
  return collisions
}

function collisionsOf(id: string, { items }: Overlaps): NamedCollision[] {
  return items
    .filter(({ activity_ids }) => activity_ids.includes(id))
    .map((item) => ({
      other_id: item.activity_ids.find((each) => each !== id) as string,
      severity: item.severity,
      consequence: item.consequence,
      where: whereOf(id, item),
    }))
    .toSorted(byRank)
}

function whereOf(id: string, item: Overlaps['items'][number]): string {
  const [path] = item.paths
  const areas = item.areas.length > 0 ? areasText(item.areas, sanitize) : ''
  const place = path ? sanitize(path.example) : areas
  return [place, pairLabel(pairOf(id, item), sanitize)].filter(Boolean).join(', ')
}

/** The names, from `known`, then from the newest activities, then from up to `SINGLE_READS_MAX` single reads. */
async function readNames(
  { client, at }: CommandContext,
  known: readonly Activity[],
  ids: ReadonlySet<string>,
): Promise<Map<string, ActivityName>> {
  const names = new Map<string, ActivityName>(known.map((each) => [each.id, each]))
  const missing = () => [...ids].filter((id) => !names.has(id))
  if (missing().length === 0) return names
  const { items } = await client.listActivities({ ...at, input: { limit: 100 } })
  for (const each of items) names.set(each.id, each)
  const reads = missing()
    .slice(0, SINGLE_READS_MAX)
    .map((id) => client.getActivity({ ...at, id }).catch(() => undefined))
  for (const each of await Promise.all(reads)) if (each) names.set(each.id, each)
  return names
}
