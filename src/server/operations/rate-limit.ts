/** How clients see a quota: the headers of every response, and the 429 (docs/contract/limits.md#rate-limit). */
import { hash } from 'node:crypto'
import { Failure } from '../../vocabulary/failure.ts'
import { QUOTA_WINDOW_MS, type QuotaState } from './quota.ts'

export function rateLimitHeaders(
  key: string,
  limit: number,
  { state, now }: { state: QuotaState; now: Date },
): Record<string, string> {
  const policy = `"${limit}-in-1min"`
  const partition = Buffer.from(hash('sha256', key).slice(0, 12)).toString('base64')
  return {
    RateLimit: `${policy}; r=${state.left}; t=${secondsUntil(state.reset_at, now)}`,
    'RateLimit-Policy': `${policy}; q=${limit}; w=${QUOTA_WINDOW_MS / 1000}; pk=:${partition}:`,
  }
}

/** A 429. `Retry-After` is the reset of the quota, or one minute if its state is not known. */
export function tooMany(problem: string, now: Date, state?: QuotaState): Failure {
  const seconds = state ? secondsUntil(state.reset_at, now) : QUOTA_WINDOW_MS / 1000
  return new Failure('rate_limited', `${problem}; retry after the number of seconds in Retry-After`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}

function secondsUntil(instant: Date, now: Date): number {
  return Math.max(0, Math.ceil((instant.getTime() - now.getTime()) / 1000))
}
