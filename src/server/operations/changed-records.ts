/** What changed in a repository: the records and their collisions. It is sent to open pages, so that they need no request. */
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ChangedCollisions, ChangedRecords } from '../../vocabulary/contract/changed-records.ts'
import { isNotableId } from '../../vocabulary/record-id.ts'
import { MERGE_ORDER_SHOWN_MAX } from '../../vocabulary/shown.ts'
import * as activityLifecycle from '../activities/lifecycle.ts'
import { listedOf } from '../activities/representation.ts'
import { listActivitiesWith } from '../activities/store.ts'
import type { SingleFlight } from '../base/single-flight.ts'
import * as notableLifecycle from '../notables/lifecycle.ts'
import { briefOf } from '../notables/representation.ts'
import { listNotablesWith } from '../notables/store.ts'
import { getMergeOrder, listOverlaps } from '../overlap/repository-overlaps.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** Reads the activities and notables `ids`, as lists show them. */
export async function changedRecords(ctx: RepoContext, ids: readonly string[]): Promise<ChangedRecords> {
  const { db, now, repo } = ctx
  const activities = (await listActivitiesWith(db, repo.id, activityIds(ids)))
    .map((row) => activityLifecycle.asOf(row, now))
    .filter(({ status }) => isLive(status))
    .map(listedOf)
  const notable_ids = ids.filter(isNotableId)
  const notables = (await listNotablesWith(db, repo.id, notable_ids))
    .map((row) => notableLifecycle.asOf(row, now))
    .filter(({ status }) => status === 'active')
    .map(briefOf)
  const listed = new Set([...activities, ...notables].map(({ id }) => id))
  const superseded = notables.flatMap(({ supersedes }) => supersedes)
  return {
    as_of: now.toISOString(),
    activities,
    notables,
    gone: [...ids.filter((id) => !listed.has(id)), ...superseded],
  }
}

/** The collisions of the activities among `ids`; null if none of `ids` is an activity. */
export async function changedCollisions(
  ctx: RepoContext,
  ids: readonly string[],
  comparisons: SingleFlight,
): Promise<ChangedCollisions | null> {
  const changed = activityIds(ids)
  if (changed.length === 0) return null
  const { items, total, checked_against } = await listOverlaps(ctx, comparisons)
  const order = await getMergeOrder(ctx, comparisons)
  return {
    of: changed,
    collisions: items.filter(({ activity_ids }) => activity_ids.some((id) => changed.includes(id))),
    total,
    checked_against,
    merge_order: {
      items: order.items.slice(0, MERGE_ORDER_SHOWN_MAX),
      ...(order.reason !== undefined && { reason: order.reason }),
      more: Math.max(0, order.items.length - MERGE_ORDER_SHOWN_MAX),
    },
  }
}

function activityIds(ids: readonly string[]): string[] {
  return ids.filter((id) => id.startsWith('act_'))
}
