/** What a change of a record owes to the pull requests of its repository: that somebody looks at them (contract §10). */
import { ask, type NewJob } from '../jobs/store.ts'
import { inTransaction, type RepoContext } from './repo.ts'

/** The kind of job that looks for the pull requests which a changed record touches. */
export const CHANGE = 'change'

/**
 * Carries out a change of one record and stores, in the same transaction, that its effect on pull requests is to be
 * looked at. Where the app is not installed, nobody reads that, and nothing is stored. Undefined stands for no change.
 */
export async function changing<Row extends { id: string } | undefined>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Row>,
): Promise<Row> {
  if (!ctx.repo.is_followed) return work(ctx)
  return inTransaction(ctx, async (within) => {
    const row = await work(within)
    if (row) await oweLook(within, [row.id])
    return row
  })
}

/** Stores that the records `ids` changed. */
export async function oweLook(ctx: RepoContext, ids: string[]): Promise<void> {
  if (ctx.repo.is_followed)
    await ask(
      ctx.db,
      ids.map((id) => changeJob(ctx.repo.id, id, ctx.now)),
      ctx.now,
    )
}

/** The job for one changed record; however often it changes before somebody looks, it is one job. */
function changeJob(repo_id: number, record_id: string, run_at: Date): NewJob {
  return { id: `${CHANGE}:${repo_id}:${record_id}`, kind: CHANGE, repo_id, payload: { record_id }, run_at }
}

/** Whether any of the fields in `changes` differs from what the record has. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}
