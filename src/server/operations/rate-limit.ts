/** Rate limits as clients see them, and the limit of failed tokens by client address (docs/contract/limits.md#failed-tokens). */
import { hash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { Failure } from '../../vocabulary/failure.ts'
import { inTurn } from '../platform/background.ts'

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

/** The limit of failed tokens per minute and address. */
const FAILED_MAX = 100

export class FailedTokenLimit {
  readonly #failed = new RateLimiterMemory({ points: FAILED_MAX, duration: WINDOW_S })
  /** Counts requests that GitHub did not decide, because it was unavailable or limited the rate. */
  readonly #undecided: RateLimiterMemory
  /** The running verifications of each address. */
  readonly #running = new Map<string, Set<Promise<unknown>>>()

  constructor(undecided_max: number) {
    this.#undecided = new RateLimiterMemory({ points: undecided_max, duration: WINDOW_S })
  }

  /**
   * Runs `verify` within the limit of the address and counts a failure with `unauthorized`. If the running verifications
   * could use up the limit, it waits for one to end. Throws `rate_limited`, and what `verify` throws.
   */
  async guard<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    const { verified } = await inTurn(`token of ${address}`, async () => {
      await this.#waitForRoom(address)
      return { verified: this.#start(address, verify) }
    })
    return verified
  }

  /** Counts a token that GitHub accepted earlier and rejects now. */
  async countFailure(address: string): Promise<void> {
    await this.#failed.penalty(address)
  }

  /** Each running verification may fail, so it counts until it ends. */
  async #waitForRoom(address: string): Promise<void> {
    for (;;) {
      const undecided = open(await this.#undecided.get(address))
      const failed = open(await this.#failed.get(address))
      const running = this.#running.get(address) ?? new Set()
      const isUndecided = undecided?.remainingPoints === 0
      if (!isUndecided && (failed?.consumedPoints ?? 0) + running.size < FAILED_MAX) return
      if (running.size === 0)
        throw tooMany(
          'too many requests from this address without a valid token',
          isUndecided ? undecided : failed,
        )
      await Promise.race(running)
    }
  }

  #start<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(address) ?? new Set()
    this.#running.set(address, running)
    const counted = verify().catch(async (error) => {
      const isFailed = error instanceof Failure && error.kind === 'unauthorized'
      await (isFailed ? this.#failed : this.#undecided).penalty(address)
      throw error
    })
    // After the count, so that a failure is counted as running or as failed at any time.
    const ended: Promise<unknown> = counted
      .catch(() => {})
      .finally(() => {
        running.delete(ended)
        if (running.size === 0) this.#running.delete(address)
      })
    running.add(ended)
    return counted
  }
}

/** Null if the window is over: the limiter forgets it a moment later. */
function open(used: RateLimiterRes | null): RateLimiterRes | null {
  return used && used.msBeforeNext > 0 ? used : null
}

/** An IPv4 address unchanged, an IPv6 address as its /64, anything else as `unknown`. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || isIP(address) === 0) return 'unknown'
  if (isIPv4(address)) return address
  // URL writes the groups in lower case without leading zeros, and a dotted IPv4 tail as two of them.
  const text = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
  const zeros = '0:'.repeat(8 - text.split(':').filter(Boolean).length)
  const groups = text.replace('::', `:${zeros}`).split(':').filter(Boolean)
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`
  const mapped = groups.slice(6).map((group) => group.padStart(4, '0'))
  return Buffer.from(mapped.join(''), 'hex').join('.')
}
