/** Enqueues what follows a changed record: the recheck of the pull requests that it affects, and notifications (docs/notifications.md). */
import { enqueue, enqueueOnce, isAnyWaiting, jobOn, type NewJob } from '../../jobs/store.ts'
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
    await enqueueRechecks(within, [row])
    return row
  })
}

/** Enqueues the recheck of the pull requests that the changed records affect. */
export async function enqueueRechecks(ctx: RepoContext, changed: readonly { id: string }[]): Promise<void> {
  if (changed.length === 0 || !ctx.repo.is_tracked) return
  // Further changes of a record before its job runs do not add jobs.
  await enqueue(ctx.db, changeJobs(ctx, changed), ctx.now)
  ctx.repo.wakeWorker()
}

/** Whether the recheck that a change of one of the records leads to has not begun. */
export function isRecheckWaiting(ctx: RepoContext, changed: readonly { id: string }[]): Promise<boolean> {
  return isAnyWaiting(ctx.db, changeJobs(ctx, changed))
}

function changeJobs({ now, repo }: RepoContext, changed: readonly { id: string }[]): NewJob[] {
  return changed.map(({ id }) =>
    jobOn(repo, CHANGE, { about: id, priority: 'live', payload: { record_id: id }, run_at: now }),
  )
}

/** Whether any field in `changes` differs from the record. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}

/** The kind of job that posts one notification. */
export const NOTIFY = 'notify'

/** What is posted: a pair of the ledger by its keys, or a notable. */
export type NotifySubject = { pair: { a: string; b: string } } | { notable_id: string }

/** Whose address it is. The service posts to both, each in a job of its own. */
export type Receiver = 'service' | 'repository'

/** Enqueues a notification in the transaction of the context, which also stores `notified_at` with the subject. */
export async function enqueueNotification(
  { db, now, repo, settings }: RepoContext,
  subject: NotifySubject,
): Promise<void> {
  const name = 'pair' in subject ? `${subject.pair.a}:${subject.pair.b}` : subject.notable_id
  const jobTo = (to: Receiver) =>
    jobOn(repo, NOTIFY, {
      about: `${name}${to === 'service' ? '' : `:${to}`}`,
      priority: 'live',
      payload: { ...subject, to },
      run_at: now,
    })
  await enqueueOnce(db, jobTo('service'), now)
  if (settings.notify_url !== null) await enqueueOnce(db, jobTo('repository'), now)
}
