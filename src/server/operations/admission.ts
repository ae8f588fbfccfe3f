/** Authentication and rate limiting of every request, on every surface, and whether the caller may perform an operation (docs/contract/access.md). */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { Meter } from '../../vocabulary/budget.ts'
import { isId } from '../../vocabulary/contract/id.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { mayAccess, type VisibleRepository } from '../github/repository-lists.ts'
import { type Token, tokenOf } from '../github/tokens.ts'
import { inTurn } from '../platform/background.ts'
import type { App } from '../records/repositories/app.ts'
import { FailedTokenLimit, networkOf, rateLimitHeaders, tooMany, WINDOW_S } from './rate-limit.ts'

/**
 * The cost units that are charged like one request: about 10 ms of work. In the benchmark, comparing a pair of real-world
 * globs takes 98 ns and 6.2 units, which is 16 ns per unit. Hostile globs take 8 to 19 ns per unit.
 */
const UNITS_PER_CHARGE = 600_000
/** The bytes of a body, or the characters of an answer, that are charged like one request. */
const LENGTH_PER_CHARGE = 100_000
/** How many checks of one caller run at once, so that one with many does not make the others wait. */
const CHECKS_MAX = 2
let checks = 0

/** What a surface knows about the caller of a request. */
export interface Credentials {
  /** The `Authorization` header. */
  authorization: string | undefined
  address: string | undefined
  /** Called with `RateLimit` and `RateLimit-Policy` each time the request is charged. */
  onCharge?: (headers: Record<string, string>) => void
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

export type CallerOf = ReturnType<typeof admission>

/** The caller of one request, and what the request costs. */
export class Caller {
  /** Counts the work of the request. */
  readonly meter = new Meter()
  readonly #limits: Limits
  readonly #address: string
  /** As the audit log names it; null if it is not known. */
  readonly address: string | null
  readonly #onCharge: NonNullable<Credentials['onCharge']>
  readonly #token: Token | undefined
  #isCharged = false

  constructor({ authorization, address, onCharge = () => {} }: Credentials, limits: Limits) {
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
      {
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
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

  /** Runs a check when others of the caller have ended. */
  inTurn<Result>(check: () => Promise<Result>): Promise<Result> {
    checks += 1
    return inTurn(`check ${checks % CHECKS_MAX} ${this.token.hash}`, check)
  }

  /** Charges the body, the work done and its answer. It is never refused: the work is done, so its response is sent. */
  async chargeWork(answer_length: number): Promise<void> {
    const { units, received } = this.meter
    const work = Math.floor(units / UNITS_PER_CHARGE + answer_length / LENGTH_PER_CHARGE)
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

/** What is asked for. `id`: empty if the path has none. */
interface Request {
  caller: Caller
  owner: string
  repo: string
  id: string
}

/**
 * Admits the caller and returns the repository if the caller has the permission that the operation needs. Throws
 * `forbidden`, `not_found`, and whatever `Caller.admit` throws.
 */
export async function authorise(
  app: App,
  operation: Pick<Operation, 'access' | 'record'>,
  { caller, owner, repo: name, id }: Request,
): Promise<VisibleRepository> {
  const { access, record } = operation
  const repository = await caller.admit((token) => app.access.repository(token, { owner, name, access }))
  if (!repository) {
    if (record)
      throw new Failure(
        'not_found',
        `the ${NOUNS[record]} does not exist, or this token cannot access its repository`,
      )
    throw new Failure(
      'forbidden',
      'this token cannot access the repository; check the owner, the name and the permissions of the token',
    )
  }
  if (!mayAccess(repository, access)) throw new Failure('forbidden', DENIED[access])
  if (record && !isId(record, id))
    throw new Failure(
      'not_found',
      `the ${NOUNS[record]} does not exist; its id must be ${record}_ followed by 26 characters`,
    )
  return repository
}

const DENIED = {
  read: '',
  write: 'this token can only read the repository; use a token with push access to it',
  admin: 'this token cannot administer the repository; use that of somebody with admin permission on it',
}

const NOUNS = { act: 'activity', ntb: 'notable' } as const
