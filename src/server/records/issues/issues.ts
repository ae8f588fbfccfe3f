/** Who works on an issue, and which merged pull request closes it (docs/contract/issues.md). */

import { issuePlace } from '../../../engine/record.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { ISSUE_OTHERS_MAX, type Issue, type IssueWorker } from '../../../vocabulary/contract/issue.ts'
import { liveSetOf } from '../../compare/database-source.ts'
import { listPlaced } from '../activities/store.ts'
import { findMergedClosing } from '../merged-work/store.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** How long a merged pull request is named as the one that closed an issue. */
const DONE_WITHIN_MS = 30 * DAY_MS

export async function getIssue(ctx: RepoContext, number: number): Promise<Issue> {
  const [workers, done_by] = await Promise.all([listWorkers(ctx, number), findDoneBy(ctx, number)])
  const [holder = null, ...others] = workers
  return { number, holder, others: others.slice(0, ISSUE_OTHERS_MAX), done_by }
}

/** The live activities on an issue in the order in which they came; the first one holds it. Everything that was committed before is seen. */
async function listWorkers(ctx: RepoContext, number: number): Promise<IssueWorker[]> {
  const { db, repo, now } = ctx
  const set = await liveSetOf(ctx)
  const ids = set.at(issuePlace(number)).map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await listPlaced(db, repo.id, ids)
  return rows
    .flatMap(({ issue_places, id: activity_id, status, expires_at, ...worker }) => {
      const place = isLive(status) && expires_at > now ? issue_places?.[number] : undefined
      return place ? [{ place, worker: { activity_id, ...worker, since: place.since } }] : []
    })
    .sort((one, other) => one.place.position - other.place.position)
    .map(({ worker }) => worker)
}

async function findDoneBy({ db, repo, now }: RepoContext, issue: number): Promise<Issue['done_by']> {
  const merged = await findMergedClosing(db, repo.id, { issue, since: later(now, -DONE_WITHIN_MS) })
  if (!merged) return null
  const { number, merged_at } = merged
  return { pr_url: `${repo.web_urls[0]}/pull/${number}`, merged_at: merged_at.toISOString() }
}
