/** Reports of proofs (docs/contract/proofs.md#report). */
import { isDeepStrictEqual } from 'node:util'
import type { Proof, ReportProof } from '../../vocabulary/contract/proof.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { listLiveOf } from '../activities/pull-request-store.ts'
import { enqueueRechecks } from '../announcements/announcements.ts'
import { listHeads } from '../pull-requests/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { listFailed, saveProof } from './store.ts'
import type { ProofRow } from './table.ts'

/** Stores a result, and enqueues the recheck of both pull requests if it changes what they show. */
export async function reportProof(ctx: RepoContext, input: ReportProof): Promise<Proof> {
  await requirePresentHeads(ctx, input)
  const row = await inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const pair = rowOf(input, { repo_id: repo.id, reported_at: now })
    const before = await findFailed(within, pair)
    const saved = await saveProof(db, pair)
    if (isDeepStrictEqual(before, await findFailed(within, pair))) return saved
    const live = [
      ...(await listLiveOf(db, repo.id, pair.first, now)),
      ...(await listLiveOf(db, repo.id, pair.second, now)),
    ]
    await enqueueRechecks(
      within,
      live.map(({ id }) => id),
    )
    return saved
  })
  const { pull_requests, heads, base, command_hash } = input
  const { result, log_url, reported_at } = row
  return { pull_requests, heads, base, command_hash, result, log_url, reported_at: reported_at.toISOString() }
}

async function findFailed({ db, repo }: RepoContext, { first, second }: Pick<ProofRow, 'first' | 'second'>) {
  return (await listFailed(db, repo.id)).find((each) => each.first === first && each.second === second)
}

/** A report about commits that are not the heads any more would be stale at once, so the runner should hear of it. */
async function requirePresentHeads(
  { db, repo }: RepoContext,
  { pull_requests, heads }: Pick<ReportProof, 'pull_requests' | 'heads'>,
): Promise<void> {
  const open = new Map((await listHeads(db, repo.id, pull_requests)).map((each) => [each.number, each]))
  for (const [index, number] of pull_requests.entries()) {
    const pr = repo.is_tracked ? open.get(number) : undefined
    if (!pr)
      throw refused(
        `pull_requests[${index}]`,
        `#${number} is not known as an open pull request here; report only open pull requests of a repository where the GitHub App is installed`,
      )
    if (pr.head_sha !== heads[index])
      throw refused(
        `heads[${index}]`,
        `the head commit of #${number} is ${pr.head_sha} now; fetch it, run the pair again, and report that`,
      )
  }
  const [one, other] = pull_requests.map((number) => open.get(number)?.base_branch)
  if (one !== other)
    throw refused(
      'pull_requests',
      'the two pull requests have different base branches; report pairs for one base branch',
    )
}

function refused(param: string, message: string): Failure {
  return new Failure('validation_error', `${param}: ${message}`, { param })
}

function rowOf(
  { pull_requests, heads, base, command_hash, result, log_url }: ReportProof,
  given: Pick<ProofRow, 'repo_id' | 'reported_at'>,
): ProofRow {
  const [[first, first_head], [second, second_head]] = pull_requests
    .map((number, index) => [number, heads[index] as string] as const)
    .toSorted(([one], [other]) => one - other) as [[number, string], [number, string]]
  return { ...given, first, second, first_head, second_head, base, command_hash, result, log_url }
}
