/** The job handlers of this folder by kind. */
import type { App } from '../context/app.ts'
import { CHANGE } from '../context/changes.ts'
import {
  DISCOVER,
  discoverInstallation,
  type InstalledRepository,
  type NamedRepository,
} from '../context/installed-repository.ts'
import { NOTIFY } from '../context/notifications.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import type { NewJob } from '../jobs/store.ts'
import type { JobRow } from '../jobs/table.ts'
import { recheckAffected } from './affected.ts'
import { READ_FILES, READ_MISSING_FILES, readFiles, readMissingFiles } from './changed-files.ts'
import { rescheduledByRateLimit } from './installation.ts'
import {
  INSTALLATION,
  importBatch,
  importInstallation,
  importRepository,
  PULL_REQUEST,
  REPOSITORY,
} from './installations.ts'
import { postNotification } from './notify.ts'
import { OUTCOME, readOutcome } from './outcomes.ts'
import { RECHECK, recheck } from './recheck.ts'
import { RECONCILE, RECONCILE_ALL, reconcile, reconcileAll, reconcileJob } from './reconcile.ts'
import { REDELIVER, redeliverFailed, redeliverJob } from './redeliver.ts'
import { type BranchPush, COMPARE_BRANCH, compareBranch } from './tracked-branches.ts'
import { POLL, poll } from './watch.ts'

/** The periodic jobs. Each enqueues its next run itself. */
export function firstJobs(now: Date): NewJob[] {
  return [redeliverJob(now), reconcileJob(now)]
}

export function jobHandlers(app: App): Record<string, JobHandler> {
  const work: Record<string, (job: JobRow, now: Date) => Promise<void>> = {
    [CHANGE]: ({ repo_id, payload }, now) =>
      recheckAffected(app, repo_id, (payload as { record_id: string }).record_id, now),
    [RECHECK]: ({ repo_id, payload }, now) =>
      recheck(app, repo_id, (payload as { number: number }).number, now),
    [DISCOVER]: ({ payload }, now) => discoverInstallation(app, payload as NamedRepository, now),
    [INSTALLATION]: ({ payload }, now) =>
      importInstallation(app, (payload as { installation_id: number }).installation_id, now),
    [REPOSITORY]: ({ payload }, now) => importRepository(app, payload as InstalledRepository, now),
    [PULL_REQUEST]: ({ repo_id, payload }, now) => importBatch(app, repo_id, payload, now),
    [COMPARE_BRANCH]: ({ repo_id, payload }, now) => compareBranch(app, repo_id, payload as BranchPush, now),
    [READ_FILES]: ({ repo_id, payload }, now) =>
      readFiles(app, repo_id, (payload as { number: number }).number, now),
    [READ_MISSING_FILES]: ({ payload }, now) =>
      readMissingFiles(app, payload as Parameters<typeof readMissingFiles>[1], now),
    [OUTCOME]: ({ repo_id, payload }, now) =>
      readOutcome(app, repo_id, payload as { first: string; second: string }, now),
    [POLL]: ({ repo_id }, now) => poll(app, repo_id, now),
    [REDELIVER]: (_, now) => redeliverFailed(app, now),
    [RECONCILE_ALL]: (_, now) => reconcileAll(app, now),
    [RECONCILE]: ({ repo_id }, now) => reconcile(app, repo_id, now),
  }
  const rescheduled = Object.entries(work).map(([kind, each]) => [kind, rescheduledByRateLimit(app, each)])
  return { ...Object.fromEntries(rescheduled), [NOTIFY]: postNotification(app) }
}
