/** Announces changed records to open pages and enqueues the recheck of affected pull requests. */
import { enqueue, type NewJob } from '../jobs/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'

/** The kind of job that finds the pull requests that a changed record affects. */
export const CHANGE = 'change'

/**
 * Changes one record, enqueues the recheck of pull requests in the same transaction, and announces the change. `work`
 * returns undefined when it changed nothing. If the pull requests of the repository are not tracked, nothing is rechecked,
 * and `work` runs without a transaction.
 */
export async function changing<Row extends { id: string } | undefined>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Row>,
): Promise<Row> {
  if (!ctx.repo.is_tracked) {
    const row = await work(ctx)
    if (row) ctx.repo.announce([row.id])
    return row
  }
  return inTransaction(ctx, async (within) => {
    const row = await work(within)
    if (row) await enqueueRechecks(within, [row.id])
    return row
  })
}

/** Announces that the records `ids` changed, and enqueues the recheck of the pull requests that they affect. */
export async function enqueueRechecks(ctx: RepoContext, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  ctx.repo.announce(ids)
  if (ctx.repo.is_tracked)
    await enqueue(
      ctx.db,
      ids.map((id) => changeJob(ctx, id)),
      ctx.now,
    )
}

/** The job for one changed record. Further changes before it runs do not add jobs. */
function changeJob({ now, repo }: RepoContext, record_id: string): NewJob {
  return {
    id: `${CHANGE}:${repo.id}:${record_id}`,
    kind: CHANGE,
    priority: 'live',
    repo_id: repo.id,
    owner: repo.owner,
    payload: { record_id },
    run_at: now,
  }
}

/** Whether any field in `changes` differs from the record. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}
