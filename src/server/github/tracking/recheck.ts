/** Rechecks pull requests: finds those that a changed record affects, computes their overlaps, and publishes them if the text changed. */

import { checkActivities } from '../../../engine/check/check.ts'
import type { Conclusion } from '../../../engine/check/source.ts'
import { asOf } from '../../../engine/records/activity-lifecycle.ts'
import { isFinished, isLive } from '../../../vocabulary/activity-status.ts'
import { later } from '../../../vocabulary/clock.ts'
import { isId } from '../../../vocabulary/contract/field.ts'
import { inDatabase } from '../../compare/database-source.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { listLive } from '../../records/activities/pull-request-store.ts'
import { findActivity } from '../../records/activities/store.ts'
import type { ActivityRow } from '../../records/activities/table.ts'
import { listOpen, openPages } from '../../records/pull-requests/store.ts'
import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { App } from '../../records/repositories/app.ts'
import { readGithub } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { publishDecided, record } from '../../tell/apply.ts'
import type { Decision } from '../../tell/decide.ts'
import { branchCheck, checkPullRequest } from '../../tell/read.ts'
import { branchKey } from '../../tell/sides.ts'
import { recordEnd } from '../../tell/store.ts'
import { isSilent } from '../../tell/who-is-told.ts'
import { nullIfWithoutPermission } from '../repository-calls.ts'
import { type BranchDirectory, listDirectory as listDirectoryOf } from '../trees.ts'
import { enqueueFileReads } from './changed-files.ts'

/** The kind of job that rechecks one pull request. */
export const RECHECK = 'recheck'

/** The minimum time between two publications to one pull request. */
const QUIET_MS = 30_000

/**
 * Enqueues a recheck of each of these pull requests. It runs once, even if it is enqueued several times before. `live`: their authors
 * wait for it.
 */
export async function enqueueRecheck(
  { db, now, repo }: RepoContext,
  prs: Pick<PullRequestRow, 'number' | 'published_at'>[],
  priority: 'live' | 'recheck' = 'recheck',
): Promise<void> {
  const jobs = prs.map(({ number, published_at }) => {
    const run_at = quietUntil(published_at, now)
    return jobOn(repo, RECHECK, { about: number, priority, payload: { number }, run_at })
  })
  await enqueue(db, jobs, now)
}

function quietUntil(published_at: Date | null, now: Date): Date {
  const quiet_until = published_at && later(published_at, QUIET_MS)
  return quiet_until && quiet_until > now ? quiet_until : now
}

/** Enqueues a recheck of every open pull request of a repository. */
export async function enqueueAllRechecks(ctx: RepoContext): Promise<void> {
  for await (const page of openPages(ctx.db, ctx.repo.id)) await enqueueRecheck(ctx, page)
}

/**
 * Checks an open pull request, records its pairs, and publishes at most one comment and one check run; within the quiet time,
 * a later recheck publishes. Returns what was found, null if nothing was compared, and the sides that need not hear of it.
 */
export async function recheck(
  app: App,
  ctx: RepoContext,
  { number }: Pick<PullRequestRow, 'number'>,
): Promise<Pick<Decision, 'unshown'> & { conclusion: Conclusion | null }> {
  const { public_url } = app.config
  const { owner, name } = ctx.repo
  const page_url = public_url && `${public_url}/#/${owner}/${name}?pr=${number}`
  const listDirectory = async (directory: BranchDirectory) => {
    const listing = readGithub(app, ctx, (reader, { repo }) => listDirectoryOf(reader, repo, directory))
    return (await listing.catch(nullIfWithoutPermission)) ?? null
  }
  const asApp = { ...ctx, caller: { ...ctx.caller, listDirectory } }
  const check = await checkPullRequest(asApp, number, page_url)
  if (!check) return { conclusion: null, unshown: new Set() }
  const { pr } = check.subject
  const decision = await record(ctx, check)
  if (pr && quietUntil(pr.published_at, ctx.now) > ctx.now) await enqueueRecheck(ctx, [pr], 'live')
  else if (await publishDecided(app, ctx, decision)) {
    const again = await checkPullRequest(asApp, number, page_url)
    if (again) await publishDecided(app, ctx, await record(ctx, again))
  }
  return { conclusion: check.conclusion, unshown: decision.unshown }
}

/**
 * Checks the work of the changed record, and enqueues a recheck of each pull request that it overlaps with now, or did at the
 * last recheck of that; not of one that shows nothing either way (`isSilent`), if the work is a pull request, whose check records the
 * pairs. Returns the number of the pull request that may need a new activity, because a caller archived or finished one that
 * was linked to it but not created from it; null if there is none.
 */
export async function recheckAffected(
  app: App,
  ctx: RepoContext,
  { record_id }: { record_id: string },
): Promise<number | null> {
  const { db, now, repo, settings } = ctx
  if (!isId('act', record_id)) {
    // A notable may affect any pull request. A recheck that finds no difference makes no call.
    await enqueueAllRechecks(ctx)
    return null
  }
  const stored = await findActivity(db, repo.id, record_id)
  // Undefined if it was purged in the meantime. The pull requests that overlapped with it are rechecked anyway.
  const activity = stored && asOf(stored, now)
  const [pr] =
    activity?.pr_number == null ? [] : await listOpen(db, repo.id, { numbers: [activity.pr_number] })
  const { conclusion, unshown } =
    activity && pr
      ? await recheck(app, ctx, pr)
      : { conclusion: activity ? await checkChanged(ctx, activity) : null, unshown: new Set<string>() }
  const numbers = (conclusion?.collisions ?? []).flatMap(({ record }) => record.pr_number ?? [])
  const others = await listOpen(db, repo.id, { numbers, related_to: record_id })
  const isTold = (other: PullRequestRow) =>
    other.number !== pr?.number && !isSilent(other, { settings, now, unshown })
  const told = pr ? others.filter(isTold) : others
  await enqueueRecheck(ctx, told)
  if (activity?.pr_number == null) return null
  const { source, status, archive_reason } = activity
  // A caller linked the activity after the events of the pull request arrived, so no event has read its files.
  if (isLive(status) && activity.pushed_files === null) await enqueueFileReads(ctx, [activity.pr_number])
  const wasEnded = isFinished(status) || archive_reason === 'requested'
  return source !== 'pull_request' && wasEnded ? activity.pr_number : null
}

/** Checks the work of an activity without an open pull request once: on its branch, or alone. Null if nothing was compared. */
async function checkChanged(ctx: RepoContext, activity: ActivityRow): Promise<Conclusion | null> {
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
