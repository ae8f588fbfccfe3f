/** Records in the ledger which pairs the answer to a create or a check showed. */
import { listLiveOnBranch } from '../activities/pull-request-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { branchKey, pullRequestKey, type SideKey } from '../ledger/pair.ts'
import { markShown } from '../ledger/store.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { record } from './apply.ts'
import { branchCheck } from './read.ts'
import { groupOverlaps } from './sides.ts'

/**
 * Records the pairs that the answer to a create showed. Those of a branch without a pull request are stored first: no
 * recheck has done so yet.
 */
export async function createAnswered(
  ctx: RepoContext,
  activity: ActivityRow,
  conclusion: Conclusion,
): Promise<void> {
  const { branch, pr_number } = activity
  const others = listShown(ctx, conclusion)
  if (branch === null || others.length === 0) return
  if (pr_number === null) await record(ctx, branchCheck(branch, [activity], { conclusion, is_partial: true }))
  await markAnswered(ctx, { branch, pr_number }, others)
}

/** Records the pairs that the answer to a check showed. Only a branch with live activities has pairs in the ledger. */
export async function checkAnswered(
  ctx: RepoContext,
  branch: string | null,
  conclusion: Conclusion,
): Promise<void> {
  const others = listShown(ctx, conclusion)
  if (branch === null || others.length === 0) return
  const live = await listLiveOnBranch(ctx.db, ctx.repo.id, branch, ctx.now)
  if (live.length === 0) return
  const pr_number = live.find((each) => each.pr_number !== null)?.pr_number ?? null
  await markAnswered(ctx, { branch, pr_number }, others)
}

function markAnswered(
  { db, now, repo }: RepoContext,
  { branch, pr_number }: { branch: string; pr_number: number | null },
  others: SideKey[],
): Promise<void> {
  const key = pr_number === null ? branchKey(branch) : pullRequestKey(pr_number)
  return markShown(db, repo.id, key, { others, at: now, is_mergeable: null })
}

/** The sides with which the answer showed a conflict or a duplicate; none if no ledger is kept. */
function listShown({ repo, settings }: RepoContext, { collisions }: Conclusion): SideKey[] {
  if (!repo.is_tracked || settings.comment.mode === 'off') return []
  const shown = collisions.filter(({ match }) => match.lines === 'conflict' || match.duplicate !== null)
  return groupOverlaps(shown).flatMap(({ key }) => key ?? [])
}
