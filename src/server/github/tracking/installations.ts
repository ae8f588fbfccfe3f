/** Imports the repositories of new installations, and handles uninstallation. */
import { later } from '../../../vocabulary/clock.ts'
import { enqueue, jobOn, listImporting, type NewJob } from '../../jobs/store.ts'
import { recordEffect } from '../../platform/telemetry/execution.ts'
import { countOpen } from '../../records/pull-requests/lists-store.ts'
import type { App } from '../../records/repositories/app.ts'
import {
  asInstallation,
  findInstallation,
  isSuspended,
  mayBeUninstalled,
  takeImportCalls,
} from '../../records/repositories/installation.ts'
import { isOrganisationRepository, storeOrganisation } from '../../records/repositories/installation-store.ts'
import {
  findOrganisationFile,
  findPresent,
  type InstalledRepository,
  listInstalled,
  openInstalled,
  recordInstallation,
} from '../../records/repositories/registration.ts'
import { openKnownRepo, type RepoContext } from '../../records/repositories/repo.ts'
import { refreshSettings } from '../../records/repositories/settings-refresh.ts'
import { findRepository, listRepositories } from '../../records/repositories/store.ts'
import { storeUninstalled } from '../../records/repositories/stored-settings.ts'
import { parsePullRequest } from '../pull-request.ts'
import { isNotFound, openPullRequests } from '../repository-calls.ts'
import { pullRequestChanged } from './pull-requests.ts'

/** The kinds of jobs that import a repository, and a few pull requests. */
export const REPOSITORY = 'repository'
export const PULL_REQUEST = 'pull_request'

const ENQUEUED_AT_ONCE = 500
/** The most calls that an import of a repository makes before those of its pull requests: the first page of these, the repository, and settings. */
const REPOSITORY_CALLS = 6
/** The number of pull requests that one job imports at the same time. */
const IMPORTED_AT_ONCE = 5
/** The number of pull requests whose jobs run in the order of the list, because their due times differ. */
const ORDERED_MAX = 1000

export function repositoryJob(repository: InstalledRepository, run_at: Date): NewJob {
  return jobOn(repository, REPOSITORY, { priority: 'import', payload: repository, run_at })
}

/**
 * Enqueues the import of all repositories of an installation: first the one with the settings of the organisation, then those pushed to last. If the installation was deleted, marks them as uninstalled.
 * One call per 100 repositories.
 */
export async function importInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const db = app.database.connection()
  try {
    const found: (InstalledRepository & { pushed_at: string })[] = []
    for await (const page of listInstalled(app, installation_id)) found.push(...page)
    if (!found.some(({ name }) => isOrganisationRepository(name)))
      await db.transaction((tx) => storeOrganisation(tx, installation_id))
    found.sort((one, other) => (rankOf(one) < rankOf(other) ? 1 : -1))
    // In the order of the list: the queue runs the job that has been due longest.
    const jobs = found.map(({ pushed_at: _, ...repository }, index) =>
      repositoryJob(repository, later(now, index - found.length)),
    )
    for (let from = 0; from < jobs.length; from += ENQUEUED_AT_ONCE)
      await enqueue(db, jobs.slice(from, from + ENQUEUED_AT_ONCE), now)
  } catch (error) {
    if (isSuspended(error)) return
    if (!mayBeUninstalled(error) || (await exists(app, installation_id))) throw error
    await leaveInstallation(app, installation_id, now)
  }
}

function rankOf({ name, pushed_at }: { name: string; pushed_at: string }): string {
  return `${isOrganisationRepository(name) ? 1 : 0} ${pushed_at}`
}

