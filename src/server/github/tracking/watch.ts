/** Watches repositories without the GitHub App: polls their pull requests with one token, and writes nothing. */
import { setTimeout as wait } from 'node:timers/promises'
import { later } from '../../../vocabulary/clock.ts'
import { RateLimited } from '../../jobs/jobs.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'
import { ConditionalReads, pauseAfter, readGithub, STOP_MS } from '../../records/repositories/reading.ts'
import { nameShown, registerRepository } from '../../records/repositories/registration.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { findRepository, updateRepository } from '../../records/repositories/store.ts'
import { refreshSettings } from '../../records/repositories/stored-settings.ts'
import { statusOf } from '../client.ts'
import { classifyError, type GithubError } from '../octokit.ts'
import { parsePullRequest } from '../pull-request.ts'
import { named, type Reader } from '../repository-calls.ts'
import type { Watch, Watched } from '../watched-repositories.ts'
import { pullRequestChanged } from './pull-requests.ts'
import { importOpen, importPullRequests, knownOpen } from './reconcile.ts'

/** The kind of job that polls the pull requests of one repository. */
export const POLL = 'poll'

/** The minimum time between two polls of a repository, whatever the number of instances. */
const POLL_MS = 60_000
/** After this time, all open pull requests are read again, and the repository is looked up by its name. */
const READ_EVERY_MS = 3_600_000
const SETTINGS_EVERY_MS = 600_000
/** The 1,000 pull requests that were opened last. */
const PAGES_MAX = 10
/** GitHub's lists may lag behind by this much, so that an earlier update appears after a later one. */
const LAG_MS = 120_000

