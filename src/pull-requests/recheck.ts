/** Rechecks a pull request: computes what overlaps with it now, and publishes that (contract §10). */
import { listLiveOf } from '../activities/pull-request-store.ts'
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { ask, type NewJob } from '../jobs/store.ts'
import { examineActivities } from '../overlap/check.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import { publish } from './publish.ts'
import { type Report, reportOf, reportOfNone } from './report.ts'
import { findPullRequest, listNumbered, listOpen, savePullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

/** The kind of job that rechecks one pull request, under the name by which jobs are stored. */
export const RECHECK = 'look'

/** A pull request is written to at most this often; changes in between share one edit. */
const QUIET_MS = 30_000
const PAGE = 500

/** The job that rechecks a pull request; requested again before it runs, it runs once. */
export function recheckJob(
  repo_id: number,
  pr: Pick<PullRequestRow, 'number' | 'told_at'>,
  now: Date,
): NewJob {
  const quiet = pr.told_at && later(pr.told_at, QUIET_MS)
  return {
    id: `${RECHECK}:${repo_id}:${pr.number}`,
    kind: RECHECK,
    repo_id,
    payload: { number: pr.number },
    run_at: quiet && quiet > now ? quiet : now,
  }
}

/** Enqueues a recheck of every open pull request of a repository. */
export async function enqueueAllRechecks(ctx: RepoContext): Promise<void> {
  for (let after = 0; ; ) {
    const page = await listOpen(ctx.db, ctx.repo.id, { after, limit: PAGE })
    await ask(
      ctx.db,
      page.map((pr) => recheckJob(ctx.repo.id, pr, ctx.now)),
      ctx.now,
    )
    if (page.length < PAGE) return
    after = page.at(-1)?.number ?? after
  }
}

/** Computes what overlaps with the pull request, and writes to it where the text changed: at most one comment and one check run. */
export async function recheck(app: App, repo_id: number, number: number, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_followed) return
  const pr = await findPullRequest(ctx.db, repo_id, number)
  if (!pr?.is_open) return
  const activities = await listLiveOf(ctx.db, repo_id, number, now)
  const conclusion = activities.length === 0 ? null : await examineActivities(ctx, activities)
  const related = conclusion ? [...conclusion.collisions, ...conclusion.notables].map((each) => each.id) : []
  await savePullRequest(ctx.db, repo_id, number, { related_ids: related })
  const { comment, track_pull_requests } = ctx.settings
  const report = conclusion
    ? await reportFor(ctx, pr, conclusion)
    : reportOfNone(pr, { ...comment, track_pull_requests })
  await publish(app, ctx, pr, report)
}

async function reportFor(ctx: RepoContext, pr: PullRequestRow, conclusion: Conclusion): Promise<Report> {
  const numbers = conclusion.collisions.flatMap(({ record }) => record.pr_number ?? [])
  const others = numbers.length === 0 ? [] : await listNumbered(ctx.db, ctx.repo.id, numbers)
  return reportOf(conclusion, pr, {
    ...ctx.settings.comment,
    opened_at: new Map(others.map((other) => [other.number, other.opened_at])),
  })
}
