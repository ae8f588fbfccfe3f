/** Rechecks the pull requests that a changed record affects, and keeps open pull requests tracked. */

import { findAffected } from '../../../engine/check/check.ts'
import { asOf } from '../../../engine/records/activity-lifecycle.ts'
import { isFinished, isLive } from '../../../vocabulary/activity-status.ts'
import { isId } from '../../../vocabulary/contract/id.ts'
import { inDatabase } from '../../compare/database-source.ts'
import { listPullRequestsOf } from '../../records/activities/pull-request-store.ts'
import { findActivity } from '../../records/activities/store.ts'
import type { ActivityRow } from '../../records/activities/table.ts'
import { listNumbered, listRelatedTo } from '../../records/pull-requests/open-store.ts'
import type { App } from '../../records/repositories/app.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { isSilent } from '../../tell/decision/who-is-told.ts'
import { enqueueFileReads } from './changed-files.ts'
import { branchChanged } from './outcomes.ts'
import { trackAgain } from './pull-requests.ts'
import { enqueueAllRechecks, enqueueRecheck } from './recheck.ts'

/**
 * Enqueues a recheck of each pull request that may overlap with the changed record now, or did at its last recheck; not of
 * one that shows nothing either way, if the recheck of the changed pull request finds the pairs. Calls GitHub only if a caller archived or finished an activity that was linked to a pull request but not created from it: the
 * pull request may need a new activity.
 */
export async function recheckAffected(
  app: App,
  ctx: RepoContext,
  { record_id }: { record_id: string },
): Promise<void> {
  const { db, now, repo, settings } = ctx
  // A notable may affect any pull request. A recheck that finds no difference makes no call.
  if (!isId('act', record_id)) return enqueueAllRechecks(ctx)
  const stored = await findActivity(db, repo.id, record_id)
  // Undefined if it was purged in the meantime. The pull requests that overlapped with it are rechecked anyway.
  const activity = stored && asOf(stored, now)
  const numbers = activity ? await listAffected(ctx, activity) : []
  const before = await listRelatedTo(db, repo.id, [record_id])
  const present = numbers.length === 0 ? [] : await listNumbered(db, repo.id, numbers)
  const own = present.find(({ number }) => number === activity?.pr_number)
  const affected = [...before, ...present].filter(
    (pr) => own === undefined || pr.number === own.number || !isSilent(pr, { settings, now }),
  )
  await enqueueRecheck(ctx, affected)
  if (!activity) return
  if (activity.pr_number === null) {
    if (activity.branch !== null) await branchChanged(ctx, activity.branch, activity)
    return
  }
  if (activity.source !== 'pull_request' && wasEnded(activity)) await trackAgain(app, ctx, activity.pr_number)
  // A caller linked the activity after the events of the pull request arrived, so no event has read its files.
  if (isLive(activity.status) && activity.pushed_files === null)
    await enqueueFileReads(ctx, [activity.pr_number])
}

/** The pull requests of an activity, and of the live activities that share a path or an area with it, by number. */
async function listAffected(ctx: RepoContext, activity: ActivityRow): Promise<number[]> {
  const { id, status, pr_number } = activity
  if (!isLive(status)) return pr_number === null ? [] : [pr_number]
  const related = await findAffected(inDatabase(ctx), activity)
  return listPullRequestsOf(ctx.db, ctx.repo.id, [id, ...related])
}

/** Whether a caller ended the activity, not its pull request or its expiry. */
function wasEnded({ status, archive_reason }: ActivityRow): boolean {
  return isFinished(status) || archive_reason === 'requested'
}
