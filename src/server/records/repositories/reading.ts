/**
 * Calls GitHub about a stored repository: as its installation, or with the token that watches it. Each call goes by the name of the
 * repository, and a name is used again; so GitHub has shown the id under the name shortly before.
 */
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { statusOf } from '../../github/client.ts'
import type { Installation } from '../../github/github-app.ts'
import { classifyError } from '../../github/octokit.ts'
import { type GithubPullRequest, parsePullRequest } from '../../github/pull-request.ts'
import { ifFound, named, type Reader } from '../../github/repository-calls.ts'
import { RateLimited } from '../../jobs/jobs.ts'
import { enqueue } from '../../jobs/store.ts'
import type { App } from './app.ts'
import {
  findInstallation,
  installationJob,
  isSuspended,
  mayBeUninstalled,
  openInstallation,
} from './installation.ts'
import { findInstallationState, type InstallationRow, saveInstallation } from './installation-store.ts'
import { nameShown, recordInstallation, wasNameShown } from './registration.ts'
import { openStored, type RepoContext } from './repo.ts'
import { findRepository, listEtags, saveEtags } from './store.ts'
import { storeUninstalled } from './stored-settings.ts'

/** How long nothing is read after GitHub rejected the token, or did not show the repository to it. */
export const STOP_MS = 300_000
/** For how long a name that GitHub has shown counts as current. */
const NAMED_FOR_MS = 60_000

interface CallOptions {
  /** A rate limit of the others does not matter. */
  calls?: 'reads' | 'writes'
  /** GitHub has to show the name after this time: before what cannot be undone, the time of the job. */
  named_since?: Date
}

/**
 * Runs `work` with the client of the repository's installation, and with the repository under its current name. Returns undefined if the
 * App is suspended or no longer installed there, even if the delivery that says so has not arrived yet, or if another repository has
 * its name. Throws `RateLimited`, and what the client throws.
 */
export async function asInstallation<Result>(
  app: App,
  ctx: RepoContext,
  work: (client: Installation, ctx: RepoContext) => Promise<Result>,
  { calls = 'reads', named_since }: CallOptions = {},
): Promise<Result | undefined> {
  const { db, now, repo } = ctx
  const stored = await findRepository(db, repo.id)
  if (stored?.installation_id == null) return undefined
  const { installation_id } = stored
  const paused_until = (await findInstallationState(db, installation_id))?.[`${calls}_paused_until`]
  if (paused_until && paused_until > now) throw new RateLimited(paused_until)
  try {
    const client = await openInstallation(app, installation_id)
    const confirmed = await confirmName(app, ctx, { client, named_since })
    return confirmed && (await work(client, confirmed))
  } catch (error) {
    const refusal = classifyError(error, app.clock())
    if (isSuspended(error) && refusal.kind !== 'rate_limited') return undefined
    if (mayBeUninstalled(error) && (await findInstallation(app, repo)) === null) {
      await storeUninstalled(app, repo.id, { now: app.clock(), of: installation_id })
      return undefined
    }
    if (refusal.kind !== 'rate_limited') throw error
    const until = later(app.clock(), refusal.retry_after * 1000)
    await saveInstallation(db, installation_id, pauseOf(error, refusal, until))
    throw new RateLimited(until, { cause: error })
  }
}

/** What a rate limit pauses: a secondary limit only the calls that it concerns. */
function pauseOf(
  error: unknown,
  { is_primary }: { is_primary: boolean },
  until: Date,
): Partial<InstallationRow> {
  const { method } = (error as { request?: { method?: string } }).request ?? {}
  const isRead = method === 'GET' || method === 'HEAD'
  return {
    ...((is_primary || isRead) && { reads_paused_until: until }),
    ...((is_primary || !isRead) && { writes_paused_until: until }),
  }
}

/**
 * Runs reading calls about the repository. Returns undefined like `asInstallation`, or if this instance does not watch it. Throws
 * `RateLimited`, and what the client throws.
 */
export async function readGithub<Result>(
  app: App,
  ctx: RepoContext,
  work: (reader: Reader, ctx: RepoContext) => Promise<Result>,
  options: Pick<CallOptions, 'named_since'> = {},
): Promise<Result | undefined> {
  const { now, repo } = ctx
  const { watch } = app
  if (!repo.is_watched || !watch) return asInstallation(app, ctx, work, options)
  const paused = [watch.pausedUntil(now), watch.find(repo)?.retry_at].find((until) => until && until > now)
  if (paused) throw new RateLimited(paused)
  try {
    const confirmed = await confirmName(app, ctx, { client: watch.reader, named_since: options.named_since })
    return confirmed && (await work(watch.reader, confirmed))
  } catch (error) {
    const pause_ms = pauseAfter(error, app.clock())
    if (pause_ms === null) throw error
    const until = later(app.clock(), pause_ms)
    watch.pause(until)
    throw new RateLimited(until, { cause: error })
  }
}

