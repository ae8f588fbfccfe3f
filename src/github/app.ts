/** The GitHub App, on Probot: receives deliveries, and acts as an installation (contract §1, §5, §10). */
import type { Logger } from 'pino'
import { Probot, ProbotOctokit } from 'probot'
import type { Config } from '../base/config.ts'
import { apiFetch } from './api-fetch.ts'
import { instrumentClient, type Telemetry } from './instrumentation.ts'

export interface GithubApp {
  id: number
  /** Checks signatures, and hands deliveries to their handlers. Nothing of it listens, polls or reads the environment. */
  probot: Probot
}

/** A client that acts as one installation of the app, or as the app itself. */
export type Installation = Awaited<ReturnType<Probot['auth']>>

const TIMEOUT_MS = 10_000

/**
 * Waits are stored with the job that has to wait, never slept: no call is repeated in place. Probot hands in a way of
 * its own to meet the primary limit, which is to sleep until it is over; ours takes its place.
 */
function neverInPlace(given: { throttle?: object }, pace: object): object {
  const never = () => false
  return {
    ...given,
    throttle: { ...given.throttle, ...pace, onRateLimit: never, onSecondaryRateLimit: never },
    retry: { enabled: false },
  }
}

/** Takes the place of octokit's limiters, which keep one second between writes and three between new comments. */
const AT_ONCE = { key: () => ({ schedule: () => Promise.resolve() }) }

export function openGithubApp(
  app: NonNullable<Config['github_app']>,
  options: { api_url: string; log: Logger; metrics: Telemetry['metrics']; paces_writes: boolean },
): GithubApp {
  const pace = options.paces_writes ? {} : { write: AT_ONCE, notifications: AT_ONCE }
  const settings = (given: object) => neverInPlace(given, pace)
  const watch = (client: ProbotOctokit) => instrumentClient(client, 'installation', options)
  const probot = new Probot({
    appId: app.id,
    privateKey: app.private_key,
    secret: app.webhook_secret,
    baseUrl: options.api_url,
    // Its own lines name addresses and bodies; what matters is logged where a job fails.
    log: options.log.child({}, { level: 'silent' }) as never,
    Octokit: ProbotOctokit.plugin(watch as never).defaults(settings) as never,
    request: { fetch: fetchInTime(apiFetch(options.api_url)) },
  })
  return { id: app.id, probot }
}

function fetchInTime(fetch: ReturnType<typeof apiFetch>): ReturnType<typeof apiFetch> {
  return (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
}
