/** Permissions: GitHub decides them for the caller's token, and its answers are cached (docs/contract/access.md#decision). */
import type { Octokit } from '@octokit/rest'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
import { isNamePart } from '../../vocabulary/names.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { classifyError, type GithubError, requestOptions, toFailure } from './octokit.ts'
import {
  DescribedRepository,
  Generations,
  mayAccess,
  type RepositoryList,
  type Token,
  Tokens,
  type VisibleRepository,
} from './tokens.ts'
import { type BranchDirectory, listDirectory } from './trees.ts'

type Answer =
  | { kind: 'visible'; repository: VisibleRepository }
  | Exclude<GithubError, { kind: 'not_modified' }>

/** The last positive answer. It is kept so that it can be revalidated, or used while GitHub is unavailable. */
interface PositiveAnswer {
  repository: VisibleRepository
  etag: string | undefined
  confirmed_at: number
}

interface Entry {
  answer: Answer
  positive: PositiveAnswer | undefined
  /** The generation when GitHub was called. */
  generation: number
  /** GitHub is unavailable, and the answer is an earlier positive one. */
  is_stale?: true
}

interface Lookup {
  token: Token
  owner: string
  name: string
  /** The generation when GitHub was called. */
  generation: number
  /** The result of the call; undefined on a cache hit. */
  outcome?: 'miss' | 'revalidated' | 'failed'
}

const NEGATIVE_TTL_MS = 10_000
const STALE_IF_ERROR_MS = 300_000
const STALE_TTL_MS = 3_000

export class Access {
  readonly tokens: Tokens
  readonly #github: Octokit
  readonly #clock: Clock
  readonly #ttl: number
  readonly #metrics: Metrics
  readonly #generations = new Generations()
  readonly #entries: LRUCache<string, Entry, Lookup>

