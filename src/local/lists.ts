/** Pages of the activities of one clone. */
import { listedOf } from '../engine/records/activity-form.ts'
import { isClosed } from '../vocabulary/activity-status.ts'
import type { ListActivities, ListedActivity } from '../vocabulary/contract/activity.ts'
import { cursorAt, type Page } from '../vocabulary/contract/pagination.ts'
import type { LocalActivity } from './work.ts'

/** `rows`: the newest first. Archived and expired ones only if `status` selects them. */
export function listRows(rows: readonly LocalActivity[], input: ListActivities): Page<ListedActivity> {
  const { status, risk, actor, branch, has_pr, draft_pr_only } = input
  const listed = rows.filter(
    (each) =>
      (status === undefined ? !isClosed(each.status) : each.status === status) &&
      (risk === undefined || each.risk === risk) &&
      (actor === undefined || each.actor === actor) &&
      (branch === undefined || each.branch === branch) &&
      (has_pr === undefined || (each.pr_url !== null) === has_pr) &&
      (draft_pr_only !== true || each.draft_pr),
  )
  return pageOf(listed, input, listedOf)
}

/** Up to `limit` items after the id `cursor`. */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly Row[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  itemOf: (row: Row) => Item,
): Page<Item> {
  const left = cursor === undefined ? rows : rows.filter(({ id }) => id < cursor)
  const items = left.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(itemOf), next_cursor: last && left.length > limit ? cursorAt(last.id) : null }
}
