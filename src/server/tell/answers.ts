/** Records in the ledger which pairs the answer to a create or a check showed, after the answer was sent. */

import type { Conclusion } from '../../engine/check/source.ts'
import { authorLogin } from '../../engine/records/activity.ts'
import { listLive } from '../records/activities/pull-request-store.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import { findPullRequest } from '../records/pull-requests/store.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { record } from './apply.ts'
import { branchCheck } from './read.ts'
import { branchKey, groupOverlaps, pullRequestKey } from './sides.ts'
import { markShown } from './store.ts'

/**
 * Records the pairs of the work on a branch that an answer shows, if the caller may write and is an author of that work. `created`:
 * the activity that the answer is about, whose creator is one; its pairs are stored first, unless the branch has a pull request, because
 * no recheck has done so yet. Of a check, only a branch with live activities has pairs in the ledger.
 */
export function answered(
  ctx: RepoContext,
  branch: string | null,
  { conclusion, created }: { conclusion: Conclusion; created?: ActivityRow },
): void {
  const { caller, db, now, repo, settings } = ctx
  if (!caller.may_write || branch === null || !repo.is_tracked || settings.comment.mode === 'off') return
  const others = groupOverlaps(conclusion.collisions).flatMap(({ key }) => key ?? [])
  if (others.length === 0) return
  caller.afterAnswer(async () => {
    const live = await listLive(db, repo.id, { branch }, now)
    const number = [created, ...live].find((each) => each?.pr_number != null)?.pr_number ?? null
    const pr = number === null ? undefined : await findPullRequest(db, repo.id, number)
    const authors = number === null ? live.map(authorLogin) : [pr?.author ?? null]
    if (created && number === null)
      await record(ctx, branchCheck(branch, [created], { conclusion, is_partial: true }))
    else if (!(await isCallerAmong(ctx, authors))) return
    await markShown(ctx, number === null ? branchKey(branch) : pullRequestKey(number), others)
  })
}

async function isCallerAmong({ caller }: RepoContext, logins: readonly (string | null)[]): Promise<boolean> {
  if (logins.every((login) => login === null)) return false
  const identity = caller.identity ?? (await caller.findIdentity())
  const own = identity?.login.toLowerCase()
  return own !== undefined && logins.some((login) => login?.toLowerCase() === own)
}
