/** Watches the calls to GitHub: how long they take, how they end, what is left of the quota (docs/observability.md). */
import type { Logger } from 'pino'
import { stopwatch } from '../base/clock.ts'
import type { CallKind } from '../telemetry/github-quota.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { inSpan, markFailed, type Span } from '../telemetry/trace.ts'

export interface Telemetry {
  metrics: Metrics
  log: Logger
}

interface Options {
  method: string
  /** A template, such as `/repos/{owner}/{repo}`. */
  url: string
  baseUrl?: string
}

interface Ended {
  status: number | 'none'
  headers: Record<string, unknown>
  error?: unknown
}

/** The way in for watchers that every client of Octokit's has. */
interface Hooked {
  hook: {
    // biome-ignore lint/suspicious/noExplicitAny: Octokit's own type differs between its two clients
    wrap(name: 'request', wrap: (request: any, options: any) => Promise<any>): void
  }
}

/** Watches a client. The time of a call holds the pauses that Probot's client keeps between writes. */
export function instrumentClient(client: Hooked, kind: CallKind, { metrics, log }: Telemetry): void {
  client.hook.wrap('request', (request: (options: Options) => Promise<Ended>, options: Options) => {
    const call = `${options.method} ${options.url}`
    return inSpan(call, { kind: 'client', attributes: attributesOf(options) }, async (span) => {
      const elapsed = stopwatch()
      const ended = (how: Ended) => {
        const ms = elapsed()
        metrics.github_calls.observe({ kind, status: how.status }, ms / 1000)
        metrics.github_quota.observe(kind, how.headers)
        tellSpan(span, how)
        const trouble = troubleIn(how)
        if (trouble)
          log.warn({ call, kind, status: how.status, ...causeOf(how.error), ms: Math.round(ms) }, trouble)
      }
      try {
        const response = await request(options)
        ended(response)
        return response
      } catch (error) {
        ended(endOf(error))
        throw error
      }
    })
  })
}

function attributesOf({ method, url, baseUrl = '' }: Options) {
  const server = URL.canParse(baseUrl) ? { 'server.address': new URL(baseUrl).hostname } : {}
  return { 'http.request.method': method, 'url.template': url, ...server }
}

/** Octokit says 500 also where no answer came. */
function endOf(error: unknown): Ended {
  const { status, response } = error as { status?: number; response?: { headers?: Record<string, unknown> } }
  return response && status !== undefined
    ? { status, headers: response.headers ?? {}, error }
    : { status: 'none', headers: {}, error }
}

function tellSpan(span: Span | undefined, { status }: Ended): void {
  if (status !== 'none') span?.setAttribute('http.response.status_code', status)
  if (status === 'none' || status >= 400) markFailed(span, String(status))
}

function troubleIn({ status, headers }: Ended): string | undefined {
  if (status === 'none') return 'GitHub did not answer'
  if (status >= 500) return 'GitHub failed'
  const isLimited = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined
  return status === 429 || (status === 403 && isLimited) ? 'GitHub limits the rate of calls' : undefined
}

/** Why no answer came, without the message: that may name an address. */
function causeOf(error: unknown): { fault?: string; code?: string } {
  if (!(error instanceof Error)) return {}
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return { fault: error.name, ...(typeof code === 'string' && { code }) }
}
