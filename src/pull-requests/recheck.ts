/** Rechecks a pull request: computes its overlaps and publishes them if the text changed (contract §10). */
import { listLiveOf } from '../activities/pull-request-store.ts'
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { enqueue } from '../jobs/store.ts'
import { examineActivities } from '../overlap/check.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import { publish } from './publish.ts'
import { type Report, reportOf, reportOfNone } from './report.ts'
import { findPullRequest, listNumbered, listOpen, savePullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

/** The kind of job that rechecks one pull request, as stored in rows of earlier versions. */
export const RECHECK = 'look'

/** The least time between two publications to one pull request. */
const QUIET_MS = 30_000
const PAGE = 500

/** Enqueues one recheck of each of these pull requests, however often they are listed or enqueued before it runs. */
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

/** Computes the overlaps of the pull request and publishes at most one comment and one check run. */
export async function recheck(app: App, repo_id: number, number: number, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_installed) return
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
    others: new Map(others.map((other) => [other.number, other])),
  })
}
