/** Lets a running service act as a GitHub App: it verifies and handles the events of the App, and runs its jobs. */

import type { GithubApp } from '../../github/github-app.ts'
import type { CreatedApp } from '../../github/setup/created-app.ts'
import { enqueueFirstJobs, jobHandlers } from '../../github/tracking/jobs.ts'
import { type Polling, runUntil } from '../../jobs/jobs.ts'
import type { AppCredentials } from '../../platform/config.ts'
import type { App } from '../../records/repositories/app.ts'
import { DELIVERY, handleDelivery } from './deliveries.ts'
import { handleEvents } from './github-events.ts'

/** Channel on which instances announce owners whose permissions may have changed. */
export const ACCESS_CHANNEL = 'deconflict_access'

/** Functions that let `app` act as a GitHub App: the configured one, or one that `/setup` created before or while the service runs. */
export function actingAs(
  app: App,
  options: {
    polling: Polling
    /** Called with the loop that runs jobs. */
    work: (run: (stopped: AbortSignal) => Promise<void>) => void
  },
) {
  const { access, clock, config, database, log, metrics } = app
  const open = async (credentials: AppCredentials): Promise<GithubApp> => {
    const { openGithubApp } = await import('../../github/github-app.ts')
    return openGithubApp(credentials, { api_url: config.github_api_url, log, metrics })
  }
  const handlers = jobHandlers(app)
  let isWorking = false
  /** Starts running jobs. Without an App, this is for watched repositories and notifications. */
  const startWorker = (): void => {
    if (isWorking) return
    isWorking = true
    const runner = { database, clock, log, metrics, handlers }
    options.work((stopped) => runUntil(runner, options.polling, stopped))
  }
  /** Handles the events of the App and runs its jobs from now on. */
  const connected = async (github_app: GithubApp): Promise<void> => {
    await database.listen(ACCESS_CHANNEL, {
      received: (owner) => access.invalidate(owner),
      missed: () => access.invalidate(),
    })
    handleEvents(app, github_app.probot)
    await enqueueFirstJobs(database.connection(), clock())
    app.github_app = github_app
    handlers[DELIVERY] = handleDelivery(app)
    startWorker()
  }
  let connecting: Promise<void> | undefined
  /** Acts as the App that `/setup` created. Further calls have no effect, unless the first one failed. */
  const created = (credentials: CreatedApp): Promise<void> => {
    const { public_url } = config
    const { client_id, client_secret } = credentials
    if (public_url) app.sign_in ??= { public_url, client_id, client_secret }
    connecting ??= open(credentials)
      .then(connected)
      .catch((error) => {
        connecting = undefined
        throw error
      })
    return connecting
  }
  return { open, connected, created, startWorker }
}