/** Watches until `signal` is aborted. */
export async function watchUntil(app: App, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await watchOnce(app)
    await wait(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Looks up the watched repositories and enqueues a poll of each. Every instance does this; the job queue runs one poll of a
 * repository at a time, and at most one a minute.
 */
export async function watchOnce(app: App): Promise<void> {
  const { watch } = app
  for (const watched of watch?.repositories ?? []) {
    try {
      if (watch) await visit(app, watch, watched)
    } catch (error) {
      report(app, watched, { state: 'failed', level: 'error', message: 'watch failed', ...faultOf(error) })
    }
  }
}

async function visit(app: App, watch: Watch, watched: Watched): Promise<void> {
  const now = app.clock()
  if (watch.pausedUntil(now) || (watched.retry_at && watched.retry_at > now)) return
  const isDue = !watched.resolved_at || watched.resolved_at <= later(now, -READ_EVERY_MS)
  if (isDue && !(await resolve(app, watch, watched))) return
  const repo_id = watched.repo_id as number
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  if (!stored) return
  if (stored.installation_id !== null) {
    report(app, watched, { state: 'installed', message: 'not watched: the GitHub App is installed' })
    return
  }
  await updateRepository(db, repo_id, { watched_at: now, uninstalled_at: null })
  const job = jobOn({ id: repo_id, owner: stored.owner }, POLL, { priority: 'live', run_at: now })
  await enqueue(db, [job], now, { gap_ms: POLL_MS })
  app.wakeup.wake()
}

/** Asks GitHub for the repository and stores it under its current name. Returns whether it is visible. One call. */
async function resolve(app: App, watch: Watch, watched: Watched): Promise<boolean> {
  const now = app.clock()
  try {
    const { data } = await watch.reader.rest.repos.get(named(watched))
    const found = { id: data.id, owner: data.owner.login, name: data.name }
    await registerRepository(app, found, now)
    await updateRepository(app.database.connection(), found.id, { owner: found.owner, name: found.name })
    nameShown(app, found, now)
    watched.repo_id = found.id
    watched.resolved_at = now
    return true
  } catch (error) {
    stop(app, watched, error)
    return false
  }
}

/** Pauses after an error of GitHub, and logs it once. The next success resumes. */
function stop(app: App, watched: Watched, error: unknown): void {
  const now = app.clock()
  const pause_ms = pauseAfter(error, now)
  if (pause_ms !== null) app.watch?.pause(later(now, pause_ms))
  const status = statusOf(error)
  const refusal = classifyError(error, now)
  const reason = reasonOf(refusal)
  if (reason !== null) {
    watched.resolved_at = null
    watched.retry_at = later(now, STOP_MS)
    const fields = { status, reason, retry_s: STOP_MS / 1000 }
    report(app, watched, { state: refusal.kind, level: 'warn', message: 'watch stopped', ...fields })
  } else if (pause_ms !== null) {
    const message = 'watch paused by the rate limit of GITHUB_TOKEN'
    const retry_s = Math.ceil(pause_ms / 1000)
    report(app, watched, { state: 'limited', level: 'warn', message, status, retry_s })
  } else {
    // Errors of Octokit have a status, even without a response. Any other error is internal.
    const cause = status === undefined ? faultOf(error) : { status, retry_s: POLL_MS / 1000 }
    report(app, watched, { state: 'failed', level: 'warn', message: 'watch failed', ...cause })
  }
}

/** Why the token does not read the repository; null if it may, but GitHub limits its rate or fails. */
function reasonOf(refusal: GithubError): string | null {
  if (refusal.kind === 'unauthorized')
    return 'GitHub rejected GITHUB_TOKEN; it may be mistyped, expired or revoked'
  if (refusal.kind !== 'invisible') return null
  return refusal.sso_url === null
    ? 'GitHub does not show this repository to GITHUB_TOKEN; it needs to read contents and pull requests'
    : `authorise GITHUB_TOKEN for SAML at ${refusal.sso_url}`
}

interface Report {
  state: string
  level?: 'info' | 'warn' | 'error'
  message: string
  [field: string]: unknown
}

/** Logs a state that differs from the last one. */
function report({ log }: App, watched: Watched, { state, level = 'info', message, ...fields }: Report): void {
  const repository = `${watched.owner}/${watched.name}`
  if (watched.state !== state) log[level]({ repository, ...fields }, message)
  watched.state = state
}

/**
 * Imports what changed since the last poll. One call, which does not count towards the rate limit if nothing changed. Once
 * an hour, and after a start, it reads all open pull requests.
 */
export async function poll(app: App, ctx: RepoContext): Promise<void> {
  const { now, repo } = ctx
  const watched = repo.is_watched ? app.watch?.find(repo) : undefined
  // Another instance watches this repository, and enqueues the poll again.
  if (!watched) return
  const isDue = !watched.read_at || watched.read_at <= later(now, -READ_EVERY_MS)
  const areSettingsDue = !watched.settings_at || watched.settings_at <= later(now, -SETTINGS_EVERY_MS)
  // Each item of the list of updates shows the id. Of a quiet repository, the look by its name says that it is the same.
  const named_since = later(now, isDue || areSettingsDue ? -POLL_MS : -READ_EVERY_MS - POLL_MS)
  const polling = async (reader: Reader) => {
    if (areSettingsDue) await refreshSettings(app, reader, repo)
    if (areSettingsDue) watched.settings_at = now
    if (isDue || !(await importUpdated(app, ctx, { reader, watched })))
      await importAll(app, ctx, { reader, watched })
    watched.polled_at = now
  }
  try {
    await readGithub(app, ctx, polling, { named_since })
  } catch (error) {
    const isPaused = error instanceof RateLimited
    if (!isPaused || error.cause) stop(app, watched, isPaused ? error.cause : error)
    if (isPaused) throw error
  }
}

type Polled = { reader: Reader; watched: Watched }

async function importAll(app: App, ctx: RepoContext, { reader, watched }: Polled): Promise<void> {
  const open = await importPullRequests(app, ctx, reader, { pages_max: PAGES_MAX })
  watched.read_at = ctx.now
  report(app, watched, { state: 'watched', message: 'watching pull requests', open_pull_requests: open })
}

/**
 * Imports the pull requests that were updated since the last poll. Returns false if there may be more than one page of
 * them. One call.
 */
async function importUpdated(app: App, ctx: RepoContext, { reader, watched }: Polled): Promise<boolean> {
  const per_page = app.list_limits.page
  const asked = { ...named(ctx.repo), state: 'all', sort: 'updated', direction: 'desc', per_page } as const
  const reads = await ConditionalReads.open(ctx)
  const page = await reads.read('updated', (headers) => reader.rest.pulls.list({ ...asked, headers }))
  if (!page) return true
  if (page.some(({ base }) => base.repo.id === ctx.repo.id)) nameShown(app, ctx.repo, ctx.now)
  const since = later(watched.polled_at ?? ctx.now, -LAG_MS)
  const isCut = page.every(({ updated_at }) => new Date(updated_at) >= since)
  if (isCut && page.length === per_page) return false
  const known = await knownOpen(ctx)
  const closed = page.filter(({ state, number }) => state === 'closed' && known.has(number))
  for (const pr of closed) await pullRequestChanged(app, ctx, parsePullRequest(pr), 'closed')
  const open = page.filter(({ state }) => state === 'open')
  await importOpen(ctx, open, { known, position: 0 })
  await reads.save()
  report(app, watched, { state: 'watched', message: 'watching pull requests' })
  return true
}
