/** Enqueues the recheck of the pull requests that a changed record affects. */
import { enqueue, type NewJob } from '../jobs/store.ts'
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
  const jobs = ids.map((id) => changeJob(ctx, id))
  await enqueue(ctx.db, jobs, ctx.now)
  ctx.repo.wakeWorker()
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
