/** Records in the ledger which pairs the answer to a create or a check showed. */
import { listLiveOnBranch } from '../activities/pull-request-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { groupOverlaps, sideOfBranch } from '../decision/overlap-groups.ts'
import { enterShown } from '../ledger/ledger.ts'
import { branchKey, pullRequestKey, type SideKey } from '../ledger/pair.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { enterOverlaps } from './sightings.ts'

/**
 * Records the pairs that the answer to a create showed. Those of a branch without a pull request are entered first: no
 * recheck has done so yet.
 */
export async function createAnswered(
  ctx: RepoContext,
  activity: ActivityRow,
  conclusion: Conclusion,
): Promise<void> {
  const { branch, pr_number } = activity
  const others = othersOf(ctx, conclusion)
  if (branch === null || others.length === 0) return
  const activities = [activity]
  if (pr_number === null)
    await enterOverlaps(ctx, {
      side: sideOfBranch(branch, activities),
      branch,
      activities,
      conclusion,
      is_partial: true,
    })
  const key = pr_number === null ? branchKey(branch) : pullRequestKey(pr_number)
  await enterShown(ctx, key, { others, is_mergeable: null })
}

/** Records the pairs that the answer to a check showed. Only a branch with live activities has pairs in the ledger. */
export async function checkAnswered(
  ctx: RepoContext,
  branch: string | null,
  conclusion: Conclusion,
): Promise<void> {
  const others = othersOf(ctx, conclusion)
  if (branch === null || others.length === 0) return
  const live = await listLiveOnBranch(ctx.db, ctx.repo.id, branch, ctx.now)
  if (live.length === 0) return
  const number = live.find(({ pr_number }) => pr_number !== null)?.pr_number ?? null
  const key = number === null ? branchKey(branch) : pullRequestKey(number)
  await enterShown(ctx, key, { others, is_mergeable: null })
}

/** The sides with which the answer showed a conflict or a duplicate; none if no ledger is kept. */
function othersOf({ repo, settings }: RepoContext, { collisions }: Conclusion): SideKey[] {
  if (!repo.is_tracked || settings.comment.mode === 'off') return []
  const recorded = collisions.filter(({ match }) => match.lines === 'conflict' || match.duplicate !== null)
  return groupOverlaps(recorded).flatMap(({ key }) => key ?? [])
}
