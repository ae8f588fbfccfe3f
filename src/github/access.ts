/** Who may do what: GitHub is asked with the caller's own token, and its answer is kept for a while (contract §2). */
import { hash } from 'node:crypto'
import type { Octokit } from '@octokit/rest'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { Failure } from '../base/failure.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { Generations } from './generations.ts'
import { classifyError, type GithubError, requestOptions, toFailure } from './octokit.ts'

/** A repository that the caller may see, under its present name. */
export interface VisibleRepository {
  id: number
  owner: string
  name: string
  may_write: boolean
}

/** A GitHub user; null stands for a token that belongs to none, such as an installation's. */
export type Identity = { id: number; login: string } | null

/** A bearer token on its way through one request. Only the hash may be kept. */
export interface Token {
  secret: string
  hash: string
}

export function tokenOf(secret: string): Token {
  return { secret, hash: hash('sha256', secret) }
}

type Answer =
  | { kind: 'visible'; repository: VisibleRepository }
  | Exclude<GithubError, { kind: 'not_modified' }>

/** The last 'yes', which outlives later answers so that it can be revalidated, or honoured while GitHub is away. */
interface Yes {
  repository: VisibleRepository
  etag: string | undefined
  confirmed_at: number
}

interface Entry {
  answer: Answer
  yes: Yes | undefined
  /** The generation when GitHub was asked. */
  generation: number
  /** The answer is an earlier yes, which GitHub could not be asked to confirm. */
  is_honoured?: true
}

interface Question {
  token: Token
  owner: string
  name: string
  /** The generation when GitHub was asked. */
  generation: number
  /** How GitHub answered, where the answer was not in memory. */
  outcome?: 'miss' | 'revalidated' | 'failed'
}

const NO_TTL_MS = 10_000
const HONOURED_WHILE_AWAY_MS = 300_000
const AWAY_TTL_MS = 3_000
const IDENTITY_TTL_MS = 3_600_000

/** GitHub's alphabet for both halves of a full name. Others are not put into an address: `..` would reach another one. */
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/

const Repository = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  permissions: z.partialRecord(z.string(), z.boolean()).optional(),
})
const User = z.object({ id: z.int(), login: z.string() })

export class Access {
  readonly #github: Octokit
  readonly #clock: Clock
  readonly #ttl: number
  readonly #metrics: Metrics
  readonly #generations = new Generations()
  readonly #entries: LRUCache<string, Entry, Question>
  readonly #identities: LRUCache<string, { identity: Identity }, Token>
  readonly #knownTokens: LRUCache<string, true>

