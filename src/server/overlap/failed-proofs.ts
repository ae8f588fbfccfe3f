/** Adds to what a check found the pull requests with which a proof failed (docs/contract/proofs.md#matches). */
import { IDS_MAX } from '../../vocabulary/contract/overlap.ts'
import { bySeverity } from '../../vocabulary/severity.ts'
import { type ComparedActivity, listLiveWith } from '../activities/live-store.ts'
import { addTo } from '../base/lists.ts'
import { type FailedProof, listFailed } from '../proofs/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import type { CheckedWork } from './checked-work.ts'
import type { Findings } from './find.ts'

/** The failed proofs of the repository that are not stale. Those without tracked pull requests have none. */
export async function readFailedProofs({ db, repo }: RepoContext): Promise<FailedProof[]> {
  return repo.is_tracked ? listFailed(db, repo.id) : []
}

type Found = Pick<Findings, 'activities' | 'records' | 'expected' | 'total'>
type WithProofs<Given> = Given & {
  /** By the id of each activity of a pull request with which a proof failed. */
  proofs: ReadonlyMap<string, FailedProof>
}

/**
 * Raises each activity of a pull request with which a proof failed to the severity `high`, and adds one of each such pull
 * request that the search did not find.
 */
export async function withFailedProofs<Given extends Found>(
  work: CheckedWork,
  found: Given,
): Promise<WithProofs<Given>> {
  const { ctx, self } = work
  const failed = proofsByOther(work, await readFailedProofs(ctx))
  const proofs = new Map<string, FailedProof>()
  if (failed.size === 0) return { ...found, proofs }
  const live = await listLiveWith(ctx.db, ctx.repo.id, { numbers: [...failed.keys()], now: ctx.now })
  const byNumber = new Map<number, ComparedActivity[]>()
  for (const each of live)
    if (!self.includes(each.id) && !found.expected.has(each.id))
      addTo(byNumber, each.pr_number as number, each)
  const isFound = new Set(found.activities.map(({ id }) => id))
  for (const [number, activities] of byNumber) {
    const known = activities.filter(({ id }) => isFound.has(id))
    const shown =
      known.length > 0 ? known : [activities.find(isTracked) ?? (activities[0] as ComparedActivity)]
    for (const { id } of shown) proofs.set(id, failed.get(number) as FailedProof)
  }
  const added = [...proofs.keys()].filter((id) => !isFound.has(id))
  const ranked = [...found.activities, ...added.map((id) => ({ id, severity: 'high' as const }))]
  const raised = ranked.map((each) => (proofs.has(each.id) ? { ...each, severity: 'high' as const } : each))
  return {
    ...found,
    activities: raised.sort(bySeverity).slice(0, IDS_MAX),
    records: new Map([...found.records, ...live.map((each) => [each.id, each] as const)]),
    // A list that was cut may have counted them already.
    total: found.total + (found.activities.length < IDS_MAX ? added.length : 0),
    proofs,
  }
}

/** The activity was created from the pull request. */
function isTracked({ source }: ComparedActivity): boolean {
  return source === 'pull_request'
}

/** The failed proofs of the work, by the number of the other pull request. */
function proofsByOther(
  { pull_requests, branch }: Pick<CheckedWork, 'pull_requests' | 'branch'>,
  all: readonly FailedProof[],
): Map<number, FailedProof> {
  const others = new Map<number, FailedProof>()
  for (const proof of all) {
    const { first, second, first_branch, second_branch } = proof
    if (pull_requests.has(first) || first_branch === branch) others.set(second, proof)
    else if (pull_requests.has(second) || second_branch === branch) others.set(first, proof)
  }
  return others
}
