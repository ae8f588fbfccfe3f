/** What became of the pairs of a pull request or branch that ended. */

import { later } from '../../vocabulary/clock.ts'
import { listLiveOf, listLiveOnBranch } from '../activities/pull-request-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { record } from '../decision/apply.ts'
import { branchCheck } from '../decision/read.ts'
import type { GithubPullRequest } from '../github/pull-request.ts'
import { enqueue, type NewJob } from '../jobs/store.ts'
import { countRead, openNumberOf, recordEnd, recordOutcome, wasClean, wasShown } from '../ledger/ledger.ts'
import { branchKey, kindOf, pullRequestKey } from '../ledger/pair.ts'
import { isMergeableAwaited, saveMergeable } from '../ledger/store.ts'
import type { PairName, PairRow } from '../ledger/table.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import { listChangeSet } from '../line-verdicts/store.ts'
import { keepMergedWork } from '../merged-work/merged-work.ts'
import { checkActivities } from '../overlap/check.ts'
import { rulesOf } from '../overlap/rules.ts'
import { listNumbered } from '../pull-requests/store.ts'
import type { App } from '../repositories/app.ts'
import { readPullRequest } from '../repositories/reading.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { enqueueRecheck } from './recheck.ts'

/** The kind of job that asks GitHub whether a merge made the other side of a pair conflict. */
export const OUTCOME = 'outcome'

/** The maximum number of requests per pair and merge. GitHub computes the answer in the background, after the merge. */
const READS_MAX = 2
const FIRST_READ_MS = 10_000
const NEXT_READ_MS = 60_000

function outcomeJob(repo: RepoContext['repo'], { first, second }: PairName, run_at: Date): NewJob {
  const { id: repo_id, owner } = repo
  const id = `${OUTCOME}:${repo_id}:${first}:${second}`
  return { id, kind: OUTCOME, priority: 'live', repo_id, owner, payload: { first, second }, run_at }
}

export type EndedPullRequest = Pick<
  GithubPullRequest,
  'number' | 'branch' | 'base_branch' | 'is_fork' | 'is_merged' | 'merged_at' | 'changed_at'
>

/** Records that a pull request was merged or closed. Returns those of its pairs whose outcome now depends on the other side. */
export async function recordPullRequestEnd(ctx: RepoContext, pr: EndedPullRequest): Promise<PairRow[]> {
  const { db, now, repo, settings } = ctx
  if (settings.comment.mode === 'off') return []
  const live = await listLiveOf(db, repo.id, pr.number, now)
  return recordEnd(ctx, {
    key: pullRequestKey(pr.number),
    branch: pr.is_fork ? null : pr.branch,
    is_merged: pr.is_merged,
    at: pr.merged_at ?? pr.changed_at,
    activity_ids: live.map(({ id }) => id),
  })
}

/** Keeps the lines of a merged pull request, by which the same work is recognized. Its activities are still live. */
export async function keepLines(
  ctx: RepoContext,
  pr: Pick<GithubPullRequest, 'number' | 'branch' | 'base_branch'>,
): Promise<void> {
  const { db, now, repo, settings } = ctx
  const files: FileChange[] = []
  for (const { id } of await listLiveOf(db, repo.id, pr.number, now))
    files.push(...(await listChangeSet(db, { repo_id: repo.id, activity_id: id, origin: 'pushed' })))
  const { noise } = rulesOf(settings, repo.noise_attributes)
  await keepMergedWork(ctx, pr, { files, noise })
}

/** Enqueues a recheck of the other side of each pair and, if the pair was shown, a job that asks GitHub about that side. */
export async function enqueueOutcomes(ctx: RepoContext, awaited: readonly PairRow[]): Promise<void> {
  const { db, now, repo } = ctx
  const open = awaited.filter((row) => openNumberOf(row) !== null)
  if (open.length === 0) return
  const numbers = open.flatMap((row) => openNumberOf(row) ?? [])
  await enqueueRecheck(ctx, await listNumbered(db, repo.id, numbers))
  // GitHub can merge a side that only holds the same number.
  const reads = open
    .filter((row) => wasShown(row) && kindOf(row) !== 'sequence')
    .map((row) => outcomeJob(repo, row, later(now, FIRST_READ_MS)))
  await enqueue(db, reads, now)
}

/** Asks GitHub whether a pull request that was first shown pairs can be merged. If GitHub does not know, it stays unknown. One call. */
export async function readMergeable(
  app: App,
  ctx: RepoContext,
  { number }: { number: number },
): Promise<void> {
  const { db, repo } = ctx
  const key = pullRequestKey(number)
  if (!(await isMergeableAwaited(db, repo.id, key))) return
  const pr = await readPullRequest(app, ctx, number)
  if (pr?.is_open && pr.is_mergeable !== null) await saveMergeable(db, repo.id, key, pr.is_mergeable)
}

/** Asks GitHub whether the side that is still open after a merge can be merged. One call. */
export async function readOutcome(app: App, ctx: RepoContext, name: PairName): Promise<void> {
  const { db, now, repo } = ctx
  const row = await countRead(ctx, name, READS_MAX)
  const number = row && openNumberOf(row)
  if (row === undefined || number == null) return
  const pr = await readPullRequest(app, ctx, number)
  if (!pr?.is_open) return
  if (pr.is_mergeable === false && wasClean(row)) await recordOutcome(ctx, name, 'came_true')
  else if (row.reads < READS_MAX) await enqueue(db, [outcomeJob(repo, name, later(now, NEXT_READ_MS))], now)
}

/**
 * Records the overlaps of a branch without a pull request after its activity `changed`. If no activity is live any more,
 * records that its work has ended.
 */
export async function branchChanged(ctx: RepoContext, branch: string, changed: ActivityRow): Promise<void> {
  const { db, now, repo, settings } = ctx
  if (settings.comment.mode === 'off') return
  const all = await listLiveOnBranch(db, repo.id, branch, now)
  if (all.some(({ pr_number }) => pr_number !== null)) return
  const [first, ...more] = all
  if (first === undefined) {
    const { status, merged_at, updated_at } = changed
    const end = { is_merged: status === 'merged' || merged_at !== null, at: merged_at ?? updated_at }
    await recordEnd(ctx, { key: branchKey(branch), branch: null, activity_ids: [], ...end })
    return
  }
  const hasFiles = all.some((each) => each.changed_files.length + (each.pushed_files?.length ?? 0) > 0)
  if (!hasFiles) return
  const conclusion = await checkActivities(ctx, all)
  await record(ctx, branchCheck(branch, [first, ...more], { conclusion, is_partial: false }))
}
