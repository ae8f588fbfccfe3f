/** Records in the ledger which pairs the answer to a create or a check showed, after the answer was sent. */

import type { Conclusion } from '../../engine/check/source.ts'
import { authorLogin } from '../../engine/records/activity.ts'
import { listLive } from '../records/activities/pull-request-store.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import { findPullRequest } from '../records/pull-requests/store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { record } from './apply.ts'
import { branchCheck } from './read.ts'
import { branchKey, groupOverlaps, pullRequestKey, type SideKey } from './sides.ts'
import { markShown } from './store.ts'

/**
 * Records the pairs that the answer to a create shows. Those of a branch without a pull request are stored first: no
 * recheck has done so yet. Its creator is an author of the work on the branch.
 */
export function createAnswered(ctx: RepoContext, activity: ActivityRow, conclusion: Conclusion): void {
  afterShown(ctx, activity, conclusion, async (branch, others, live) => {
    const number = activity.pr_number ?? pullRequestOf(live)
    if (number === null) {
      await record(ctx, branchCheck(branch, [activity], { conclusion, is_partial: true }))
      await markShown(ctx, branchKey(branch), others)
    } else await markAuthor(ctx, number, others)
  })
}

/**
 * Records the pairs that the answer to a check shows, if the caller may write and is an author of the branch. Only a branch
 * with live activities has pairs in the ledger.
 */
export function checkAnswered(ctx: RepoContext, branch: string | null, conclusion: Conclusion): void {
  if (!ctx.caller.may_write) return
  afterShown(ctx, { branch }, conclusion, async (branch, others, live) => {
    const number = pullRequestOf(live)
    if (number !== null) await markAuthor(ctx, number, others)
    else if (await isCallerAmong(ctx, live.map(authorLogin))) await markShown(ctx, branchKey(branch), others)
  })
}

/**
 * Calls `mark` after the answer, with the sides that it shows to overlap with the work on a branch, and the live activities
 * there. Does nothing without such a side, or if no ledger is kept.
 */
function afterShown(
  ctx: RepoContext,
  { branch }: Pick<ActivityRow, 'branch'>,
  { collisions }: Conclusion,
  mark: (branch: string, others: SideKey[], live: readonly ActivityRow[]) => Promise<void>,
): void {
  const { caller, db, now, repo, settings } = ctx
  if (branch === null || !repo.is_tracked || settings.comment.mode === 'off') return
  const others = groupOverlaps(collisions).flatMap(({ key }) => key ?? [])
  if (others.length > 0)
    caller.afterAnswer(async () => mark(branch, others, await listLive(db, repo.id, { branch }, now)))
}

function pullRequestOf(live: readonly ActivityRow[]): number | null {
  return live.find(({ pr_number }) => pr_number !== null)?.pr_number ?? null
}

/** Marks the pairs of a pull request as shown if the caller is its author. */
async function markAuthor(ctx: RepoContext, number: number, others: SideKey[]): Promise<void> {
  const pr = await findPullRequest(ctx.db, ctx.repo.id, number)
  if (await isCallerAmong(ctx, [pr?.author ?? null])) await markShown(ctx, pullRequestKey(number), others)
}

async function isCallerAmong({ caller }: RepoContext, logins: readonly (string | null)[]): Promise<boolean> {
  if (logins.every((login) => login === null)) return false
  const identity = caller.identity ?? (await caller.findIdentity())
  const own = identity?.login.toLowerCase()
  return own !== undefined && logins.some((login) => login?.toLowerCase() === own)
}
