/** GitHub's rate limits of one installation or user: calls an hour, points a minute, calls at once, and writes of content. */
import { HOUR_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { type GithubResponse, respondWithFault } from './github-reply.ts'

/** Those that GitHub documents for an installation in an organisation with more than 250 repositories. */
export const INSTALLATION_LIMITS = {
  /** A call that is answered with 304 does not count. */
  per_hour: 12_500,
  points_per_minute: 900,
  at_once: 100,
  writes_per_minute: 80,
  writes_per_hour: 500,
}
export type Limits = typeof INSTALLATION_LIMITS
export const USER_LIMITS: Limits = { ...INSTALLATION_LIMITS, per_hour: 5000 }
/** The limit that refused a call. */
export type LimitName = keyof Limits

const READ_POINTS = 1
const WRITE_POINTS = 5

export class RateLimits {
  readonly #limits: Limits
  #at_once = 0
  #hour = { began_at: 0, used: 0 }
  /** Of the last hour. */
  #calls: { at: number; points: number; is_write: boolean }[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  begin(method: string, now: Date) {
    const at = now.getTime()
    if (at >= this.#hour.began_at + HOUR_MS) this.#hour = { began_at: at, used: 0 }
    const hour = this.#hour
    const is_write = method !== 'GET' && method !== 'HEAD'
    const points = is_write ? WRITE_POINTS : READ_POINTS
    const refused_by = this.#refusal(at, { is_write, points })
    if (refused_by === null) {
      this.#calls.push({ at, points, is_write })
      hour.used += 1
      this.#at_once += 1
    }
    const fault = refused_by === 'per_hour' ? 'rate_limited' : 'secondary_rate_limited'
    return {
      refused_by,
      /** The answer to a refused call. */
      refusal: refused_by && respondWithFault(fault, now),
      /** Ends the call, and adds GitHub's headers to its answer; null if it got none. */
      end: (answer: GithubResponse | null) => {
        if (refused_by === null) this.#at_once -= 1
        if (refused_by === null && answer?.status === 304) hour.used -= 1
        if (answer) Object.assign(answer.headers, this.#headers())
      },
    }
  }

  #refusal(at: number, { is_write, points }: { is_write: boolean; points: number }): LimitName | null {
    const { per_hour, points_per_minute, at_once, writes_per_minute, writes_per_hour } = this.#limits
    while ((this.#calls[0]?.at ?? at) <= at - HOUR_MS) this.#calls.shift()
    const ofMinute = this.#ofLastMinute(at)
    const writes = (calls: typeof ofMinute) => calls.filter((call) => call.is_write).length
    if (this.#hour.used >= per_hour) return 'per_hour'
    if (this.#at_once >= at_once) return 'at_once'
    if (ofMinute.reduce((sum, call) => sum + call.points, points) > points_per_minute)
      return 'points_per_minute'
    if (is_write && writes(ofMinute) >= writes_per_minute) return 'writes_per_minute'
    if (is_write && writes(this.#calls) >= writes_per_hour) return 'writes_per_hour'
    return null
  }

  #ofLastMinute(at: number) {
    const first = this.#calls.findLastIndex((call) => call.at <= at - MINUTE_MS) + 1
    return this.#calls.slice(first)
  }

  #headers(): Record<string, string> {
    const { per_hour } = this.#limits
    const { used, began_at } = this.#hour
    return {
      'x-ratelimit-limit': String(per_hour),
      'x-ratelimit-remaining': String(Math.max(0, per_hour - used)),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(Math.ceil((began_at + HOUR_MS) / 1000)),
    }
  }
}
