/** Authentication and rate limiting of every request, on every surface (docs/contract/access.md#admission). */
import { hash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { Meter } from '../../vocabulary/clock.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { type Token, tokenOf } from '../github/tokens.ts'
import { inTurn } from '../platform/background.ts'
import type { App } from '../records/repositories/app.ts'

const WINDOW_S = 60

/** The processor time that is charged like one request. */
const MS_PER_CHARGE = 10
/** The bytes of a body, or the characters of an answer, that are charged like one request. */
const LENGTH_PER_CHARGE = 100_000
/** How many checks of one caller run at once, so that one with many does not make the others wait. */
const CHECKS_AT_ONCE = 2

/** What a surface knows about the caller of a request. */
export interface Credentials {
  /** The `Authorization` header. */
  authorization: string | undefined
  address: string | undefined
  /** Called with `RateLimit` and `RateLimit-Policy` each time the request is charged. */
  onCharge: (headers: Record<string, string>) => void
}

/** The limits that the requests of this instance share. */
interface Limits {
  app: App
  quota: RateLimiterMemory
  failed_tokens: FailedTokenLimit
}

/** Returns a function that returns the caller of one request, whose token is not verified and whose quota is not charged yet. */
export function admission(app: App) {
  const points = app.config.rate_limit_per_minute
  const limits: Limits = {
    app,
    quota: new RateLimiterMemory({ points, duration: WINDOW_S }),
    failed_tokens: new FailedTokenLimit(points),
  }
  return (credentials: Credentials) => new Caller(credentials, limits)
}

/** The caller of one request, and what the request costs. */
export class Caller {
  /** Counts the work of the request. */
  readonly meter: Meter
  readonly #limits: Limits
  readonly #address: string
  /** As the audit log names it; null if it is not known. */
  readonly address: string | null
  readonly #onCharge: Credentials['onCharge']
  readonly #token: Token | undefined
  #isCharged = false

  constructor({ authorization, address, onCharge }: Credentials, limits: Limits) {
    this.meter = new Meter(limits.app.comparison_ms)
    this.#limits = limits
    this.#address = networkOf(address)
    this.address = address ?? null
    this.#onCharge = onCharge
    const secret = /^bearer +([\x21-\x7e]{1,2000}) *$/i.exec(authorization ?? '')?.[1]
    this.#token = secret === undefined ? undefined : tokenOf(secret)
  }

  /** Throws `unauthorized` if the request has no bearer token. */
  get token(): Token {
    if (this.#token) return this.#token
    throw new Failure(
      'unauthorized',
      'Authorization: send a GitHub token that can read the repository, as Bearer TOKEN',
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    )
  }

  /**
   * Admits the request if GitHub accepts the token in `lookUp`, and returns the result. The first call charges the request;
   * later calls do not. A token that GitHub accepted recently is charged before `lookUp`. Any other token is charged after
   * it, and until then only the limit of failed tokens per address applies. Throws `unauthorized`, `rate_limited`,
   * `service_unavailable`.
   */
  async admit<Result>(lookUp: (token: Token) => Promise<Result>): Promise<Result> {
    const { app, failed_tokens } = this.#limits
    // A request without a token guesses nothing. If it counted, a page whose sign-in ended would lock out its whole network.
    const { token } = this
    if (app.access.tokens.isRecentlyAccepted(token)) return this.#admitKnown(lookUp)
    const result = await failed_tokens.guard(this.#address, () => lookUp(token))
    await this.#charge()
    return result
  }

  /** Verifies a credential other than the token, such as the code of a sign-in. `verify` throws `unauthorized` if it is rejected. */
  tryCredential<Result>(verify: () => Promise<Result>): Promise<Result> {
    return this.#limits.failed_tokens.guard(this.#address, verify)
  }

  /** Runs a check after others of its caller. */
  inTurn<Result>(check: () => Promise<Result>): Promise<Result> {
    return inTurn(`checks of ${this.token.hash}`, check, CHECKS_AT_ONCE)
  }

  /** Charges the body, the work done and its answer. It is never refused: the work is done, so its response is sent. */
  async chargeWork(answer_length: number): Promise<void> {
    const { used_ms, received } = this.meter
    const work = Math.floor(used_ms / MS_PER_CHARGE + answer_length / LENGTH_PER_CHARGE)
    const cost = work + Math.floor(received / LENGTH_PER_CHARGE)
    if (cost > 0 && this.#isCharged) await this.#take(cost)
  }

  async #admitKnown<Result>(lookUp: (token: Token) => Promise<Result>): Promise<Result> {
    await this.#charge()
    try {
      return await lookUp(this.token)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unauthorized')
        await this.#limits.failed_tokens.countFailure(this.#address)
      throw error
    }
  }

  async #charge(): Promise<void> {
    if (this.#isCharged) return
    const { points } = this.#limits.quota
    const used = await this.#take(1)
    if (used.consumedPoints > points) throw tooMany(`more than ${points} requests in one minute`, used)
    this.#isCharged = true
  }

  async #take(units: number) {
    const { quota } = this.#limits
    const { hash } = this.token
    const used = await quota.penalty(hash, units)
    this.#onCharge(rateLimitHeaders(hash, quota.points, used))
    return used
  }
}

function rateLimitHeaders(
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
function tooMany(problem: string, used: RateLimiterRes | null): Failure {
  const seconds = used ? Math.ceil(used.msBeforeNext / 1000) : WINDOW_S
  return new Failure('rate_limited', `${problem}; retry after the number of seconds in Retry-After`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  })
}

/** The limit of failed tokens per minute and address. */
const FAILED_MAX = 100

class FailedTokenLimit {
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
