/** Calls to GitHub: bounded in time, quiet, and with every way to fail told apart (contract §2). */
import { Octokit } from '@octokit/rest'
import { Failure, unavailable } from '../base/failure.ts'
import { apiFetch } from './api-fetch.ts'
import { instrumentClient, type Telemetry } from './instrumentation.ts'

/** How long one call may take. */
const TIMEOUT_MS = 5000

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function openGithub(api_url: string, watch: Telemetry): Octokit {
  const github = new Octokit({
    baseUrl: api_url,
    log: SILENT,
    userAgent: 'deconflict',
    request: { fetch: apiFetch(api_url) },
  })
  instrumentClient(github, 'caller', watch)
  return github
}

/**
 * What one call carries: the caller's token, kept nowhere else, and a deadline. The signal stands alone:
 * on Node 20 one made by `AbortSignal.any` never fires once it was garbage collected.
 */
export function requestOptions(token: string, headers: Record<string, string> = {}) {
  return {
    headers: { authorization: `Bearer ${token}`, ...headers },
    request: { signal: AbortSignal.timeout(TIMEOUT_MS) },
  }
}

export type GithubError =
  | { kind: 'not_modified' | 'unauthorized' | 'invisible' }
  | { kind: 'rate_limited'; retry_after: number }
  | { kind: 'unavailable' }

/** What a failed call means. `now` serves to turn the instant at which a quota is reset into seconds. */
export function classifyError(error: unknown, now: Date): GithubError {
  const { status, response } = error as {
    status?: number
    response?: { headers?: Record<string, string | undefined> }
  }
  const headers = response?.headers ?? {}
  switch (status) {
    case 304:
      return { kind: 'not_modified' }
    case 401:
      return { kind: 'unauthorized' }
    case 429:
      return { kind: 'rate_limited', retry_after: retryAfter(headers, now) }
    case 403: {
      const limited = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined
      return limited ? { kind: 'rate_limited', retry_after: retryAfter(headers, now) } : { kind: 'invisible' }
    }
    case 404:
    case 451:
      return { kind: 'invisible' }
    default:
      return { kind: 'unavailable' }
  }
}

/** Seconds, between one and an hour. */
function retryAfter(headers: Record<string, string | undefined>, now: Date): number {
  const reset = Number(headers['x-ratelimit-reset'])
  const seconds = Number(headers['retry-after']) || (reset ? reset - now.getTime() / 1000 : 60)
  return Math.min(3600, Math.max(1, Math.ceil(seconds)))
}

/** What a refusal of a caller's token, or an outage, is to the caller. */
export function toFailure(refusal: GithubError): Failure {
  switch (refusal.kind) {
    case 'unauthorized':
      return new Failure(
        'unauthorized',
        'GitHub does not accept this token; it may be mistyped, expired or revoked',
        { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } },
      )
    case 'rate_limited':
      return new Failure(
        'rate_limited',
        'GitHub limits the rate of requests made with this token; wait and try again',
        { headers: { 'Retry-After': String(refusal.retry_after) } },
      )
    default:
      return unavailable('GitHub does not answer, and it decides who may see this repository; try again')
  }
}
