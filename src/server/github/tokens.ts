/** Bearer tokens: which of them GitHub accepts, and whose they are (docs/contract/access.md#identity). */
import { hash } from 'node:crypto'
import type { Octokit } from '@octokit/rest'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../../vocabulary/clock.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { classifyError, type GithubError, requestOptions, toFailure } from './octokit.ts'

/** A bearer token. Only the hash may outlive the request. */
export interface Token {
  secret: string
  hash: string
}

export function tokenOf(secret: string): Token {
  return { secret, hash: hash('sha256', secret) }
}

/** A GitHub user; null for a token without a user, such as an installation token. */
export type Identity = { id: number; login: string } | null

const ACCEPTED_TTL_MS = 300_000
const IDENTITY_TTL_MS = 3_600_000

const User = z.object({ id: z.int(), login: z.string() })

export class Tokens {
  readonly #github: Octokit
  readonly #clock: Clock
  readonly #identities: LRUCache<string, { identity: Identity }, Token>
  readonly #accepted: LRUCache<string, true>

  constructor({ github, clock }: { github: Octokit; clock: Clock }) {
    this.#github = github
    this.#clock = clock
    const perf = { now: () => clock().getTime() }
    this.#identities = new LRUCache<string, { identity: Identity }, Token>({
      max: 50_000,
      ttl: IDENTITY_TTL_MS,
      perf,
      fetchMethod: async (_key, _stale, { context }) => ({ identity: await this.#fetchIdentity(context) }),
    })
    this.#accepted = new LRUCache<string, true>({ max: 50_000, ttl: ACCEPTED_TTL_MS, perf })
  }

  /** Whether GitHub accepted the token within the last five minutes. */
  isRecentlyAccepted(token: Token): boolean {
    return this.#accepted.has(token.hash)
  }

  /** Checks the token alone, with one call unless GitHub accepted it recently. Throws like `identity`. */
  async verify(token: Token): Promise<void> {
    if (this.isRecentlyAccepted(token)) return
    await this.#identities.forceFetch(token.hash, { context: token, forceRefresh: true })
  }

  /** The user behind the token. Throws `unauthorized`, `rate_limited`, `service_unavailable`. */
  async identity(token: Token): Promise<Identity> {
    const { identity } = await this.#identities.forceFetch(token.hash, { context: token })
    return identity
  }

  /** Call this when a call with the token succeeded. */
  recordAccepted(token: Token): void {
    this.#accepted.set(token.hash, true)
  }

  /** Call this when a call with the token failed. A 404 or 403 about a resource still means that GitHub accepted the token. */
  recordFailure(token: Token, { kind }: GithubError): void {
    if (kind === 'invisible') this.#accepted.set(token.hash, true)
    if (kind === 'unauthorized') this.#accepted.delete(token.hash)
  }

  async #fetchIdentity(token: Token): Promise<Identity> {
    try {
      const { data } = await this.#github.rest.users.getAuthenticated(requestOptions(token.secret))
      const user = User.safeParse(data)
      if (!user.success) throw toFailure({ kind: 'unavailable' })
      this.recordAccepted(token)
      return user.data
    } catch (error) {
      if (error instanceof Failure) throw error
      const failure = classifyError(error, this.#clock())
      this.recordFailure(token, failure)
      if (failure.kind === 'invisible') return null
      throw toFailure(failure)
    }
  }
}
