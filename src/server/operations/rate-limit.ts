/** Rate limits as clients see them, and the limit of failed tokens by client address (docs/contract/limits.md#failed-tokens). */
import { hash } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
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

/** The limit of failed tokens per minute and address. */
const FAILED_MAX = 100
/** The maximum number of requests of one address that wait for other verifications to finish. */
const WAITING_MAX = 1000

/** The verifications of one address. */
interface Gate {
  running: number
  waiting: (() => void)[]
}

export class FailedTokenLimit {
  readonly #failed = new RateLimiterMemory({ points: FAILED_MAX, duration: WINDOW_S })
  /** Counts requests that GitHub did not decide, because it was unavailable or limited the rate. */
  readonly #undecided: RateLimiterMemory
  readonly #gates = new Map<string, Gate>()

  constructor(undecided_max: number) {
    this.#undecided = new RateLimiterMemory({ points: undecided_max, duration: WINDOW_S })
  }

  /**
   * Runs `verify` within the limit of the address and counts a failure with `unauthorized`. If the running verifications
   * could use up the limit, it waits for one to end. Throws `rate_limited`, and what `verify` throws.
   */
  async guard<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    await this.#enter(address)
    try {
      return await verify()
    } catch (error) {
      const isFailed = error instanceof Failure && error.kind === 'unauthorized'
      // Before `#leave`, so that a failure is counted as running or as failed at any time.
      await (isFailed ? this.#failed : this.#undecided).penalty(address)
      throw error
    } finally {
      this.#leave(address)
    }
  }

  /** Counts a token that GitHub accepted earlier and rejects now. */
  async countFailure(address: string): Promise<void> {
    await this.#failed.penalty(address)
  }

  /** Each running verification may fail, so it counts until it ends. */
  async #enter(address: string): Promise<void> {
    for (;;) {
      const undecided = open(await this.#undecided.get(address))
      const failed = open(await this.#failed.get(address))
      const gate = this.#gates.get(address) ?? { running: 0, waiting: [] }
      const isUndecided = undecided?.remainingPoints === 0
      if (!isUndecided && (failed?.consumedPoints ?? 0) + gate.running < FAILED_MAX) {
        gate.running += 1
        this.#gates.set(address, gate)
        return
      }
      if (gate.running === 0 || gate.waiting.length >= WAITING_MAX)
        throw tooMany(
          'too many requests from this address without a valid token',
          isUndecided ? undecided : failed,
        )
      await new Promise<void>((resolve) => gate.waiting.push(resolve))
    }
  }

  /** Wakes one waiting request; all, if no verification runs that would wake the next. */
  #leave(address: string): void {
    const gate = this.#gates.get(address) as Gate
    gate.running -= 1
    if (gate.running === 0) this.#gates.delete(address)
    for (const wake of gate.waiting.splice(0, gate.running === 0 ? gate.waiting.length : 1)) wake()
  }
}

/** Null if the window is over: the limiter forgets it a moment later. */
function open(used: RateLimiterRes | null): RateLimiterRes | null {
  return used && used.msBeforeNext > 0 ? used : null
}

/** An IPv4 address unchanged, an IPv6 address as its /64, anything else as `unknown`. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return 'unknown'
  const groups = groupsOf(address)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%')
  // URL writes a dotted IPv4 tail as two groups.
  const [head = '', tail] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::')
  const numbersIn = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const before = numbersIn(head)
  const after = numbersIn(tail)
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
