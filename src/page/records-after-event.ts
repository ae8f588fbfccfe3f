/** The records of the page after an event of the stream. Pure. */
import type {
  Activity,
  Change,
  ChangedCollisions,
  ChangedRecords,
  List,
  MergeOrder,
  Notable,
  Overlaps,
} from './records.ts'

/** Each part is null until it was first read: the lists are shown before the collisions are known. */
export interface Records {
  activities: List<Activity> | null
  notables: List<Notable> | null
  overlaps: Overlaps | null
  /** Also null if no pull requests conflict: then it is not requested. */
  merge_order: MergeOrder | null
}

/** Applies an event. It may come twice, or be older than a list: of two versions of a record, the later one is kept. */
export function applied(records: Records, change: Change): Records {
  return 'collisions' in change ? withCollisions(records, change) : withRecords(records, change)
}

function withRecords(records: Records, { activities, notables, gone, as_of }: ChangedRecords): Records {
  const others = { gone, as_of_ms: Date.parse(as_of) }
  return {
    ...records,
    activities: records.activities && withItems(records.activities, activities, others),
    notables: records.notables && withItems(records.notables, notables, others),
  }
}

function withCollisions(records: Records, change: ChangedCollisions): Records {
  const { collisions, total, checked_against, merge_order } = change
  if (records.overlaps === null) return records
  const changed = new Set(change.of)
  const others = records.overlaps.items.filter(
    ({ activity_ids }) => !activity_ids.some((id) => changed.has(id)),
  )
  return {
    ...records,
    overlaps: { items: [...others, ...collisions], total, checked_against },
    merge_order: merge_order.items.length > 0 ? merge_order : null,
  }
}

/** The list with the changed items in their places and new ones first, as the service lists them. */
function withItems<Item extends { id: string; updated_at: string }>(
  list: List<Item>,
  changed: readonly Item[],
  { gone, as_of_ms }: { gone: readonly string[]; as_of_ms: number },
): List<Item> {
  const unplaced = new Map(changed.map((item) => [item.id, item]))
  const removed = new Set(gone)
  const items: Item[] = []
  for (const item of list.items) {
    const after = unplaced.get(item.id)
    unplaced.delete(item.id)
    if (removed.has(item.id)) continue
    items.push(after && after.updated_at >= item.updated_at ? after : item)
  }
  const added = [...unplaced.values()].sort((a, b) => b.id.localeCompare(a.id))
  if (added.length === 0 && changed.length === 0 && items.length === list.items.length)
    return { ...list, as_of_ms: Math.max(list.as_of_ms, as_of_ms) }
  return { ...list, items: [...added, ...items], as_of_ms: Math.max(list.as_of_ms, as_of_ms) }
}
