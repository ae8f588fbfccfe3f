/** All collisions among the live activities of a repository, for whoever looks at the whole (issue 6, item 4). */
import { listActivities } from '../activities/store.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { RepoContext } from '../context/repo.ts'
import { examineActivities } from './check.ts'
import {
  COMPARED_MAX,
  OVERLAPS_MAX,
  type Overlap,
  type Overlaps,
  Severity,
  SHARED_PATHS_MAX,
} from './overlap.ts'

/** Each collision once, own and stacked work left out. */
export async function listOverlaps(ctx: RepoContext): Promise<Overlaps> {
  const page = { now: ctx.now, after: null, limit: COMPARED_MAX + 1 }
  const rows = await listActivities(ctx.db, ctx.repo.id, {}, page)
  const compared = rows.slice(0, COMPARED_MAX)
  const found = new Map<string, Overlap>()
  let complete = rows.length === compared.length
  for (const row of compared) {
    const is_whole = await addOverlapsOf(ctx, row, found)
    complete &&= is_whole
  }
  const checked_against = { activities: compared.length, as_of: ctx.now.toISOString(), complete }
  return { items: [...found.values()], checked_against }
}

async function addOverlapsOf(
  ctx: RepoContext,
  row: ActivityRow,
  found: Map<string, Overlap>,
): Promise<boolean> {
  const { collisions, checked_against } = await examineActivities(ctx, [row])
  for (const { id, severity, match } of collisions) {
    const isOlder = row.id < id
    const activity_ids = isOlder ? [row.id, id] : [id, row.id]
    const key = activity_ids.join()
    const known = found.get(key)
    if (known) known.severity = higherOf(known.severity, severity)
    else if (found.size < OVERLAPS_MAX)
      found.set(key, {
        activity_ids,
        severity,
        areas: match.areas,
        paths: match.paths.slice(0, SHARED_PATHS_MAX).map(({ yours, theirs, example }) => ({
          globs: isOlder ? [yours, theirs] : [theirs, yours],
          example,
        })),
      })
    else return false
  }
  return checked_against.complete
}

function higherOf(one: Severity, other: Severity): Severity {
  return Severity.options.indexOf(one) > Severity.options.indexOf(other) ? one : other
}
