/** Opens clients of GitHub: they reach its API only, and each call is measured (docs/observability.md). */
import { Octokit } from '@octokit/rest'
import type { Logger } from 'pino'
import { stopwatch } from '../../vocabulary/clock.ts'
import type { CallKind, Metrics } from '../platform/telemetry/metrics.ts'

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
export function instrumentClient(client: Hooked, kind: CallKind, { metrics, log }: Telemetry): void {
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

/** Whether a response reports a primary or secondary rate limit. */
export function isRateLimited(status: number, headers: Record<string, unknown>): boolean {
  if (status === 429) return true
  return status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined)
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
