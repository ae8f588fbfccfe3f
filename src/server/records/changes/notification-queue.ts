/** Enqueues posts of notifications (docs/notifications.md). */
import { enqueueOnce, jobOn } from '../../jobs/store.ts'
import type { RepoContext } from '../repositories/repo.ts'

/** The kind of job that posts one notification. */
export const NOTIFY = 'notify'

/** What is posted: a pair of the ledger by its keys, or a notable. */
export type NotifySubject = { pair: { first: string; second: string } } | { notable_id: string }

/** Whose address it is. The service posts to both, each in a job of its own. */
export type Receiver = 'service' | 'repository'

/** Enqueues a notification in the transaction of the context, which also stores `notified_at` with the subject. */
export async function enqueueNotification(
  { db, now, repo, settings }: RepoContext,
  subject: NotifySubject,
): Promise<void> {
  const name = 'pair' in subject ? `${subject.pair.first}:${subject.pair.second}` : subject.notable_id
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