async function exists(app: App, installation_id: number): Promise<boolean> {
  try {
    const asApp = await app.github_app?.probot.auth()
    await asApp?.rest.apps.getInstallation({ installation_id })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/**
 * Imports a repository, unless it was deleted or moved since it was listed: reads its settings and enqueues a job for each open pull
 * request. One call per 100 pull requests.
 */
export async function importRepository(app: App, listed: InstalledRepository, now: Date): Promise<void> {
  await takeImportCalls(app, listed.installation_id, REPOSITORY_CALLS)
  const repository = await findPresent(app, listed)
  if (!repository) return
  await findOrganisationFile(app, repository, now)
  const known = await openKnownRepo(app, repository.id, now)
  if (!known?.repo.is_installed) await recordInstallation(app, repository, now)
  const ctx = await openInstalled(app, repository, now)
  if (!ctx) return
  await asInstallation(app, ctx, async (client) => {
    // Known settings may be stale: while the App was suspended, there were no push events.
    await refreshSettings(app, client, repository)
    let position = 0
    for await (const page of openPullRequests(client, ctx.repo, { limits: app.list_limits })) {
      await enqueue(ctx.db, pullRequestJobs(repository, page, { now, position }), now)
      position += page.length
    }
  })
}

/**
 * The jobs that import pull requests, in the order of the list. `prs`: GitHub's representations; `position`: how many were
 * listed before.
 */
export function pullRequestJobs(
  repo: { id: number; owner: string },
  prs: readonly { number: number }[],
  { now, position }: { now: Date; position: number },
): NewJob[] {
  return Array.from({ length: Math.ceil(prs.length / IMPORTED_AT_ONCE) }, (_, index) => {
    const payload = prs.slice(index * IMPORTED_AT_ONCE, (index + 1) * IMPORTED_AT_ONCE)
    const numbers = payload.map(({ number }) => number)
    const rank = position + index * IMPORTED_AT_ONCE
    // The queue runs the job that has been due longest.
    const run_at = later(now, Math.min(rank - ORDERED_MAX, 0))
    return jobOn(repo, PULL_REQUEST, { about: numbers.join(), priority: 'import', payload, run_at })
  })
}

/** How many open pull requests are imported, and how many are not yet; null if none is to be. */
export async function importProgress({
  db,
  repo,
}: RepoContext): Promise<{ done: number; left: number } | null> {
  const ids = await listImporting(db, repo.id, [REPOSITORY, PULL_REQUEST])
  if (ids.length === 0) return null
  const left = new Set(ids.flatMap((id) => id.split(':')[2]?.split(',').map(Number) ?? []))
  return { done: await countOpen(db, repo.id, [...left]), left: left.size }
}

/**
 * Imports a few pull requests at the same time, because each waits for GitHub. If one fails, the job retries all; the
 * others then cost no call.
 */
export async function importBatch(app: App, ctx: RepoContext, prs: unknown[]): Promise<void> {
  await takeImportCalls(app, ctx.repo.installation_id, prs.length)
  const imports = await Promise.allSettled(
    prs.map(async (pr) => pullRequestChanged(app, ctx, parsePullRequest(pr), 'seen')),
  )
  const failed = imports.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Handles the removal of an installation from a repository, unless another one has replaced it, or it was added again since. Two calls. */
export async function leaveRepositoryOf(
  app: App,
  { id, installation_id }: { id: number; installation_id: number },
  now: Date,
): Promise<void> {
  const stored = await findRepository(app.database.connection(), id)
  if (stored?.installation_id !== installation_id) return
  const { owner, name } = stored
  const isStill = (await findInstallation(app, stored)) === installation_id
  if (isStill && (await findPresent(app, { id, owner, name, installation_id }))) return
  await leaveRepository(app, id, now)
}

/** Marks a repository as uninstalled. Data of the App is deleted after the retention period. */
export async function leaveRepository(app: App, repo_id: number, now: Date): Promise<void> {
  await storeUninstalled(app, repo_id, now)
  recordEffect('repository_left')
}

/** Marks all repositories of an installation as uninstalled. */
export async function leaveInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const repositories = await listRepositories(app.database.connection(), { installation_id })
  for (const { repo_id } of repositories) await leaveRepository(app, repo_id, now)
}
