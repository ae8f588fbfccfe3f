/**
 * Opens clients of GitHub, which reach its API only and whose calls are measured (docs/observability.md), and the GitHub App, built on
 * Probot: it verifies deliveries and authenticates as installations, half of whose rate limit imports leave to live work.
 */
import { Octokit } from '@octokit/rest'
import type { Logger } from 'pino'
import type { Probot, ProbotOctokit } from 'probot'
import { later, stopwatch } from '../../vocabulary/clock.ts'
import type { AppCredentials } from '../platform/config.ts'
import { type CallKind, type Metrics, type Quota, quotaIn } from '../platform/telemetry/metrics.ts'
import { isRateLimited } from './octokit.ts'

export interface Telemetry {
  metrics: Metrics
  log: Logger
}

/** The timeout of calls by jobs, which can wait longer than a request of a caller. */
export const JOB_TIMEOUT_MS = 10_000
/** Far above the largest response: 100 changed files with their patches. */
const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

/** The clients log nothing themselves: their messages contain addresses. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A client that is no App. Without `timeout_ms`, each call must set its own timeout. */
export function openClient(
  kind: CallKind,
  telemetry: Telemetry,
  { api_url, timeout_ms, auth }: { api_url: string; timeout_ms?: number; auth?: string },
): Octokit {
  const request = { fetch: apiFetch(api_url, timeout_ms) }
  const github = new Octokit({ auth, baseUrl: api_url, log: SILENT, userAgent: 'deconflict', request })
  instrumentClient(github, kind, telemetry)
  return github
}

interface RequestOptions {
  method: string
  /** A route template, such as `/repos/{owner}/{repo}`. */
  url: string
}

interface Outcome {
  status: number | 'none'
  headers: Record<string, unknown>
  data?: unknown
  error?: unknown
}

/** The hook API that both Octokit classes have. */
interface Hooked {
  hook: {
    // biome-ignore lint/suspicious/noExplicitAny: Octokit's own type differs between its two clients
    wrap(name: 'request', wrap: (request: any, options: any) => Promise<any>): void
  }
}

/** Instruments a client. The measured duration includes the pauses that Probot's client makes between writes. */
function instrumentClient(client: Hooked, kind: CallKind, { metrics, log }: Telemetry): void {
  client.hook.wrap(
    'request',
    async (request: (options: RequestOptions) => Promise<Outcome>, options: RequestOptions) => {
      // Of a list it is an address, whose query has a cursor from the second page on.
      const call = `${options.method} ${options.url.replace(/^https?:\/\/[^/]+|\?.*/g, '')}`
      const elapsed = stopwatch()
      const record = (outcome: Outcome) => {
        const ms = elapsed()
        metrics.github_calls.observe({ kind, status: outcome.status }, ms / 1000)
        metrics.github_quota.observe(kind, outcome.headers)
        const warning = warningFor(outcome, call)
        const { status, error } = outcome
        if (warning) log.warn({ call, kind, status, ...causeOf(error), ms: Math.round(ms) }, warning)
      }
      try {
        const response = await request(options)
        // Octokit returns a page of a proxy, or half a JSON text, as it is.
        if (response.status === 200 && typeof response.data === 'string')
          throw new Error('GitHub answered with something else than JSON')
        record(response)
        return response
      } catch (error) {
        record(outcomeOf(error))
        throw error
      }
    },
  )
}

/** Octokit reports status 500 when there was no response. */
function outcomeOf(error: unknown): Outcome {
  const { status, response } = error as { status?: number; response?: { headers?: Record<string, unknown> } }
  return response && status !== undefined
    ? { status, headers: response.headers ?? {}, error }
    : { status: 'none', headers: {}, error }
}

function warningFor({ status, headers }: Outcome, call: string): string | undefined {
  if (status === 'none') return 'github did not respond'
  if (status === 401 && call.includes('/app/')) return 'github rejects the App; check APP_ID and PRIVATE_KEY'
  if (status >= 500) return 'github request failed'
  return isRateLimited(status, headers) ? 'github rate limit reached' : undefined
}

/** The HTTP status of a failed call; undefined if there was no response, and for other errors. */
export function statusOf(error: unknown): number | undefined {
  return (error as { status?: number }).status
}

/** Why there was no response, without the error message, which can contain an address. Octokit wraps the error of `fetch`. */
function causeOf(error: unknown): { fault?: string; code?: string } {
  if (!(error instanceof Error)) return {}
  const { name } = error.cause instanceof Error ? error.cause : error
  const code = codeOf(error.cause)
  return { fault: name, ...(code !== undefined && { code }) }
}

/** The code of the connection's error, such as ENOTFOUND or SELF_SIGNED_CERT_IN_CHAIN. `fetch` wraps that error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : codeOf(error.cause)
}

/**
 * A `fetch` for the API at `api_url`. It follows redirects within that API, which renamed repositories need. A response from another host,
 * or one that is too large, is an error: an outage never grants access.
 */
export function apiFetch(
  api_url: string,
  timeout_ms?: number,
): (address: string, init: RequestInit) => Promise<Response> {
  const { origin } = new URL(api_url)
  return async (address, init) => {
    const timeout = timeout_ms === undefined ? {} : { signal: AbortSignal.timeout(timeout_ms) }
    const response = await fetch(address, { ...init, ...timeout })
    const { status, statusText, headers } = response
    // Octokit would read the body of a redirect without a location as the response.
    const isUnresolved = status >= 300 && status < 400 && status !== 304
    if (isUnresolved || (response.redirected && new URL(response.url).origin !== origin)) {
      await response.body?.cancel()
      throw new Error('GitHub redirected the request to another host')
    }
    const buffered = new Response(await readBytes(response), { status, statusText, headers })
    return Object.defineProperty(buffered, 'url', { value: response.url })
  }
}

/** The whole body, or null when there is none. */
async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > RESPONSE_MAX_BYTES) throw new Error('the response of GitHub is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

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

/** A service without an App does not load Probot. */
export async function openGithubApp(
  app: AppCredentials,
  options: Telemetry & { api_url: string },
): Promise<GithubApp> {
  const { Probot, ProbotOctokit } = await import('probot')
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
