/** The job handlers of this folder by kind. */

import { later } from '../../../vocabulary/clock.ts'
import { type JobHandler, RateLimited } from '../../jobs/jobs.ts'
import { IMPORT_RANK, type NewJob, NOTIFY, periodicJob } from '../../jobs/store.ts'
import type { JobRow } from '../../jobs/table.ts'
import { CHANGE } from '../../records/changes/changes.ts'
import type { App } from '../../records/repositories/app.ts'
import {
  INSTALLATION,
  PULL_REQUEST,
  RECONCILE,
  REPOSITORIES,
  REPOSITORY,
} from '../../records/repositories/installation.ts'
import type { ImportedRepository, InstalledRepository } from '../../records/repositories/registration.ts'
import { openKnownRepo, type RepoContext } from '../../records/repositories/repo.ts'
import { RECHECK_ALL } from '../../records/repositories/stored-settings.ts'
import { FAREWELL } from '../../tell/decide.ts'
import { postNotification } from '../../tell/notify.ts'
import { classifyError } from '../octokit.ts'
import { READ_FILES, readFiles } from './changed-files.ts'
import {
  importBatch,
  importInstallation,
  importRepositories,
  importRepository,
  isRecheckedLater,
} from './installations.ts'
import { trackAgain } from './pull-requests.ts'
import { enqueueAllRechecks, RECHECK, recheck, recheckAffected } from './recheck.ts'
import { RECONCILE_ALL, reconcile, reconcileAll } from './reconcile.ts'
import { REDELIVER, redeliverFailed } from './redeliver.ts'
import { sayFarewell } from './repository-events.ts'
import { CHECK_LINKS, checkLinks } from './stack-links.ts'
import { COMPARE_BRANCH, compareBranch } from './tracked-branches.ts'
import { POLL, poll } from './watch.ts'

/** The minimum time between two runs of a periodic job, however often instances start. */
export const GAP_MS = 60_000

/** The periodic jobs. */
export function firstJobs(now: Date): NewJob[] {
  return [periodicJob(REDELIVER, now), periodicJob(RECONCILE_ALL, now)]
}

/** The handlers of the jobs that this instance can run: without the App, only of those that concern watched repositories, and notifications. */
export function jobHandlers(app: App): Record<string, JobHandler> {
  /** A handler for a job of one repository. If the App is not installed there and nobody watches it, nothing is left to do. */
  const onRepo =
    <Payload>(work: (app: App, ctx: RepoContext, payload: Payload, job: JobRow) => Promise<unknown>) =>
    async (job: JobRow, now: Date): Promise<void> => {
      const ctx = await openKnownRepo(app, job.repo_id, now)
      if (ctx?.repo.is_tracked) await work(app, ctx, job.payload as Payload, job)
    }
  const asApp: Record<string, JobHandler> = {
    [INSTALLATION]: ({ payload }, now) =>
      importInstallation(app, (payload as { installation_id: number }).installation_id, now),
    [REPOSITORIES]: ({ payload }, now) => importRepositories(app, payload as InstalledRepository[], now),
    [REPOSITORY]: ({ payload }, now) => importRepository(app, payload as ImportedRepository, now),
    [REDELIVER]: (_, now) => redeliverFailed(app, now),
    [RECONCILE_ALL]: (_, now) => reconcileAll(app, now),
  }
  const work: Record<string, JobHandler> = {
    [CHANGE]: onRepo(async (_, ctx, changed: { record_id: string }, { priority }) => {
      if (priority >= IMPORT_RANK && (await isRecheckedLater(ctx))) return
      const left = await recheckAffected(app, ctx, changed)
      if (left !== null) await trackAgain(app, ctx, left)
    }),
    [RECHECK]: onRepo(recheck),
    [PULL_REQUEST]: onRepo(importBatch),
    [COMPARE_BRANCH]: onRepo(compareBranch),
    [CHECK_LINKS]: onRepo(checkLinks),
    [READ_FILES]: onRepo(readFiles),
    [POLL]: onRepo(poll),
    [FAREWELL]: onRepo((_, ctx, __, { attempts }) => sayFarewell(app, ctx, attempts)),
    [RECONCILE]: onRepo(reconcile),
    [RECHECK_ALL]: onRepo((_, ctx) => enqueueAllRechecks(ctx)),
    ...(app.github_app && asApp),
  }
  const postponed = Object.entries(work).map(([kind, each]) => [kind, postponedByGithub(app, each)])
  return { ...Object.fromEntries(postponed), [NOTIFY]: postNotification(app) }
}

/** A handler that throws `RateLimited` where a call failed because GitHub limits the rate. */
export function postponedByGithub(app: App, work: JobHandler): JobHandler {
  return (job, now) =>
    work(job, now).catch((error) => {
      const refusal = classifyError(error, app.clock())
      if (refusal.kind !== 'rate_limited') throw error
      throw new RateLimited(later(app.clock(), refusal.retry_after * 1000), { cause: error })
    })
}
