/** How a quota shows to clients: the headers of every answer, and the refusal (contract §9, IETF draft 8). */
import { hash } from 'node:crypto'
import { Failure } from '../base/failure.ts'
import { QUOTA_WINDOW_MS, type QuotaState } from './quota.ts'

/** `RateLimit` and `RateLimit-Policy`. */
export function rateLimitHeaders(
  holder: string,
  limit: number,
  { state, now }: { state: QuotaState; now: Date },
): Record<string, string> {
  const policy = `"${limit}-in-1min"`
  const partition = Buffer.from(hash('sha256', holder).slice(0, 12)).toString('base64')
  return {
    RateLimit: `${policy}; r=${state.left}; t=${secondsUntil(state.reset_at, now)}`,
    'RateLimit-Policy': `${policy}; q=${limit}; w=${QUOTA_WINDOW_MS / 1000}; pk=:${partition}:`,
  }
}

/** The refusal of a request; without a state of the quota, for a minute. */
export function tooMany(what: string, now: Date, state?: QuotaState): Failure {
  const seconds = state ? secondsUntil(state.reset_at, now) : QUOTA_WINDOW_MS / 1000
  return new Failure('rate_limited', `${what}; wait for the seconds in Retry-After`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}

function secondsUntil(instant: Date, now: Date): number {
  return Math.max(0, Math.ceil((instant.getTime() - now.getTime()) / 1000))
}
