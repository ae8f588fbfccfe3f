/** Enqueues posts to `NOTIFY_WEBHOOK_URL` (docs/notifications.md). */
import { enqueueOnce, jobOn } from '../jobs/store.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** The kind of job that posts one notification. */
export const NOTIFY = 'notify'

/** What is posted: a pair of the ledger by its keys, or a notable. */
export type NotifySubject = { pair: { first: string; second: string } } | { notable_id: string }

/** Enqueues a notification in the transaction of the context, which also stores `notified_at` with the subject. */
export async function enqueueNotification(
  { db, now, repo }: RepoContext,
  subject: NotifySubject,
): Promise<void> {
  const name = 'pair' in subject ? `${subject.pair.first}:${subject.pair.second}` : subject.notable_id
  const job = jobOn(repo, NOTIFY, { about: name, priority: 'live', payload: subject, run_at: now })
  await enqueueOnce(db, job, now)
}
