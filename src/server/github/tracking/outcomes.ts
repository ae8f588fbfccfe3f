/** What became of the pairs of a pull request or branch that ended. */

import { checkActivities } from '../../../engine/check/check.ts'
import type { Conclusion } from '../../../engine/check/conclusion.ts'
import { rulesOf } from '../../../engine/check/rules.ts'
import type { FileChange } from '../../../engine/lines/change.ts'
import { inDatabase } from '../../compare/database-source.ts'
import { listLiveOf, listLiveOnBranch } from '../../records/activities/pull-request-store.ts'
import type { ActivityRow } from '../../records/activities/table.ts'
import { listChangeSet } from '../../records/file-changes/store.ts'
import { keepMergedWork } from '../../records/merged-work/merged-work.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { record } from '../../tell/apply.ts'
import { branchCheck } from '../../tell/read.ts'
import { branchKey, pullRequestKey } from '../../tell/sides.ts'
import { recordEnd } from '../../tell/store.ts'
import type { GithubPullRequest } from '../pull-request.ts'

export type EndedPullRequest = Pick<
  GithubPullRequest,
  'number' | 'branch' | 'base_branch' | 'is_fork' | 'is_merged' | 'merged_at' | 'changed_at'
>

/** Records that a pull request was merged or closed. Returns the numbers of those whose pairs with it ended by its merge. */
export async function recordPullRequestEnd(ctx: RepoContext, pr: EndedPullRequest): Promise<number[]> {
  if (ctx.settings.comment.mode === 'off') return []
  return recordEnd(ctx, {
    key: pullRequestKey(pr.number),
    branch: pr.is_fork ? null : pr.branch,
    is_merged: pr.is_merged,
    at: pr.merged_at ?? pr.changed_at,
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

/**
 * Checks the work on a branch after its activity `changed`, and records its overlaps unless it has a pull request. If no
 * activity is live any more, records that its work has ended, and returns null.
 */
export async function branchChanged(
  ctx: RepoContext,
  branch: string,
  changed: ActivityRow,
): Promise<Conclusion | null> {
  const { db, now, repo, settings } = ctx
  const all = await listLiveOnBranch(db, repo.id, branch, now)
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
