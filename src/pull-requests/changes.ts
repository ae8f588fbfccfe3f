/** Finds the pull requests that a changed record touches, so that they are looked at (contract §10). */

import { getActivity } from '../activities/activities.ts'
import { isLive } from '../activities/lifecycle.ts'
import { listPullRequestsOf } from '../activities/pull-request-store.ts'
import { Failure } from '../base/failure.ts'
import { isId } from '../base/id.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { ask } from '../jobs/store.ts'
import { relatedActivityIds } from '../overlap/check.ts'
import { lookJob } from './look.ts'
import { listNumbered, listOpen, listRelatedTo } from './store.ts'

const PAGE = 500

/**
 * Asks for a look at each pull request that a changed activity or notable touches now, and at each that its last look
 * related to it. Costs no call to GitHub.
 */
export async function followChange(app: App, repo_id: number, record_id: string, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_followed) return
  // A notable may come to apply to any pull request; where it does not, the look ends without a call.
  if (!isId('act', record_id)) return lookAtAll(ctx)
  const numbers = await touchedBy(ctx, record_id)
  const before = await listRelatedTo(ctx.db, repo_id, [record_id])
  const touched = numbers.length === 0 ? [] : await listNumbered(ctx.db, repo_id, numbers)
  await ask(
    ctx.db,
    [...new Map([...before, ...touched].map((pr) => [pr.number, lookJob(repo_id, pr, now)])).values()],
    now,
  )
}

/** Asks for a look at every open pull request of a repository. */
export async function lookAtAll(ctx: RepoContext): Promise<void> {
  for (let after = 0; ; ) {
    const page = await listOpen(ctx.db, ctx.repo.id, { after, limit: PAGE })
    await ask(
      ctx.db,
      page.map((pr) => lookJob(ctx.repo.id, pr, ctx.now)),
      ctx.now,
    )
    if (page.length < PAGE) return
    after = page.at(-1)?.number ?? after
  }
}

/** Numbers of the pull requests of an activity, and of the live ones that it collides with. */
async function touchedBy(ctx: RepoContext, id: string): Promise<number[]> {
  try {
    const activity = await getActivity(ctx, id)
    if (!isLive(activity.status)) return activity.pr_number === null ? [] : [activity.pr_number]
    const related = await relatedActivityIds(ctx, activity)
    return await listPullRequestsOf(ctx.db, ctx.repo.id, [id, ...related])
  } catch (error) {
    // Purged meanwhile: what was related to it is looked at all the same.
    if (error instanceof Failure && error.kind === 'not_found') return []
    throw error
  }
}
