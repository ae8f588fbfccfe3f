/** The order in which to merge the pull requests that conflict with each other. */
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { MERGE_ORDER_SHOWN_MAX } from '../vocabulary/shown.ts'
import { ExternalLink } from './external-link.tsx'
import { RecordLink } from './record-link.tsx'
import type { Activity, MergeOrder } from './records.ts'

/** How many conflicts are named for each item. Further ones are counted. */
const NAMED_MAX = 5

interface Props {
  merge_order: MergeOrder | null
  activities: ReadonlyMap<string, Activity>
}

export function MergeOrderCard({ merge_order, activities }: Props) {
  if (merge_order === null || merge_order.items.length === 0) return null
  const { items, reason } = merge_order
  const more = Math.max(0, items.length - MERGE_ORDER_SHOWN_MAX)
  const names = new Map(
    items.map(({ activity_id, pr_url }) => [activity_id, pullRequestName(pr_url) ?? pr_url]),
  )
  return (
    <section class="card" aria-labelledby="merge-order-heading">
      <h2 id="merge-order-heading">Merge order</h2>
      <ul class="merge-order">
        {items.slice(0, MERGE_ORDER_SHOWN_MAX).map(({ activity_id, pr_url, conflicts_with, position }) => (
          <li key={activity_id} class="line">
            <span>
              {position}. <ExternalLink url={pr_url} text={names.get(activity_id) ?? pr_url} />
            </span>
            <RecordLink id={activity_id}>
              {activities.get(activity_id)?.title ?? activity_id}{' '}
              <small>{activities.get(activity_id)?.actor}</small>
            </RecordLink>
            <small>conflicts with {conflictsText(conflicts_with, names)}</small>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="hint">
          {more} more: run <code>deconflict order</code>.
        </p>
      )}
      {reason && <p class="hint">{reason}</p>}
    </section>
  )
}

function conflictsText(ids: string[], names: Map<string, string>): string {
  const more = ids.length - NAMED_MAX
  const named = ids.slice(0, NAMED_MAX).map((id) => names.get(id) ?? id)
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
