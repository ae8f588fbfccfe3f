/** Installations of the App: their clients, the turns of their writes and imports, and the job of their import. */
import { setTimeout as wait } from 'node:timers/promises'
import { later } from '../../../vocabulary/clock.ts'
import { statusOf } from '../../github/client.ts'
import type { Installation } from '../../github/github-app.ts'
import { classifyError } from '../../github/octokit.ts'
import { ifFound, isNotFound, named, type RepositoryName } from '../../github/repository-calls.ts'
import { RateLimited } from '../../jobs/jobs.ts'
import { jobOn, type NewJob } from '../../jobs/store.ts'
import { runningJob } from '../../platform/telemetry/execution.ts'
import type { App } from './app.ts'
import { bookCalls, bookImportCalls, bookWrites } from './installation-store.ts'
import type { RepoContext } from './repo.ts'

/** How long a job can use its turn after the time that was reserved for it. Later, it needs another one. */
const RESERVED_FOR_MS = 60_000

/**
 * Waits for the turn of `count` writes of the repository's installation. Throws `RateLimited` if that is later; the next run of the
 * job finds the turn reserved that it booked.
 */
export async function takeWrites(app: App, { db, repo }: RepoContext, count: number): Promise<void> {
  const { installation_id } = repo
  if (installation_id === null || !app.paces_writes) return
  const now = app.clock()
  const job = runningJob()
  const reserved_at = job?.write_at ?? null
  if (reserved_at && reserved_at > now) throw new RateLimited(reserved_at, { is_reserved: true })
  if (job) job.write_at = null
  if (reserved_at && reserved_at > later(now, -RESERVED_FOR_MS)) return
  const at = await bookCalls(db, installation_id, (row) => bookWrites(row, count, now))
  if (at > now) throw new RateLimited(at, { is_reserved: true })
}

/** How often a waiting import looks at the clock, which may be corrected meanwhile. */
const LOOK_EVERY_MS = 1000

/** An import books the points of other work with its own calls; so many at most for each of those, so that it goes on. */
const OTHERS_MAX = 3

/**
 * Waits for the turn of `count` calls of an import, for seconds at most. The job keeps its place meanwhile: if it came back later, all jobs
 * behind it would book before it. Throws `RateLimited` if imports have used their share of the hour.
 */
export async function takeImportCalls(
  app: App,
  installation_id: number | null,
  count: number,
): Promise<void> {
  if (installation_id === null) return
  const retry_at = app.github_app?.budgets.importAt(installation_id, app.clock())
  if (retry_at) throw new RateLimited(retry_at)
  if (!app.paces_writes) return
  const job = runningJob()
  if (job) job.has_booked = true
  const others = app.github_app?.budgets.takeUnbooked(installation_id, OTHERS_MAX * count) ?? 0
  const now = app.clock()
  const db = app.database.connection()
  const at = await bookCalls(db, installation_id, (row) => bookImportCalls(row, count + others, now))
  const left = () => at.getTime() - app.clock().getTime()
  for (let left_ms = left(); left_ms > 0; left_ms = left()) await wait(Math.min(left_ms, LOOK_EVERY_MS))
}

/** A client of the installation, which notes its calls and what is left of its rate limit. Throws without an App: another instance may have it. */
export async function openInstallation({ github_app }: App, id: number): Promise<Installation> {
  if (!github_app) throw new Error('this instance has no GitHub App')
  const client = await github_app.probot.auth(id)
  client.hook.before('request', ({ method }) => {
    if (!runningJob()?.has_booked) github_app.budgets.count(id, method)
  })
  client.hook.after('request', ({ headers }) => github_app.budgets.observe(id, headers))
  return client
}

/** Whether a call may have failed because the App was uninstalled. GitHub then answers its tokens with 401. */
export function mayBeUninstalled(error: unknown): boolean {
  return isNotFound(error) || statusOf(error) === 401
}

/** Whether a call failed because the installation is suspended. When that ends, the repositories are imported again. */
export function isSuspended(error: unknown): boolean {
  const { status, message } = error as { status?: number; message?: string }
  return status === 403 && /installation has been suspended/i.test(message ?? '')
}

/** The id of the App's installation in a repository, or null. One call. */
export async function findInstallation(app: App, repository: RepositoryName): Promise<number | null> {
  const asApp = await app.github_app?.probot.auth()
  const found = asApp && (await ifFound(asApp.rest.apps.getRepoInstallation(named(repository))))
  return found?.data.id ?? null
}

/**
 * Runs a write to a pull request. Returns undefined, and logs it, if GitHub refuses it permanently: the conversation is
 * locked, the repository archived, or a permission missing. Throws every other error.
 */
export async function unlessRefused<Result>(
  app: App,
  { repo }: RepoContext,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    const { status = 0, message } = error as { status?: number; message?: string }
    // A retry would fail too. After a 404 it may not: GitHub answers it during an incident, too.
    const isFinal = [403, 422].includes(status) && !isSuspended(error)
    if (!isFinal || classifyError(error, app.clock()).kind === 'rate_limited') throw error
    app.log.warn({ repo_id: repo.id, status, reason: message?.slice(0, 200) }, 'github refused write')
    return undefined
  }
}

/** The kinds of jobs that import the repositories of an installation, some of these, one of them, and a few pull requests; and that reconciles one. */
export const INSTALLATION = 'installation'
export const REPOSITORIES = 'repositories'
export const REPOSITORY = 'repository'
export const PULL_REQUEST = 'pull_request'
export const RECONCILE = 'reconcile'
/** Those after which all open pull requests of a repository are known. */
export const IMPORTING = [REPOSITORIES, REPOSITORY, PULL_REQUEST]

/** `owner`: the account that the App is installed in. */
export function installationJob(
  { installation_id, owner }: { installation_id: number; owner: string },
  run_at: Date,
): NewJob {
  const given = { about: installation_id, priority: 'import' as const, payload: { installation_id }, run_at }
  return jobOn({ id: 0, owner }, INSTALLATION, given)
}
