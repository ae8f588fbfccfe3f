/** The collisions of activities in a list, with the name of the other side. */

import type { ListedActivity as Activity } from '../vocabulary/contract/activity.ts'
import type { OutputOf } from '../vocabulary/contract/contract.ts'
import type { Overlaps } from '../vocabulary/contract/overlap-list.ts'
import type { Consequence } from '../vocabulary/finding-kinds.ts'
import { byRank, type Severity } from '../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../vocabulary/shown.ts'
import { sanitize } from '../vocabulary/text.ts'
import { areasText, pairLabel, pairOf } from '../vocabulary/verdict-words.ts'
import type { CommandContext } from './command-context.ts'

export interface NamedCollision {
  severity: Severity
  consequence: Consequence
  other_id: string
  /** Undefined if the other activity was not read, or is not shown. */
  other?: Pick<Activity, 'title' | 'actor' | 'branch'> | undefined
  /** A path that both match and how their lines relate, or the areas that both name. */
  where: string
}

/** The collisions of each activity, by its id, the most severe first. */
export type CollisionsById = ReadonlyMap<string, readonly NamedCollision[]>

/** Of lists that are read to name activities: as many activities as the service compares. */
const PAGES_MAX = 10

export async function nameCollisions(
  context: CommandContext,
  activities: readonly Activity[],
  overlaps: Overlaps,
): Promise<CollisionsById> {
  const collisions = new Map(activities.map(({ id }) => [id, collisionsOf(id, overlaps)]))
  const shown = [...collisions.values()].flatMap((each) => each.slice(0, OTHERS_SHOWN_MAX))
  const names = await readNamed(context, activities, new Set(shown.map(({ other_id }) => other_id)))
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

/** The live activities of these ids, from `known` and then from lists. */
export async function readNamed(
  { client, at }: CommandContext,
  known: readonly Activity[],
  ids: Iterable<string>,
): Promise<Map<string, Activity>> {
  const found = new Map(known.map((each) => [each.id, each]))
  const isMissing = () => [...ids].some((id) => !found.has(id))
  let cursor: string | null | undefined
  for (let page = 0; page < PAGES_MAX && cursor !== null && isMissing(); page += 1) {
    const input = { limit: 100, ...(cursor && { cursor }) }
    const listed: OutputOf<'listActivities'> = await client.listActivities({ ...at, input })
    for (const each of listed.items) found.set(each.id, each)
    cursor = listed.next_cursor
  }
  return found
}
