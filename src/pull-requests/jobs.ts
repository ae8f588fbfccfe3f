/** The jobs of this folder by their kinds. */
import type { App } from '../context/app.ts'
import { CHANGE } from '../context/changes.ts'
import {
  DISCOVER,
  discoverInstallation,
  type FollowedRepository,
  type NamedRepository,
} from '../context/following.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import type { NewJob } from '../jobs/store.ts'
import { followChange } from './changes.ts'
import {
  INSTALLATION,
  PULL_REQUEST,
  REPOSITORY,
  takeInInstallation,
  takeInPullRequest,
  takeInRepository,
} from './installations.ts'
import { RECHECK, recheck } from './recheck.ts'
import { RECONCILE, RECONCILE_ALL, reconcile, reconcileAll, reconcileJob } from './reconcile.ts'
import { REDELIVER, redeliverFailed, redeliverJob } from './redeliver.ts'

/** The two jobs that begin it all. */
export function firstJobs(now: Date): NewJob[] {
  return [redeliverJob(now), reconcileJob(now)]
}

export function jobHandlers(app: App): Record<string, JobHandler> {
  return {
    [CHANGE]: ({ repo_id, payload }, now) =>
      followChange(app, repo_id, (payload as { record_id: string }).record_id, now),
    [RECHECK]: ({ repo_id, payload }, now) =>
      recheck(app, repo_id, (payload as { number: number }).number, now),
    [DISCOVER]: ({ payload }, now) => discoverInstallation(app, payload as NamedRepository, now),
    [INSTALLATION]: ({ payload }, now) =>
      takeInInstallation(app, (payload as { installation_id: number }).installation_id, now),
    [REPOSITORY]: ({ payload }, now) => takeInRepository(app, payload as FollowedRepository, now),
    [PULL_REQUEST]: ({ repo_id, payload }, now) => takeInPullRequest(app, repo_id, payload, now),
    [REDELIVER]: async (_, now) => {
      const redelivered = await redeliverFailed(app, now)
      if (redelivered > 0) app.log.info({ redelivered }, 'asked GitHub for failed deliveries again')
    },
    [RECONCILE_ALL]: (_, now) => reconcileAll(app, now),
    [RECONCILE]: ({ repo_id }, now) => reconcile(app, repo_id, now),
  }
}
