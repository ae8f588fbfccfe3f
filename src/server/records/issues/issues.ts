/** Who works on an issue, and which merged pull request closes it (docs/contract/issues.md). */

import { issuesOf } from '../../../engine/records/compared-scope.ts'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import {
  ISSUE_NUMBER_MAX,
  ISSUE_OTHERS_MAX,
  type Issue,
  type IssueClaim,
  NOT_AN_ISSUE,
} from '../../../vocabulary/contract/issue.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { listOnIssue } from '../activities/issue-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { findMergedClosing } from '../pull-requests/store.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** How long a merged pull request is named as the one that closed an issue. */
const DONE_WITHIN_MS = 30 * DAY_MS

/** The issue of an activity, and whether the activity holds it; null if it has none. */
export async function getIssueClaim(ctx: RepoContext, activity: ActivityRow): Promise<IssueClaim | null> {
  const [number] = issuesOf(activity)
  if (number === undefined) return null
  const [first, done_by] = await Promise.all([listWorkers(ctx, number, 1), findDoneBy(ctx, number)])
  const holder = first[0] ?? null
  return { number, claimed: holder?.activity_id === activity.id, holder, done_by }
}

/** `digits`: the number as it is in the path. Throws `not_found` for any other text. */
export async function getIssue(ctx: RepoContext, digits: string): Promise<Issue> {
  const number = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : 0
  if (number === 0 || number > ISSUE_NUMBER_MAX) throw new Failure('not_found', NOT_AN_ISSUE)
  const [workers, done_by] = await Promise.all([
    listWorkers(ctx, number, 1 + ISSUE_OTHERS_MAX),
    findDoneBy(ctx, number),
  ])
  const [holder = null, ...others] = workers
  return { number, holder, others, done_by }
}

async function listWorkers({ db, repo, now }: RepoContext, number: number, limit: number) {
  const rows = await listOnIssue(db, repo.id, { number, now, limit })
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }))
}

async function findDoneBy({ db, repo, now }: RepoContext, issue: number): Promise<Issue['done_by']> {
  const merged = await findMergedClosing(db, repo.id, { issue, since: later(now, -DONE_WITHIN_MS) })
  if (!merged) return null
  const { number, merged_at } = merged
  return { pr_url: `${repo.web_urls[0]}/pull/${number}`, merged_at: merged_at.toISOString() }
}
