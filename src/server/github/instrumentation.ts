/** Instruments clients of GitHub: duration, outcome and rate limit of each call (docs/observability.md). */
import type { Logger } from 'pino'
import { stopwatch } from '../../vocabulary/clock.ts'
import type { CallKind, Metrics } from '../platform/telemetry/metrics.ts'

export interface Telemetry {
  metrics: Metrics
  log: Logger
}

interface RequestOptions {
  method: string
  /** A route template, such as `/repos/{owner}/{repo}`. */
  url: string
}

interface Outcome {
  status: number | 'none'
  headers: Record<string, unknown>
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
      const call = `${options.method} ${options.url}`
      const elapsed = stopwatch()
      const record = (outcome: Outcome) => {
        const ms = elapsed()
        metrics.github_calls.observe({ kind, status: outcome.status }, ms / 1000)
        metrics.github_quota.observe(kind, outcome.headers)
        const warning = warningFor(outcome)
        if (!warning) return
        log.warn(
          { call, kind, status: outcome.status, ...causeOf(outcome.error), ms: Math.round(ms) },
          warning,
        )
      }
      try {
        const response = await request(options)
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

function warningFor({ status, headers }: Outcome): string | undefined {
  if (status === 'none') return 'github did not respond'
  if (status >= 500) return 'github request failed'
  return isRateLimited(status, headers) ? 'github rate limit reached' : undefined
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
