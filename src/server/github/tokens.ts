/** Bearer tokens: which of them GitHub accepts, whose they are (docs/contract/access.md#identity), and the repositories that it shows to them; and until when cached answers hold. */
import { hash } from 'node:crypto'
import type { Octokit } from '@octokit/rest'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
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

/** The maximum number of pages of 100 repositories that are read. */
const PAGES_MAX = 5
const PAGE = 100

/** A repository as GitHub's answers describe it to a caller, under its current name. */
export const DescribedRepository = z
  .object({
    id: z.int(),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    permissions: z.partialRecord(z.string(), z.boolean()).optional(),
  })
  .transform(({ id, name, owner, permissions }) => ({
    id,
    owner: owner.login,
    name,
    may_write: Boolean(permissions?.push || permissions?.maintain || permissions?.admin),
    may_administer: Boolean(permissions?.admin),
  }))

/** A repository that the caller can see. */
export type VisibleRepository = z.output<typeof DescribedRepository>

export function mayAccess(
  { may_write, may_administer }: VisibleRepository,
  access: Operation['access'],
): boolean {
  return access === 'read' || (access === 'write' ? may_write : may_administer)
}

/** Invalidates cached answers without visiting the entries of a cache. Owners are case-insensitive. There are as many as webhooks named. */
export class Generations {
  readonly #owners = new Map<string, number>()
  /** The number of invalidations so far. */
  #count = 0
  /** The count at the last invalidation of all owners. */
  #all = 0

  /** Read this before calling GitHub: the answer is current while the generation of its owner is not later. */
  get now(): number {
    return this.#count
  }

  /** Answers about repositories of `owner` are valid from this generation on. */
  of(owner: string): number {
    return Math.max(this.#all, this.#owners.get(owner.toLowerCase()) ?? 0)
  }

  /** Invalidates the answers about `owner`, or about all owners. */
  invalidate(owner?: string): void {
    this.#count += 1
    if (owner === undefined) this.#all = this.#count
    else this.#owners.set(owner.toLowerCase(), this.#count)
  }
}

const UserPage = z.array(DescribedRepository)
const InstallationPage = z.object({ repositories: UserPage })

export interface RepositoryList {
  repositories: VisibleRepository[]
  /** False if there are more, or GitHub leaves out those of organisations whose single sign-on the token is not authorised for. */
  complete: boolean
}

interface ListEntry extends RepositoryList {
  /** The generation when GitHub was called. */
  generation: number
}

export class Tokens {
  readonly #github: Octokit
  readonly #clock: Clock
  readonly #generations: Generations
  readonly #identities: LRUCache<string, { identity: Identity }, Token>
  readonly #accepted: LRUCache<string, true>
  readonly #lists: LRUCache<string, ListEntry, Token>

  /** `ttl_ms`: of the lists of repositories. */
  constructor(options: { github: Octokit; clock: Clock; ttl_ms: number; generations: Generations }) {
    const { github, clock, ttl_ms, generations } = options
    this.#github = github
    this.#clock = clock
    this.#generations = generations
    const perf = { now: () => clock().getTime() }
    this.#identities = new LRUCache<string, { identity: Identity }, Token>({
      max: 50_000,
      ttl: IDENTITY_TTL_MS,
      perf,
      fetchMethod: async (_key, _stale, { context }) => ({ identity: await this.#fetchIdentity(context) }),
    })
    this.#accepted = new LRUCache<string, true>({ max: 50_000, ttl: ACCEPTED_TTL_MS, perf })
    this.#lists = new LRUCache<string, ListEntry, Token>({
      // An entry holds up to 500 names.
      max: 1000,
      ttl: ttl_ms,
      ttlResolution: 0,
      perf,
      fetchMethod: (_key, _stale, { context }) => this.#fetchList(context),
    })
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

  /** The repositories that GitHub lists for the token. At most six calls. Throws like `identity`. */
  async repositories(token: Token): Promise<RepositoryList> {
    const cached = await this.#lists.forceFetch(token.hash, { context: token })
    // No owner in the list was invalidated since GitHub was called.
    const isCurrent = cached.repositories.every(
      ({ owner }) => cached.generation >= this.#generations.of(owner),
    )
    return isCurrent ? cached : this.#lists.forceFetch(token.hash, { context: token, forceRefresh: true })
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

  async #fetchList(token: Token): Promise<ListEntry> {
    const is_user = (await this.identity(token)) !== null
    const generation = this.#generations.now
    const repositories: VisibleRepository[] = []
    let is_partial = false
    try {
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const answer = await this.#page(token, { is_user, page })
        repositories.push(...answer.listed)
        is_partial ||= answer.is_partial
        if (answer.is_last) return { repositories, complete: !is_partial, generation }
      }
      return { repositories, complete: false, generation }
    } catch (error) {
      const failure = classifyError(error, this.#clock())
      // A token may be allowed to read a repository and not to list any.
      if (failure.kind === 'invisible') return { repositories, complete: false, generation }
      throw toFailure(failure)
    }
  }

  /**
   * An installation token has no user; GitHub lists its repositories at another address. Throws a `ZodError` if the answer is not a list
   * of repositories, which counts as an outage.
   */
  async #page(token: Token, { is_user, page }: { is_user: boolean; page: number }) {
    const options = { per_page: PAGE, page, ...requestOptions(token.secret) }
    const github = this.#github
    const { data, headers } = is_user
      ? await github.rest.repos.listForAuthenticatedUser({ sort: 'pushed', ...options })
      : await github.rest.apps.listReposAccessibleToInstallation(options)
    const listed = is_user ? UserPage.parse(data) : InstallationPage.parse(data).repositories
    // `partial-results; organizations=1,2`
    const is_partial = /^partial-results\b/i.test(`${headers['x-github-sso'] ?? ''}`)
    return { listed, is_last: isLast(listed, headers), is_partial }
  }
}

/** Whether there is no next page. Without a `Link` header, which GitHub omits for a single page and a proxy may remove, a full page is assumed to have a next one. */
function isLast(listed: readonly unknown[], { link }: { link?: string | undefined }): boolean {
  return link === undefined ? listed.length < PAGE : !link.includes('rel="next"')
}
