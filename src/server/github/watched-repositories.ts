/** Repositories that are watched without the GitHub App: the client that reads them with one token, and when it pauses. */
import { type Clock, later } from '../../vocabulary/clock.ts'
import type { Config } from '../platform/config.ts'
import { quotaIn } from '../platform/telemetry/metrics.ts'
import { JOB_TIMEOUT_MS, openClient, type Telemetry } from './client.ts'
import type { Reader, RepositoryName } from './repository-calls.ts'

/** This share of the token's rate limit is left to its owner. */
const RESERVED_SHARE = 0.1
/** The longest pause. GitHub's rate limits reset within an hour. */
const PAUSE_MAX_MS = 3_600_000

/** A watched repository, and what this process knows about it. After a restart, the repository is read again. */
export interface Watched extends RepositoryName {
  /** Known once GitHub was asked for the repository. */
  repo_id?: number
  /** When GitHub was last asked for the repository by name. */
  resolved_at?: Date | null
  /** When all open pull requests of the repository were last read. */
  read_at?: Date
  /** When the settings file of the repository was last read. */
  settings_at?: Date
  /** When the pull requests that were updated last were read. */
  polled_at?: Date
  /** No call is made before this time. */
  retry_at?: Date
  /** The last state that was logged. */
  state?: string
}

export class Watch {
  readonly repositories: readonly Watched[]
  readonly reader: Reader
  readonly #clock: Clock
  #paused_until: Date | null = null

  constructor(
    { token, repositories }: NonNullable<Config['watch']>,
    options: Telemetry & { api_url: string; clock: Clock },
  ) {
    this.#clock = options.clock
    this.repositories = repositories.map((repository) => ({ ...repository }))
    this.reader = this.#openClient(token, options)
  }

  /** The watched repository with this id or name. */
  find({ id, owner, name }: RepositoryName & { id: number }): Watched | undefined {
    const isNamed = (each: Watched) =>
      `${each.owner}/${each.name}`.toLowerCase() === `${owner}/${name}`.toLowerCase()
    return this.repositories.find((each) => each.repo_id === id) ?? this.repositories.find(isNamed)
  }

  /** Until when the token must not be used; null if it can be used now. */
  pausedUntil(now: Date): Date | null {
    return this.#paused_until && this.#paused_until > now ? this.#paused_until : null
  }

  pause(until: Date): void {
    if (!this.#paused_until || this.#paused_until < until) this.#paused_until = until
  }

  /** Rejects every method but GET, whatever the types allow. */
  #openClient(auth: string, options: Telemetry & { api_url: string }): Reader {
    const { api_url } = options
    const github = openClient('watch', options, { api_url, timeout_ms: JOB_TIMEOUT_MS, auth })
    github.hook.before('request', ({ method }) => {
      if (method !== 'GET') throw new Error('the client of watched repositories sends only GET requests')
    })
    github.hook.after('request', ({ headers }) => {
      const until = this.#reserveUntil(headers)
      if (!until) return
      this.pause(until)
      options.log.info(
        { until },
        'watch paused: the rest of the rate limit is left to the owner of GITHUB_TOKEN',
      )
    })
    return github
  }

  /** When the rate limit resets, if only the reserve is left; else null. Servers without a rate limit send no such headers. */
  #reserveUntil(headers: Record<string, unknown>): Date | null {
    const quota = quotaIn(headers)
    if (!quota || quota.remaining > quota.limit * RESERVED_SHARE) return null
    const latest = later(this.#clock(), PAUSE_MAX_MS)
    return new Date(Math.min(latest.getTime(), quota.reset_at.getTime()))
  }
}
