/** Inserts live records up to their limit (docs/contract/limits.md#live-records), and enqueues what follows a changed one: the recheck of the pull requests that it affects, and notifications (docs/notifications.md). */
import { enqueue, enqueueOnce, isAnyWaiting, jobOn, type NewJob, NOTIFY } from '../../jobs/store.ts'
import type { Db } from '../../platform/db/database.ts'
import { type LiveSetRow, raiseVersion } from '../live-sets/store.ts'
import type { Counted } from '../live-sets/table.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** The kind of job that finds the pull requests that a changed record affects. */
export const CHANGE = 'change'

/** How a kind of live record is counted, inserted with a version of the live set, and a batch of those that are due is stored as expired. */
interface LiveKind<Row> {
  counted: Counted
  insert(version: number): Promise<Row>
  expire(tx: Db, repo_id: number, now: Date): Promise<{ id: string }[]>
}

/** Inserts a live record in the transaction of `within`, and enqueues rechecks; undefined if the repository is at its limit. */
export async function insertLive<Row extends { id: string }>(
  within: RepoContext,
  { counted, insert, expire }: LiveKind<Row>,
): Promise<Row | undefined> {
  const { db, repo, now } = within
  const insertIfRoom = async (live: LiveSetRow) =>
    live[counted] <= repo.max_live[counted] ? insert(live.version) : undefined
  let inserted = await insertIfRoom(await raiseVersion(db, repo.id, { [counted]: 1 }))
  if (!inserted) {
    // Records that are due count as live until their expiry is stored, normally by the sweep.
    await enqueueRechecks(within, await expire(db, repo.id, now))
    inserted = await insertIfRoom(await raiseVersion(db, repo.id))
  }
  if (inserted) await enqueueRechecks(within, [inserted])
  else await raiseVersion(db, repo.id, { [counted]: -1 })
  return inserted
}

/** A record that changed. A notable may cease to apply before it expires, which is no change of its row. */
type Changed = { id: string; applies_until?: Date | null; expires_at?: Date }

/** Enqueues the recheck of the pull requests that the changed records affect, also for when a notable ceases to apply. */
export async function enqueueRechecks(ctx: RepoContext, changed: readonly Changed[]): Promise<void> {
  if (changed.length === 0 || !ctx.repo.is_tracked) return
  // Further changes of a record before its job runs do not add jobs.
  await enqueue(ctx.db, changeJobs(ctx, changed), ctx.now)
  ctx.repo.wakeWorker()
}

/** Whether the recheck that a change of one of the records leads to has not begun. */
export function isRecheckWaiting(ctx: RepoContext, changed: readonly Changed[]): Promise<boolean> {
  return isAnyWaiting(ctx.db, changeJobs(ctx, changed))
}

function changeJobs({ now, repo }: RepoContext, changed: readonly Changed[]): NewJob[] {
  return changed.flatMap(({ id: record_id, applies_until, expires_at = now }) => {
    const jobAt = (run_at: Date, about: string) =>
      jobOn(repo, CHANGE, { about, priority: 'live', payload: { record_id }, run_at })
    const ends = applies_until && applies_until > now && applies_until < expires_at ? [applies_until] : []
    return [jobAt(now, record_id), ...ends.map((at) => jobAt(at, `${record_id}:${at.getTime()}`))]
  })
}

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
  const given = { priority: 'live' as const, run_at: now }
  const jobTo = (to: Receiver, about: string) =>
    jobOn(repo, NOTIFY, { about, payload: { ...subject, to }, ...given })
  await enqueueOnce(db, jobTo('service', name), now)
  if (settings.notify_url !== null) await enqueueOnce(db, jobTo('repository', `${name}:repository`), now)
  repo.wakeWorker()
}
