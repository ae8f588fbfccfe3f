/** Rechecks the pull requests that a changed record affects, and keeps open pull requests tracked. */

import { checkActivities } from '../../../engine/check/check.ts'
import type { Conclusion } from '../../../engine/check/conclusion.ts'
import { asOf } from '../../../engine/records/activity-lifecycle.ts'
import { isFinished, isLive } from '../../../vocabulary/activity-status.ts'
import { isId } from '../../../vocabulary/contract/id.ts'
import { inDatabase } from '../../compare/database-source.ts'
import { listLive } from '../../records/activities/pull-request-store.ts'
import { findActivity } from '../../records/activities/store.ts'
import type { ActivityRow } from '../../records/activities/table.ts'
import { listOpen } from '../../records/pull-requests/lists-store.ts'
import type { App } from '../../records/repositories/app.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { record } from '../../tell/apply.ts'
import { branchCheck } from '../../tell/read.ts'
import { branchKey } from '../../tell/sides.ts'
import { recordEnd } from '../../tell/store.ts'
import { isSilent } from '../../tell/who-is-told.ts'
import { enqueueFileReads } from './changed-files.ts'
import { trackAgain } from './pull-requests.ts'
import { enqueueAllRechecks, enqueueRecheck, recheck } from './recheck.ts'

/**
 * Checks the work of the changed record, and enqueues a recheck of each pull request that it overlaps with now, or did at the
 * last recheck of that; not of one that shows nothing either way, if the work is a pull request, whose check records the
 * pairs. A pull request may need a new activity if a caller archived or finished one that was linked to it but not created
 * from it.
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
  const own =
    activity?.pr_number == null ? [] : await listOpen(db, repo.id, { numbers: [activity.pr_number] })
  const conclusion = activity ? await checkChanged(app, ctx, { activity, own }) : null
  const numbers = (conclusion?.collisions ?? []).flatMap(({ record }) => record.pr_number ?? [])
  const others = await listOpen(db, repo.id, { numbers, related_to: record_id })
  const told = others.filter((pr) =>
    own.every(({ number }) => pr.number !== number && !isSilent(pr, { settings, now })),
  )
  await enqueueRecheck(ctx, told)
  if (activity?.pr_number == null) return
  const { source, status, archive_reason } = activity
  const wasEnded = isFinished(status) || archive_reason === 'requested'
  if (source !== 'pull_request' && wasEnded) await trackAgain(app, ctx, activity.pr_number)
  // A caller linked the activity after the events of the pull request arrived, so no event has read its files.
  if (isLive(status) && activity.pushed_files === null) await enqueueFileReads(ctx, [activity.pr_number])
}

/** Checks the work of an activity once: as its open pull request, on its branch, or alone. Null if nothing was compared. */
async function checkChanged(
  app: App,
  ctx: RepoContext,
  { activity, own: [pr] }: { activity: ActivityRow; own: { number: number }[] },
): Promise<Conclusion | null> {
  if (pr) return recheck(app, ctx, pr)
  if (activity.pr_number === null && activity.branch !== null)
    return branchChanged(ctx, activity.branch, activity)
  return isLive(activity.status) ? checkActivities(inDatabase(ctx), [activity]) : null
}

/**
 * Checks the work on a branch after its activity `changed`, and records its overlaps unless it has a pull request. If no
 * activity is live any more, records that its work has ended, and returns null.
 */
async function branchChanged(
  ctx: RepoContext,
  branch: string,
  changed: ActivityRow,
): Promise<Conclusion | null> {
  const { db, now, repo, settings } = ctx
  const all = await listLive(db, repo.id, { branch }, now)
  const isRecorded = settings.comment.mode !== 'off' && all.every(({ pr_number }) => pr_number === null)
  const [first, ...more] = all
  if (first === undefined) {
    const { status, merged_at, updated_at } = changed
    const end = { is_merged: status === 'merged' || merged_at !== null, at: merged_at ?? updated_at }
    if (isRecorded) await recordEnd(ctx, { key: branchKey(branch), branch: null, ...end })
    return null
  }
  const conclusion = await checkActivities(inDatabase(ctx), all)
  const hasFiles = all.some((each) => each.changed_files.length + (each.pushed_files?.length ?? 0) > 0)
  if (isRecorded && hasFiles)
    await record(ctx, branchCheck(branch, [first, ...more], { conclusion, is_partial: false }))
  return conclusion
}