  constructor(options: { github: Octokit; clock: Clock; ttl_ms: number; metrics: Metrics }) {
    const { github, clock } = options
    this.#github = github
    this.#clock = clock
    this.#metrics = options.metrics
    // The cache treats a TTL of 0 as infinite.
    this.#ttl = Math.max(1, options.ttl_ms)
    const perf = { now: () => clock().getTime() }
    this.#entries = new LRUCache<string, Entry, Lookup>({
      max: 50_000,
      ttl: this.#ttl,
      ttlResolution: 0,
      perf,
      noDeleteOnFetchRejection: true,
      // An entry that is evicted during its fetch still serves the waiting requests.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, stale, { context, options }) => {
        context.generation = this.#generations.now
        const positive = stale && this.#isCurrent(stale) ? stale.positive : undefined
        const entry = { ...(await this.#fetch(context, positive)), generation: context.generation }
        options.ttl = this.#ttlOf(entry)
        return entry
      },
    })
    this.tokens = new Tokens({ github, clock, ttl_ms: this.#ttl, generations: this.#generations })
  }

  /**
   * The repository as GitHub shows it to the token; null if it is not visible. Throws `unauthorized`, `rate_limited`,
   * `service_unavailable`, and `forbidden` with an address if the organisation requires single sign-on.
   */
  async repository(
    token: Token,
    wanted: { owner: string; name: string; access: Operation['access'] },
  ): Promise<VisibleRepository | null> {
    const { owner, name } = wanted
    if (!isNamePart(owner) || !isNamePart(name)) {
      // No repository has this name. An invalid token must still get 401.
      await this.tokens.verify(token)
      return null
    }
    const context: Lookup = { token, owner, name, generation: this.#generations.now }
    let entry = await this.#entryOf(context)
    if (this.#hasOldDenial(entry, wanted.access)) entry = await this.#entryOf(context, { forceRefresh: true })
    const { answer } = entry
    // Waiting for the call of another request counts as a hit, because it saves a call.
    const outcome = entry.is_stale ? 'honoured' : (context.outcome ?? 'hit')
    this.#metrics.permission_lookups.inc({ outcome })
    if (answer.kind === 'visible') return answer.repository
    if (answer.kind === 'invisible' && answer.sso_url === null) return null
    throw toFailure(answer)
  }

  /**
   * The repositories that GitHub lists for the token, and those that it accessed recently. At most six calls.
   * Throws like `repository`.
   */
  async repositories(token: Token): Promise<RepositoryList> {
    const { repositories, complete } = await this.tokens.repositories(token)
    const accessed = [...this.#entries.entries()].flatMap(([key, entry]) =>
      key.startsWith(token.hash) && entry.answer.kind === 'visible' && this.#isCurrent(entry)
        ? entry.answer.repository
        : [],
    )
    const byId = new Map([...accessed, ...repositories].map((each) => [each.id, each]))
    return { repositories: [...byId.values()], complete }
  }

  /** The names of the files in a directory. One or two calls. Throws like `repository`. */
  async listDirectory(
    token: Token,
    { owner, name, ...directory }: Pick<VisibleRepository, 'owner' | 'name'> & BranchDirectory,
  ): Promise<string[]> {
    try {
      return await listDirectory(this.#github, { owner, name }, { ...directory, token: token.secret })
    } catch (error) {
      const failure = classifyError(error, this.#clock())
      this.tokens.recordFailure(token, failure)
      throw toFailure(failure)
    }
  }

  /** Whether the answer allows less than `access`, and is older than the TTL of negative answers, of which it is one. */
  #hasOldDenial({ answer, positive }: Entry, access: Operation['access']): boolean {
    if (answer.kind !== 'visible' || !positive || mayAccess(answer.repository, access)) return false
    return this.#clock().getTime() - positive.confirmed_at > NEGATIVE_TTL_MS
  }

  /** Invalidates the answers about repositories of `owner`, or about all. A lookup in flight still serves the requests that wait for it. */
  invalidate(owner?: string): void {
    this.#generations.invalidate(owner)
  }

  /** The key contains the generation of the owner, so after an invalidation earlier lookups are neither found nor joined. */
  async #entryOf(context: Lookup, options: { forceRefresh?: true } = {}): Promise<Entry> {
    const key = keyOf(context, this.#generations.of(context.owner))
    let entry = await this.#entries.forceFetch(key, { context, ...options })
    // After a transfer, the answer names another owner than the key, and that owner may have been invalidated.
    while (!this.#isCurrent(entry) && context.outcome === undefined)
      entry = await this.#entries.forceFetch(key, { context, forceRefresh: true })
    return entry
  }

  /** Whether the current owner of the repository has not been invalidated since GitHub was called. */
  #isCurrent({ positive, generation }: Pick<Entry, 'positive' | 'generation'>): boolean {
    return !positive || generation >= this.#generations.of(positive.repository.owner)
  }

  async #fetch(lookup: Lookup, positive: PositiveAnswer | undefined): Promise<Omit<Entry, 'generation'>> {
    const { token, owner, name } = lookup
    const validator: Record<string, string> = positive?.etag ? { 'if-none-match': positive.etag } : {}
    const now = this.#clock()
    lookup.outcome = 'miss'
    try {
      const response = await this.#github.rest.repos.get({
        owner,
        repo: name,
        ...requestOptions(token.secret, validator),
      })
      const found = DescribedRepository.safeParse(response.data)
      if (!found.success) return this.#staleAnswer(lookup, positive)
      const repository = found.data
      return this.#accept(token, { repository, etag: response.headers.etag, confirmed_at: now.getTime() })
    } catch (error) {
      const failure = classifyError(error, now)
      if (failure.kind === 'not_modified' && positive) {
        lookup.outcome = 'revalidated'
        return this.#accept(token, { ...positive, confirmed_at: now.getTime() })
      }
      if (failure.kind === 'not_modified' || failure.kind === 'unavailable')
        return this.#staleAnswer(lookup, positive)
      if (failure.kind === 'rate_limited') {
        lookup.outcome = 'failed'
        return { answer: failure, positive }
      }
      this.tokens.recordFailure(token, failure)
      return { answer: failure, positive: undefined }
    }
  }

  #accept(token: Token, positive: PositiveAnswer): Omit<Entry, 'generation'> {
    this.tokens.recordAccepted(token)
    return { answer: { kind: 'visible', repository: positive.repository }, positive }
  }

  /** An outage never grants access. A recent positive answer counts until GitHub is available, unless its owner was invalidated. */
  #staleAnswer(lookup: Lookup, positive: PositiveAnswer | undefined): Omit<Entry, 'generation'> {
    lookup.outcome = 'failed'
    const { owner, generation } = lookup
    const isCurrent = generation >= this.#generations.of(owner) && this.#isCurrent({ positive, generation })
    const isRecent = positive && this.#clock().getTime() - positive.confirmed_at <= STALE_IF_ERROR_MS
    return isRecent && isCurrent
      ? { answer: { kind: 'visible', repository: positive.repository }, positive, is_stale: true }
      : { answer: { kind: 'unavailable' }, positive }
  }

  #ttlOf(entry: Entry): number {
    const age = entry.positive ? this.#clock().getTime() - entry.positive.confirmed_at : 0
    switch (entry.answer.kind) {
      case 'visible':
        return entry.is_stale
          ? Math.max(1, Math.min(STALE_TTL_MS, this.#ttl, STALE_IF_ERROR_MS - age))
          : this.#ttl
      case 'rate_limited':
        return Math.min(entry.answer.retry_after * 1000, 60_000)
      case 'unavailable':
        return 1
      default:
        return Math.min(NEGATIVE_TTL_MS, this.#ttl)
    }
  }
}

function keyOf({ token, owner, name }: Lookup, generation: number): string {
  return `${token.hash} ${generation} ${owner.toLowerCase()}/${name.toLowerCase()}`
}
