/** The order in which to merge the pull requests that conflict with each other. */
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { count, joined } from '../vocabulary/text.ts'
import { ExternalLink } from './external-link.tsx'
import { Limited } from './limited.tsx'
import { RecordLink } from './record-link.tsx'
import type { Activity, MergeOrder } from './records.ts'

const SHOWN_MAX = 6
/** How many conflicts are named for each item. Further ones are counted. */
const NAMED_MAX = 3

interface Props {
  merge_order: MergeOrder | null
  activities: ReadonlyMap<string, Activity>
}

export function MergeOrderCard({ merge_order, activities }: Props) {
  if (merge_order === null || merge_order.items.length === 0) return null
  const { items, reason } = merge_order
  const names = new Map(
    items.map(({ activity_id, pr_url }) => [activity_id, pullRequestName(pr_url) ?? pr_url]),
  )
  return (
    <section class="card merge-order" aria-labelledby="merge-order-heading">
      <h2 id="merge-order-heading">Merge order</h2>
      <p class="hint">Those with the fewest conflicts first.</p>
      <Limited items={items} max={SHOWN_MAX}>
        {({ activity_id, pr_url, conflicts_with, position }) => (
          <li key={activity_id}>
            <span class="soft">{position}</span>
            <ExternalLink url={pr_url} text={names.get(activity_id) ?? pr_url} />
            <RecordLink id={activity_id}>{activities.get(activity_id)?.title ?? activity_id}</RecordLink>
            <small>{conflictsText(conflicts_with, names)}</small>
          </li>
        )}
      </Limited>
      {reason && <p class="hint">{reason}</p>}
    </section>
  )
}

/** `2 conflicts: #12 and #14`: why it has its place. */
function conflictsText(ids: string[], names: Map<string, string>): string {
  const named = ids.slice(0, NAMED_MAX).map((id) => names.get(id) ?? id)
  const more = ids.length > NAMED_MAX ? [`${ids.length - NAMED_MAX} more`] : []
  return `${count(ids.length, 'conflict', 'conflicts')}: ${joined([...named, ...more])}`
}