  constructor(options: { github: Octokit; clock: Clock; ttl_ms: number; metrics: Metrics }) {
    const { github, clock } = options
    this.#github = github
    this.#clock = clock
    this.#metrics = options.metrics
    // In this cache a time to live of 0 means for ever.
    this.#ttl = Math.max(1, options.ttl_ms)
    const perf = { now: () => clock().getTime() }
    this.#entries = new LRUCache<string, Entry, Question>({
      max: 50_000,
      ttl: this.#ttl,
      ttlResolution: 0,
      perf,
      noDeleteOnFetchRejection: true,
      // An entry that is evicted while it is fetched is still an answer for those who wait.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, stale, { context, options }) => {
        context.generation = this.#generations.now
        const yes = stale && this.#isCurrent(stale) ? stale.yes : undefined
        const entry = { ...(await this.#ask(context, yes)), generation: context.generation }
        options.ttl = this.#ttlOf(entry)
        return entry
      },
    })
    this.#identities = new LRUCache<string, { identity: Identity }, Token>({
      max: 50_000,
      ttl: IDENTITY_TTL_MS,
      perf,
      fetchMethod: async (_key, _stale, { context }) => ({ identity: await this.#askWho(context) }),
    })
    this.#knownTokens = new LRUCache<string, true>({ max: 50_000, ttl: HONOURED_WHILE_AWAY_MS, perf })
  }

  /** Whether GitHub accepted the token within the last five minutes. */
  recentlyAccepted(token: Token): boolean {
    return this.#knownTokens.has(token.hash)
  }

  /** The repository as the token sees it; null when it sees none there. Throws `unauthorized`, `rate_limited`, `service_unavailable`. */
  async repository(
    token: Token,
    asked: { owner: string; name: string; access: 'read' | 'write' },
  ): Promise<VisibleRepository | null> {
    const { owner, name } = asked
    if (!NAME.test(owner) || !NAME.test(name)) {
      // GitHub is asked about the token alone, so that a bad one is told as such here too.
      await this.verify(token)
      return null
    }
    const context: Question = { token, owner, name, generation: this.#generations.now }
    let entry = await this.#entryOf(context)
    if (asked.access === 'write' && this.#isOldNoToWriting(entry))
      entry = await this.#entryOf(context, { forceRefresh: true })
    const { answer } = entry
    // Who waits for a question that another request has asked spares GitHub a call too: that is a hit.
    const outcome = entry.is_honoured ? 'honoured' : (context.outcome ?? 'hit')
    this.#metrics.permission_lookups.inc({ outcome })
    if (answer.kind === 'visible') return answer.repository
    if (answer.kind === 'invisible') return null
    throw toFailure(answer)
  }

  /** A yes to reading is kept for longer than a no; where it is a no to writing, it counts as one. */
  #isOldNoToWriting({ answer, yes }: Entry): boolean {
    if (answer.kind !== 'visible' || answer.repository.may_write || !yes) return false
    return this.#clock().getTime() - yes.confirmed_at > NO_TTL_MS
  }

  /** Invalidates the answers on repositories of `owner`, or all. A question under way still serves the callers that wait for it. */
  invalidate(owner?: string): void {
    this.#generations.invalidate(owner)
  }

  /** The key changes when the owner is invalidated: what was asked before is neither found nor waited for. */
  async #entryOf(context: Question, options: { forceRefresh?: true } = {}): Promise<Entry> {
    const key = keyOf(context, this.#generations.of(context.owner))
    let entry = await this.#entries.forceFetch(key, { context, ...options })
    // Only the answer names the present owner, who may be another one.
    while (!this.#isCurrent(entry) && context.outcome === undefined)
      entry = await this.#entries.forceFetch(key, { context, forceRefresh: true })
    return entry
  }

  /** Whether the repository's present owner was not invalidated since GitHub was asked. */
  #isCurrent({ yes, generation }: Pick<Entry, 'yes' | 'generation'>): boolean {
    return !yes || generation >= this.#generations.of(yes.repository.owner)
  }

  /** Verifies the token alone, by one call where GitHub did not accept it lately. Throws like `identity`. */
  async verify(token: Token): Promise<void> {
    if (this.recentlyAccepted(token)) return
    await this.#identities.forceFetch(token.hash, { context: token, forceRefresh: true })
  }

  /** The user behind the token. Throws `unauthorized`, `rate_limited`, `service_unavailable`. */
  async identity(token: Token): Promise<Identity> {
    const { identity } = await this.#identities.forceFetch(token.hash, { context: token })
    return identity
  }

  async #ask(question: Question, yes: Yes | undefined): Promise<Omit<Entry, 'generation'>> {
    const { token, owner, name } = question
    const validator: Record<string, string> = yes?.etag ? { 'if-none-match': yes.etag } : {}
    const now = this.#clock()
    question.outcome = 'miss'
    try {
      const response = await this.#github.rest.repos.get({
        owner,
        repo: name,
        ...requestOptions(token.secret, validator),
      })
      const found = Repository.safeParse(response.data)
      if (!found.success) return this.#whileAway(question, yes)
      const { id, permissions = {} } = found.data
      const may_write = Boolean(permissions.push || permissions.maintain || permissions.admin)
      const repository = { id, owner: found.data.owner.login, name: found.data.name, may_write }
      return this.#confirm(token, { repository, etag: response.headers.etag, confirmed_at: now.getTime() })
    } catch (error) {
      const refusal = classifyError(error, now)
      if (refusal.kind === 'not_modified' && yes) {
        question.outcome = 'revalidated'
        return this.#confirm(token, { ...yes, confirmed_at: now.getTime() })
      }
      if (refusal.kind === 'not_modified' || refusal.kind === 'unavailable')
        return this.#whileAway(question, yes)
      if (refusal.kind === 'rate_limited') {
        question.outcome = 'failed'
        return { answer: refusal, yes }
      }
      this.#note(token, refusal)
      return { answer: refusal, yes: undefined }
    }
  }

  #confirm(token: Token, yes: Yes): Omit<Entry, 'generation'> {
    this.#knownTokens.set(token.hash, true)
    return { answer: { kind: 'visible', repository: yes.repository }, yes }
  }

  /** A token that GitHub does not accept is 401; what it may not see is for one that it does. */
  #note(token: Token, { kind }: GithubError): void {
    if (kind === 'invisible') this.#knownTokens.set(token.hash, true)
    if (kind === 'unauthorized') this.#knownTokens.delete(token.hash)
  }

  /** An outage is never taken as a yes; a recent yes is honoured meanwhile, unless its owner was invalidated since. */
  #whileAway(question: Question, yes: Yes | undefined): Omit<Entry, 'generation'> {
    question.outcome = 'failed'
    const { owner, generation } = question
    const isCurrent = generation >= this.#generations.of(owner) && this.#isCurrent({ yes, generation })
    const isRecent = yes && this.#clock().getTime() - yes.confirmed_at <= HONOURED_WHILE_AWAY_MS
    return isRecent && isCurrent
      ? { answer: { kind: 'visible', repository: yes.repository }, yes, is_honoured: true }
      : { answer: { kind: 'unavailable' }, yes }
  }

  #ttlOf(entry: Entry): number {
    const age = entry.yes ? this.#clock().getTime() - entry.yes.confirmed_at : 0
    switch (entry.answer.kind) {
      case 'visible':
        return entry.is_honoured
          ? Math.max(1, Math.min(AWAY_TTL_MS, this.#ttl, HONOURED_WHILE_AWAY_MS - age))
          : this.#ttl
      case 'rate_limited':
        return Math.min(entry.answer.retry_after * 1000, 60_000)
      case 'unavailable':
        return 1
      default:
        return Math.min(NO_TTL_MS, this.#ttl)
    }
  }

  async #askWho(token: Token): Promise<Identity> {
    try {
      const { data } = await this.#github.rest.users.getAuthenticated(requestOptions(token.secret))
      const user = User.safeParse(data)
      if (!user.success) throw toFailure({ kind: 'unavailable' })
      this.#knownTokens.set(token.hash, true)
      return { id: user.data.id, login: user.data.login }
    } catch (error) {
      if (error instanceof Failure) throw error
      const refusal = classifyError(error, this.#clock())
      this.#note(token, refusal)
      if (refusal.kind === 'invisible') return null
      throw toFailure(refusal)
    }
  }
}

function keyOf({ token, owner, name }: Question, generation: number): string {
  return `${token.hash} ${generation} ${owner.toLowerCase()}/${name.toLowerCase()}`
}
