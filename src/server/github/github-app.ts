/** The GitHub App, built on Probot: verifies deliveries and authenticates as installations, half of whose rate limit imports leave to live work. */
import type { Logger } from 'pino'
import { Probot, ProbotOctokit } from 'probot'
import { later } from '../../vocabulary/clock.ts'
import type { AppCredentials } from '../platform/config.ts'
import { type Quota, quotaIn } from '../platform/telemetry/metrics.ts'
import { apiFetch, instrumentClient, JOB_TIMEOUT_MS, type Telemetry } from './client.ts'

export interface GithubApp {
  id: number
  /** Verifies signatures, and opens clients. It does not listen, poll or read the environment. */
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

/** The share of the limit that imports leave. */
const LIVE_SHARE = 0.5
/** GitHub's limit of a minute. */
const POINTS_PER_MINUTE = 900

interface CallBudget extends Quota {
  /** How many imports wait for the reset. */
  waiting: number
}

/** How much of the rate limit of each installation is left, and when an import may go on. */
class CallBudgets {
  readonly #budgets = new Map<number, CallBudget>()
  readonly #unbooked = new Map<number, number>()

  /** Counts the points of a call that no import has booked: five for a write. */
  count(installation_id: number, method: string): void {
    const points = ['GET', 'HEAD'].includes(method) ? 1 : 5
    const counted = this.#unbooked.get(installation_id) ?? 0
    this.#unbooked.set(installation_id, Math.min(counted + points, POINTS_PER_MINUTE))
  }

  /** Takes up to `most` of the counted points, to book them. */
  takeUnbooked(installation_id: number, most: number): number {
    const counted = this.#unbooked.get(installation_id) ?? 0
    const taken = Math.min(counted, most)
    this.#unbooked.set(installation_id, counted - taken)
    return taken
  }

  /** Reads the headers of a response. */
  observe(installation_id: number, headers: Record<string, unknown>): void {
    const read = quotaIn(headers)
    if (!read) return
    const { remaining, limit, reset_at } = read
    const before = this.#budgets.get(installation_id)
    const waiting = before?.reset_at.getTime() === reset_at.getTime() ? before.waiting : 0
    this.#budgets.set(installation_id, { remaining, limit, reset_at, waiting })
  }

  /** When an import may make calls; null if now. Imports that wait keep their order. */
  importAt(installation_id: number, now: Date): Date | null {
    const budget = this.#budgets.get(installation_id)
    if (!budget || budget.reset_at <= now || budget.remaining > budget.limit * LIVE_SHARE) return null
    budget.waiting += 1
    return later(budget.reset_at, budget.waiting)
  }
}
