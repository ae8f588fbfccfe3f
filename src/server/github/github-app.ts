/** The GitHub App, built on Probot: verifies deliveries and authenticates as installations. */
import type { Logger } from 'pino'
import { Probot, ProbotOctokit } from 'probot'
import type { AppCredentials } from '../platform/config.ts'
import { apiFetch, JOB_TIMEOUT_MS } from './api-fetch.ts'
import { CallBudgets } from './call-budgets.ts'
import { instrumentClient, type Telemetry } from './instrumentation.ts'

export interface GithubApp {
  id: number
  /** Verifies signatures and dispatches deliveries. It does not listen, poll or read the environment. */
  probot: Probot
  /** The rate limits of its installations. */
  budgets: CallBudgets
}

/** A client authenticated as one installation of the app, or as the app itself. */
export type Installation = Awaited<ReturnType<Probot['auth']>>

/**
 * Turns off retries and waits inside the client: a call that reaches a rate limit fails, and its job is rescheduled.
 * Probot would sleep until the limit resets, and between writes.
 */
function withoutWaits(defaults: object): object {
  return { ...defaults, throttle: { enabled: false }, retry: { enabled: false } }
}

export function openGithubApp(
  app: AppCredentials,
  options: { api_url: string; log: Logger; metrics: Telemetry['metrics'] },
): GithubApp {
  const instrument = (client: ProbotOctokit) => instrumentClient(client, 'installation', options)
  const probot = new Probot({
    appId: app.id,
    privateKey: app.private_key,
    secret: app.webhook_secret,
    baseUrl: options.api_url,
    // Probot's own log lines contain addresses and bodies. The worker logs failed jobs.
    log: options.log.child({}, { level: 'silent' }) as never,
    Octokit: ProbotOctokit.plugin(instrument as never).defaults(withoutWaits) as never,
    request: { fetch: apiFetch(options.api_url, JOB_TIMEOUT_MS) },
  })
  return { id: app.id, probot, budgets: new CallBudgets() }
}
