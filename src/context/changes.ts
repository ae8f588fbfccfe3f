/** What follows from a changed record: open pages are told, and the pull requests it touches are rechecked (contract §10). */
import { ask, type NewJob } from '../jobs/store.ts'
import { inTransaction, type RepoContext } from './repo.ts'

/** The kind of job that finds the pull requests which a changed record touches. */
export const CHANGE = 'change'

/**
 * Changes one record, enqueues the recheck of pull requests in the same transaction, and announces the change. `work`
 * returns undefined when it changed nothing. Without the GitHub App there is nothing to recheck, and no transaction.
 */
export async function changing<Row extends { id: string } | undefined>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Row>,
): Promise<Row> {
  if (!ctx.repo.is_followed) {
    const row = await work(ctx)
    if (row) ctx.announceChange()
    return row
  }
  return inTransaction(ctx, async (within) => {
    const row = await work(within)
    if (row) await enqueueRechecks(within, [row.id])
    return row
  })
}

/** Announces that the records `ids` changed, and enqueues the recheck of the pull requests they touch. */
export async function enqueueRechecks(ctx: RepoContext, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  ctx.announceChange()
  if (ctx.repo.is_followed)
    await ask(
      ctx.db,
      ids.map((id) => changeJob(ctx.repo.id, id, ctx.now)),
      ctx.now,
    )
}

/** The job for one changed record; however often it changes before the job runs, it is one job. */
function changeJob(repo_id: number, record_id: string, run_at: Date): NewJob {
  return { id: `${CHANGE}:${repo_id}:${record_id}`, kind: CHANGE, repo_id, payload: { record_id }, run_at }
}

/** Whether any of the fields in `changes` differs from what the record has. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}
