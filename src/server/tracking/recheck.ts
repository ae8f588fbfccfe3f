/** Rechecks a pull request: computes its overlaps and publishes them if the text changed. */

import { later } from '../../vocabulary/clock.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { listLiveOf } from '../activities/pull-request-store.ts'
import { sideOfPullRequest } from '../decision/overlap-groups.ts'
import { enqueue } from '../jobs/store.ts'
import { enterShown } from '../ledger/ledger.ts'
import { checkActivities } from '../overlap/check.ts'
import { findPullRequest, listOpen, savePullRequest } from '../pull-requests/store.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import { publish } from '../report/publish.ts'
import { type ReportOptions, reportOf, reportOfNone } from '../report/report.ts'
import type { App } from '../repositories/app.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { budgetStateOf } from './comment-budget.ts'
import { enterOverlaps } from './sightings.ts'

/** The kind of job that rechecks one pull request. */
export const RECHECK = 'recheck'

/** The minimum time between two publications to one pull request. */
const QUIET_MS = 30_000
const PAGE = 500

/** Enqueues a recheck of each of these pull requests. It runs once, even if it is enqueued several times before. */
export async function enqueueRecheck(
  { db, now, repo }: RepoContext,
  prs: Pick<PullRequestRow, 'number' | 'published_at'>[],
): Promise<void> {
  const jobs = prs.map(({ number, published_at }) => {
    const quiet_until = published_at && later(published_at, QUIET_MS)
    return {
      id: `${RECHECK}:${repo.id}:${number}`,
      kind: RECHECK,
      repo_id: repo.id,
      payload: { number },
      run_at: quiet_until && quiet_until > now ? quiet_until : now,
    }
  })
  await enqueue(db, [...new Map(jobs.map((job) => [job.id, job])).values()], now)
}

/** Enqueues a recheck of every open pull request of a repository. */
export async function enqueueAllRechecks(ctx: RepoContext): Promise<void> {
  for (let after = 0; ; ) {
    const page = await listOpen(ctx.db, ctx.repo.id, { after, limit: PAGE })
    await enqueueRecheck(ctx, page)
    if (page.length < PAGE) return
    after = page.at(-1)?.number ?? after
  }
}

/** Computes the overlaps of the pull request, records them in the ledger, and publishes at most one comment and one check run. */
export async function recheck(
  app: App,
  ctx: RepoContext,
  { number }: Pick<PullRequestRow, 'number'>,
): Promise<void> {
  const { db, now, repo } = ctx
  const pr = await findPullRequest(db, repo.id, number)
  if (!pr?.is_open) return
  const activities = await listLiveOf(db, repo.id, number, now)
  if (activities.length === 0) {
    const { comment, track_pull_requests } = ctx.settings
    await savePullRequest(db, repo.id, number, { related_ids: [] })
    await publish(app, ctx, pr, reportOfNone(pr, { ...comment, track_pull_requests, now }))
    return
  }
  const isNewPush = pr.noise_entered_at?.getTime() !== pr.pushed_at?.getTime()
  const conclusion = await checkActivities(ctx, activities, isNewPush ? ['noise'] : [])
  const side = sideOfPullRequest(pr)
  const branch = pr.branch?.includes(':') ? null : pr.branch
  const entered = await enterOverlaps(ctx, { side, branch, activities, conclusion })
  if (isNewPush) await savePullRequest(db, repo.id, number, { noise_entered_at: pr.pushed_at })
  const is_blocking = activities.some(({ blocking }) => blocking)
  const report = reportOf(conclusion, pr, { ...(await optionsOf(app, ctx, pr)), is_blocking, entered })
  const is_shown = await publish(app, ctx, pr, report)
  const others = report.activities.slice(0, OTHERS_SHOWN_MAX).flatMap(({ key }) => key ?? [])
  if (is_shown && others.length > 0)
    await enterShown(ctx, side.key, { others, is_mergeable: pr.is_mergeable })
}

async function optionsOf(
  app: App,
  ctx: RepoContext,
  pr: PullRequestRow,
): Promise<Omit<ReportOptions, 'is_blocking'>> {
  const { repo, settings, now } = ctx
  const { public_url } = app.config
  return {
    comment: settings.comment,
    is_over_budget: pr.commented_at === null && (await budgetStateOf(ctx)).in_force,
    now,
    web_url: repo.web_urls[0] as string,
    page_url: public_url && `${public_url}/#/${repo.owner}/${repo.name}?pr=${pr.number}`,
  }
}
