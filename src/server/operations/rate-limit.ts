/** How clients see a rate limit: the headers of every response, and the 429 (docs/contract/limits.md#rate-limit). */
import { hash } from 'node:crypto'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { Failure } from '../../vocabulary/failure.ts'

export const WINDOW_S = 60

export function rateLimitHeaders(
  key: string,
  limit: number,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
): Record<string, string> {
  const policy = `"${limit}-in-1min"`
  const partition = Buffer.from(hash('sha256', key).slice(0, 12)).toString('base64')
  return {
    RateLimit: `${policy}; r=${remainingPoints}; t=${Math.ceil(msBeforeNext / 1000)}`,
    'RateLimit-Policy': `${policy}; q=${limit}; w=${WINDOW_S}; pk=:${partition}:`,
  }
}

/** A 429. `Retry-After` is the end of the window, or one minute if none has begun. */
export function tooMany(problem: string, used: RateLimiterRes | null): Failure {
  const seconds = used ? Math.ceil(used.msBeforeNext / 1000) : WINDOW_S
  return new Failure('rate_limited', `${problem}; retry after the number of seconds in Retry-After`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}