/** How long the token must not be used after an error, in milliseconds; null if the error is not about the token. */
export function pauseAfter(error: unknown, now: Date): number | null {
  const refusal = classifyError(error, now)
  if (refusal.kind === 'rate_limited') return refusal.retry_after * 1000
  if (refusal.kind === 'unauthorized') return STOP_MS
  return null
}

/**
 * The repository under the name that it has now. If another repository has taken its name, returns undefined and stores that the App left
 * it; the list of the installation then finds it under its new name. No call if GitHub has shown the name since `named_since`, or one,
 * which is free if nothing changed.
 */
async function confirmName(
  app: App,
  ctx: RepoContext,
  { client, named_since }: { client: Reader; named_since: Date | undefined },
): Promise<RepoContext | undefined> {
  const { db, repo, now } = ctx
  if (wasNameShown(app, repo, named_since ?? later(now, -NAMED_FOR_MS))) return ctx
  const { id, installation_id } = repo
  const reads = await ConditionalReads.open(ctx)
  const found = await reads.read('repository', (headers) =>
    client.rest.repos.get({ ...named(repo), headers }),
  )
  if (found && found.id !== id) {
    // The watch looks its repositories up once an hour.
    if (installation_id === null) return undefined
    await storeUninstalled(app, id, { now, of: installation_id })
    await enqueue(db, [installationJob({ installation_id, owner: repo.owner }, now)], now)
    return undefined
  }
  await reads.save()
  nameShown(app, repo, app.clock())
  const current = found ? { id, owner: found.owner.login, name: found.name } : repo
  const isSame = current.owner === repo.owner && current.name === repo.name
  if (isSame || installation_id === null) return ctx
  return openStored(app, await recordInstallation(app, { ...current, installation_id }, now), now)
}

/** Reads the pull request from GitHub; undefined if it does not exist in this repository. One call. */
export async function readPullRequest(
  app: App,
  ctx: RepoContext,
  number: number,
): Promise<GithubPullRequest | undefined> {
  const found = await ifFound(
    readGithub(app, ctx, (reader, { repo }) =>
      reader.rest.pulls.get({ ...named(repo), pull_number: number }),
    ),
  )
  const read = found && parsePullRequest(found.data)
  return read?.repository_id === ctx.repo.id ? read : undefined
}

/** Repositories at rest are asked once a day. */
const KEPT_FOR_MS = 3 * DAY_MS

export class ConditionalReads {
  readonly #ctx: RepoContext
  readonly #stored: ReadonlyMap<string, string>
  readonly #seen = new Map<string, string>()

  private constructor(ctx: RepoContext, stored: ReadonlyMap<string, string>) {
    this.#ctx = ctx
    this.#stored = stored
  }

  static async open(ctx: RepoContext): Promise<ConditionalReads> {
    return new ConditionalReads(ctx, await listEtags(ctx.db, ctx.repo.id))
  }

  /** Whether the address was read before. */
  has(address: string): boolean {
    return this.#stored.has(address)
  }

  /**
   * Calls GitHub with the headers given to `call`; undefined if the answer is the one whose ETag is stored. `address` names
   * the answer within the repository. Throws what the client throws.
   */
  async read<Data>(
    address: string,
    call: (headers: Record<string, string>) => Promise<{ data: Data; headers: { etag?: string } }>,
  ): Promise<Data | undefined> {
    const etag = this.#stored.get(address)
    try {
      const { data, headers } = await call(etag === undefined ? {} : { 'if-none-match': etag })
      if (headers.etag) this.#seen.set(address, headers.etag)
      return data
    } catch (error) {
      if (statusOf(error) !== 304 || etag === undefined) throw error
      this.#seen.set(address, etag)
      return undefined
    }
  }

  /** Keeps a text beside the ETags. Returns whether it was kept already. */
  isNoted(address: string, text: string): boolean {
    this.#seen.set(address, text)
    return this.#stored.get(address) === text
  }

  /** Stores the ETags, once what was read has been applied. */
  async save(): Promise<void> {
    const { db, now, repo } = this.#ctx
    await saveEtags(db, repo.id, { seen: this.#seen, now, before: later(now, -KEPT_FOR_MS) })
  }
}
