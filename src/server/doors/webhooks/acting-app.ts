/**
 * Lets a running service act as a GitHub App: it verifies and handles the events of the App, and runs its jobs. And forwards webhooks
 * from a smee channel, for a machine that GitHub cannot reach (Probot's `WEBHOOK_PROXY_URL`).
 */

import { z } from 'zod'
import type { GithubApp } from '../../github/github-app.ts'
import type { CreatedApp } from '../../github/setup/created-app.ts'
import { firstJobs, GAP_MS, jobHandlers } from '../../github/tracking/jobs.ts'
import { runUntil } from '../../jobs/jobs.ts'
import { DELIVERY, enqueue } from '../../jobs/store.ts'
import type { AppCredentials } from '../../platform/config.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'
import { handleDelivery } from './deliveries.ts'

/** Functions that let `app` act as a GitHub App: the configured one, or one that `/setup` created before or while the service runs. */
export function actingAs(
  app: App,
  options: {
    /** How long the idle worker waits before it looks for jobs again. */
    poll_ms?: number | undefined
    /** Called with the loop that runs jobs. */
    work: (run: (stopped: AbortSignal) => Promise<void>) => void
  },
) {
  const { clock, config, database, log, metrics } = app
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
    options.work((stopped) => runUntil({ ...app, handlers }, stopped, options.poll_ms))
  }
  /** Handles the events of the App and runs its jobs from now on. */
  const connected = async (github_app: GithubApp): Promise<void> => {
    const now = clock()
    await enqueue(database.connection(), firstJobs(now), now, { gap_ms: GAP_MS })
    app.github_app = github_app
    Object.assign(handlers, jobHandlers(app), { [DELIVERY]: handleDelivery(app) })
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

const FORWARD_TIMEOUT_MS = 30_000

/** What a channel sends for each delivery: the headers, with names in lower case, and the JSON body. */
const Delivery = z.object({
  body: z.looseObject({}),
  'x-github-delivery': z.string(),
  'x-github-event': z.string(),
  'x-hub-signature-256': z.string(),
})

/**
 * Listens on the channel and posts what arrives to `target`, which verifies it like any delivery. The library reconnects when
 * the connection is lost; the reconciliation catches up with what was sent meanwhile. Returns a function that stops it.
 */
export async function forwardChannel(
  { log }: Pick<App, 'log'>,
  { channel, target }: { channel: string; target: string },
): Promise<() => void> {
  const { EventSource } = await import('eventsource')
  const source = new EventSource(channel)
  source.addEventListener('open', () => log.info('webhook channel connected'))
  source.addEventListener('error', ({ code }) => log.warn({ status: code }, 'webhook channel lost'))
  source.addEventListener('message', ({ data }) => {
    forward(data, target).then(
      (status) => log.info({ status }, 'webhook forwarded'),
      (error) => log.error(faultOf(error), 'webhook not forwarded'),
    )
  })
  return () => source.close()
}

/** Posts a delivery and returns the HTTP status. The signature stays valid, because GitHub signs compact JSON as `JSON.stringify` writes it. */
async function forward(data: string, target: string): Promise<number> {
  const { body, ...headers } = Delivery.parse(JSON.parse(data))
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
  })
  await response.arrayBuffer()
  return response.status
}
