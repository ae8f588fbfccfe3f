/** Enqueues the recheck of the pull requests that a changed record affects. */
import { enqueue, jobOn } from '../../jobs/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'

/** The kind of job that finds the pull requests that a changed record affects. */
export const CHANGE = 'change'

/**
 * Changes one record, and enqueues the recheck of pull requests in the same transaction.
 */
export async function changing<Row extends { id: string }>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Row>,
): Promise<Row> {
  return inTransaction(ctx, async (within) => {
    const row = await work(within)
    await enqueueRechecks(within, [row.id])
    return row
  })
}

/** Enqueues the recheck of the pull requests that the changed records `ids` affect. */
export async function enqueueRechecks(ctx: RepoContext, ids: string[]): Promise<void> {
  if (ids.length === 0 || !ctx.repo.is_tracked) return
  const { now, repo } = ctx
  // Further changes of a record before its job runs do not add jobs.
  const jobs = ids.map((record_id) =>
    jobOn(repo, CHANGE, { about: record_id, priority: 'live', payload: { record_id }, run_at: now }),
  )
  await enqueue(ctx.db, jobs, now)
  ctx.repo.wakeWorker()
}

/** Whether any field in `changes` differs from the record. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}
