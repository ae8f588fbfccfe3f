/** What a changed record means for pull requests: those that it touches are rechecked, and none loses its activity (contract §5 and §10). */
import { getActivity } from '../activities/activities.ts'
import { isFinished, isLive } from '../activities/lifecycle.ts'
import { listPullRequestsOf } from '../activities/pull-request-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { Failure } from '../base/failure.ts'
import { isId } from '../base/id.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { ask } from '../jobs/store.ts'
import { relatedActivityIds } from '../overlap/check.ts'
import { trackAgain } from './pull-requests.ts'
import { enqueueAllRechecks, recheckJob } from './recheck.ts'
import { listNumbered, listRelatedTo } from './store.ts'

/**
 * Enqueues a recheck of each pull request that a changed activity or notable touches now, and of each that its last
 * recheck related to it. Calls GitHub only for a pull request whose declared activity somebody archived or finished.
 */
export async function followChange(app: App, repo_id: number, record_id: string, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_followed) return
  // A notable may come to apply to any pull request; where it does not, the recheck ends without a call.
  if (!isId('act', record_id)) return enqueueAllRechecks(ctx)
  const activity = await findActivity(ctx, record_id)
  const numbers = activity ? await touchedBy(ctx, activity) : []
  const before = await listRelatedTo(ctx.db, repo_id, [record_id])
  const touched = numbers.length === 0 ? [] : await listNumbered(ctx.db, repo_id, numbers)
  const rechecks = new Map([...before, ...touched].map((pr) => [pr.number, recheckJob(repo_id, pr, now)]))
  await ask(ctx.db, [...rechecks.values()], now)
  if (activity?.source === 'api' && activity.pr_number !== null && wasEnded(activity))
    await trackAgain(app, ctx, activity.pr_number)
}

/** Undefined when it was purged meanwhile: the pull requests that were related to it are rechecked all the same. */
async function findActivity(ctx: RepoContext, id: string): Promise<ActivityRow | undefined> {
  try {
    return await getActivity(ctx, id)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined
    throw error
  }
}

/** Numbers of the pull requests of an activity, and of the live ones that it collides with. */
async function touchedBy(ctx: RepoContext, activity: ActivityRow): Promise<number[]> {
  const { id, status, pr_number } = activity
  if (!isLive(status)) return pr_number === null ? [] : [pr_number]
  const related = await relatedActivityIds(ctx, activity)
  return listPullRequestsOf(ctx.db, ctx.repo.id, [id, ...related])
}

/** Whether a caller ended the activity: neither its pull request nor time did. */
function wasEnded({ status, archive_reason }: ActivityRow): boolean {
  return isFinished(status) || archive_reason === 'requested'
}
