/** The way in for every request at every door: a token that GitHub accepts, and a quota that is not used up (contract §2, §9). */

import { Meter } from '../base/budget.ts'
import { Failure } from '../base/failure.ts'
import { networkOf } from '../base/network.ts'
import type { App } from '../context/app.ts'
import { faultOf } from '../db/errors.ts'
import { type Token, tokenOf } from '../github/access.ts'
import { blockOfTwentieth, Quota } from './quota.ts'
import { rateLimitHeaders, tooMany } from './rate-limit.ts'
import { Unverified } from './unverified.ts'

/**
 * Work units that take about 10 ms. The benchmark decides on a pair of real-world globs in 98 ns, which is 6.2 units:
 * 16 ns a unit. On its hostile globs a unit takes 8 to 19 ns.
 */
const UNITS_PER_CHARGE = 600_000

/** Who sends a request, as every door can say. */
export interface Sender {
  /** The header. */
  authorization: string | undefined
  address: string | undefined
  /** Called with `RateLimit` and `RateLimit-Policy` whenever the request is charged. */
  onCharge?: (headers: Record<string, string>) => void
}

export class Admission {
  readonly #app: App
  readonly #callers: Quota
  readonly #unverified: Unverified

  constructor(app: App) {
    this.#app = app
    this.#callers = new Quota(app, { limit: app.config.rate_limit_per_minute, blockOf: blockOfTwentieth })
    this.#unverified = new Unverified(app)
  }

  /** The caller of one request; nothing is checked or charged yet. */
  callerOf(sender: Sender): Caller {
    return new Caller(sender, { app: this.#app, quota: this.#callers, unverified: this.#unverified })
  }
}

interface Resources {
  app: App
  quota: Quota
  unverified: Unverified
}

/** The caller of one request, and what the request costs. */
export class Caller {
  /** Counts the work of the request. */
  readonly meter = new Meter()
  readonly #resources: Resources
  readonly #address: string
  readonly #onCharge: NonNullable<Sender['onCharge']>
  readonly #token: Token | undefined
  #isCharged = false
  #chargedWork = 0

  constructor({ authorization, address, onCharge = () => {} }: Sender, resources: Resources) {
    this.#resources = resources
    this.#address = networkOf(address)
    this.#onCharge = onCharge
    const secret = /^bearer +([\x21-\x7e]{1,2000}) *$/i.exec(authorization ?? '')?.[1]
    this.#token = secret === undefined ? undefined : tokenOf(secret)
  }

  /** The token. Throws `unauthorized` where none was sent. */
  get token(): Token {
    if (this.#token) return this.#token
    throw new Failure('unauthorized', 'send a GitHub token as Authorization: Bearer TOKEN', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }

  /**
   * Admits the request with the answer of GitHub to `ask`, which verifies the token. The first admission charges the
   * request; later ones ask again without charging. A token that GitHub has not accepted yet is charged once it has:
   * until then its address answers for it. Throws `unauthorized`, `rate_limited`, `service_unavailable`.
   */
  async admit<Answer>(ask: (token: Token) => Promise<Answer>): Promise<Answer> {
    const { app, unverified } = this.#resources
    if (this.#token && app.access.recentlyAccepted(this.#token)) return this.#askAgain(ask)
    const answer = await unverified.guard(this.#address, async () => ask(this.token))
    await this.#charge()
    return answer
  }

  /** Runs something else than a token that GitHub accepts or refuses, such as the code of a sign-in; a refusal is thrown as `unauthorized`. */
  tryCredential<Answer>(verify: () => Promise<Answer>): Promise<Answer> {
    return this.#resources.unverified.guard(this.#address, verify)
  }

  /** Charges the work done so far. Never throws: the work is done, and its answer stands. */
  async chargeWork(): Promise<void> {
    const { app, quota } = this.#resources
    const cost = Math.floor(this.meter.units / UNITS_PER_CHARGE) - this.#chargedWork
    if (cost <= 0 || !this.#isCharged) return
    this.#chargedWork += cost
    try {
      await this.#take(quota, cost)
    } catch (error) {
      app.log.warn({ cost, ...faultOf(error) }, 'work was not charged')
    }
  }

  async #askAgain<Answer>(ask: (token: Token) => Promise<Answer>): Promise<Answer> {
    await this.#charge()
    try {
      return await ask(this.token)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unauthorized')
        await this.#resources.unverified.countFailure(this.#address)
      throw error
    }
  }

  async #charge(): Promise<void> {
    if (this.#isCharged) return
    const { app, quota } = this.#resources
    const state = await this.#take(quota, 1)
    if (state.granted === 0)
      throw tooMany(`more than ${quota.limit} requests in a minute`, app.clock(), state)
    this.#isCharged = true
  }

  async #take(quota: Quota, units: number) {
    const holder = `token:${this.token.hash}`
    const state = await quota.take(holder, units)
    this.#onCharge(rateLimitHeaders(holder, quota.limit, { state, now: this.#resources.app.clock() }))
    return state
  }
}
