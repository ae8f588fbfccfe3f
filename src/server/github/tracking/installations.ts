/** Imports the repositories of new installations, and handles uninstallation. */
import { later } from '../../../vocabulary/clock.ts'
import { ATTEMPTS_MAX } from '../../jobs/jobs.ts'
import { enqueue, isAnyWaiting, jobOn, listImporting, type NewJob } from '../../jobs/store.ts'
import { COUNTED_MAX } from '../../platform/db/database.ts'
import { runningJob } from '../../platform/telemetry/execution.ts'
import { countOpen } from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import {
  IMPORTING,
  isSuspended,
  mayBeUninstalled,
  openInstallation,
  PULL_REQUEST,
  RECONCILE,
  REPOSITORIES,
  REPOSITORY,
  takeImportCalls,
} from '../../records/repositories/installation.ts'
import {
  isOrganisationRepository,
  storeOrganisation,
  storePermissions,
} from '../../records/repositories/installation-store.ts'
import { asInstallation } from '../../records/repositories/reading.ts'
import {
  findInstalled,
  type ImportedRepository,
  type InstalledRepository,
  listInstalled,
  nameShown,
  registerInstallation,
} from '../../records/repositories/registration.ts'
import { openKnownRepo, type RepoContext } from '../../records/repositories/repo.ts'
import { findRepository, listRepositories } from '../../records/repositories/store.ts'
import { RECHECK_ALL, storeUninstalled } from '../../records/repositories/stored-settings.ts'
import type { Installation } from '../github-app.ts'
import { parsePullRequest } from '../pull-request.ts'
import { ifFound, openPullRequests } from '../repository-calls.ts'
import { DESCRIBED_AT_ONCE, describeRepositories } from '../repository-descriptions.ts'
import { pullRequestChanged } from './pull-requests.ts'

/** The most calls that an import of a repository makes before those of its pull requests: the first page of these; and of one that was not described, the repository and its settings. */
const PAGE_CALLS = 1
const REPOSITORY_CALLS = 6
/** The number of pull requests that one job imports at the same time. */
const IMPORTED_AT_ONCE = 5
/** The number of pull requests whose jobs run in the order of the list, because their due times differ. */
const ORDERED_MAX = 1000

/** The jobs that import repositories in the order of the list: the queue runs the job that has been due longest. */
export function repositoriesJobs(listed: readonly InstalledRepository[], now: Date): NewJob[] {
  const jobs: NewJob[] = []
  for (let from = 0; from < listed.length; from += DESCRIBED_AT_ONCE) {
    const payload = listed.slice(from, from + DESCRIBED_AT_ONCE)
    const about = payload.map(({ id }) => id).join()
    const run_at = later(now, from - listed.length)
    const given = { about, priority: 'import' as const, payload, run_at }
    jobs.push(jobOn({ id: 0, owner: payload[0]?.owner ?? '' }, REPOSITORIES, given))
  }
  return jobs
}

/**
 * Enqueues the import of all repositories of an installation: first the one with the settings of the organisation, then those pushed to last. If the installation was deleted, marks them as uninstalled.
 * One call, and one per 100 repositories.
 */
export async function importInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const db = app.database.connection()
  const asApp = await app.github_app?.probot.auth()
  const ask = async () => asApp && ifFound(asApp.rest.apps.getInstallation({ installation_id }))
  try {
    // An event may be older than what its owner has accepted since.
    const installed = await ask()
    if (installed) await storePermissions(db, installation_id, installed.data.permissions, now)
    const found: (InstalledRepository & { pushed_at: string })[] = []
    for await (const page of listInstalled(app, installation_id)) found.push(...page)
    if (installed && !found.some(({ name }) => isOrganisationRepository(name)))
      await db.transaction((tx) => storeOrganisation(tx, installation_id))
    found.sort((one, other) => (rankOf(one) < rankOf(other) ? 1 : -1))
    const listed = found.map(({ pushed_at: _, ...repository }) => repository)
    for (const job of repositoriesJobs(listed, now)) await enqueue(db, [job], now)
  } catch (error) {
    if (isSuspended(error)) return
    if (!mayBeUninstalled(error)) throw error
    if (await ask()) throw error
    await leaveInstallation(app, installation_id, now)
  }
}

function rankOf({ name, pushed_at }: { name: string; pushed_at: string }): string {
  return `${isOrganisationRepository(name) ? 1 : 0} ${pushed_at}`
}

/**
 * Stores the settings of repositories of one installation, and enqueues the import of those with pull requests that are open or stored as
 * open; and of those that GitHub does not describe, or that another installation has. One call for all.
 */
export async function importRepositories(app: App, listed: InstalledRepository[], now: Date): Promise<void> {
  const { installation_id } = listed[0] as InstalledRepository
  const client = await openInstallation(app, installation_id)
  const db = app.database.connection()
  const described = await describeRepositories(client, listed, now)
  const jobs: NewJob[] = []
  for (const [index, repository] of listed.entries()) {
    const description = described.get(repository.id)
    const { installation_id: known_id = null } = (await findRepository(db, repository.id)) ?? {}
    const is_described = description !== undefined && (known_id ?? installation_id) === installation_id
    if (is_described) await registerInstallation(app, repository, { now, textOf: description.textOf })
    const isEmpty = is_described && description.open === 0
    if (isEmpty && (await countOpen(db, repository.id, [])) === 0) continue
    const payload: ImportedRepository = { ...repository, is_described }
    const run_at = later(now, index - listed.length)
    jobs.push(jobOn(repository, REPOSITORY, { priority: 'import', payload, run_at }))
  }
  await enqueue(db, jobs, now)
}

/** Enqueues a job for every few open pull requests of a repository, and then one that rechecks them all. One call per 100 pull requests. */
export async function importRepository(
  app: App,
  { is_described = false, ...repository }: ImportedRepository,
  now: Date,
): Promise<void> {
  await takeImportCalls(app, repository.installation_id ?? null, is_described ? PAGE_CALLS : REPOSITORY_CALLS)
  const present = is_described ? undefined : await findInstalled(app, repository)
  if (present) await registerInstallation(app, present, { now })
  const ctx = await openKnownRepo(app, repository.id, now)
  if (!ctx) return
  const importing = async (client: Installation, { repo }: RepoContext) => {
    const numbers: number[] = []
    for await (const page of openPullRequests(client, repo, { limits: app.list_limits })) {
      if (page.some(({ base }) => base.repo.id === repo.id)) nameShown(app, repo, now)
      await enqueue(ctx.db, pullRequestJobs(repository, page, { now, position: numbers.length }), now)
      numbers.push(...page.map(({ number }) => number))
    }
    const run_at = orderedAt(now, numbers.length)
    const jobs = [recheckAllJob(repository, run_at)]
    // Some were closed while the App was suspended or not installed.
    if ((await countOpen(ctx.db, repo.id, numbers)) > 0)
      jobs.push(jobOn(repository, RECONCILE, { priority: 'import', run_at }))
    await enqueue(ctx.db, jobs, now)
  }
  // The pull requests themselves show whose they are.
  await asInstallation(app, ctx, importing, { named_since: new Date(0) })
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
    const run_at = orderedAt(now, position + index * IMPORTED_AT_ONCE)
    return jobOn(repo, PULL_REQUEST, { about: numbers.join(), priority: 'import', payload, run_at })
  })
}

/** When the job at a position of the list is due: the queue runs the one that has been due longest. */
function orderedAt(now: Date, position: number): Date {
  return later(now, Math.min(position - ORDERED_MAX, 0))
}

/** Whether the repository is being imported and has its pull requests rechecked after that. */
export function isRecheckedLater(ctx: RepoContext): Promise<boolean> {
  return isAnyWaiting(ctx.db, [recheckAllJob(ctx.repo, ctx.now)])
}

function recheckAllJob(repo: { id: number; owner: string }, run_at: Date): NewJob {
  return jobOn(repo, RECHECK_ALL, { priority: 'import', run_at })
}

/** How many open pull requests are imported, and how many are not yet; null if none is to be. */
export async function importProgress(ctx: RepoContext): Promise<{ done: number; left: number } | null> {
  const { db, repo } = ctx
  const ids = await listImporting(db, repo, { kinds: IMPORTING, limit: COUNTED_MAX })
  if (ids.length === 0) return null
  const given = ids.map((id) => id.split(':')).filter(([kind]) => kind === PULL_REQUEST)
  const left = new Set(given.flatMap(([, , numbers]) => numbers?.split(',').map(Number) ?? []))
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
  const failed = imports.find((each) => each.status === 'rejected')
  const { db, now, repo } = ctx
  const { done, left } = (await importProgress(ctx)) ?? { done: 0, left: 0 }
  // Those that were checked before a late batch did not know it, or that it is waited for no more.
  const isEnd = left === prs.length && (!failed || runningJob()?.attempts === ATTEMPTS_MAX)
  if (isEnd && !repo.is_watched) await enqueue(db, [recheckAllJob(repo, now)], now)
  if (failed) throw failed.reason
  // The running job still counts as one that is left.
  const progress = { repository: `${repo.owner}/${repo.name}`, imported: done + prs.length, of: done + left }
  app.log.info(progress, 'pull requests imported')
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
  const present = await findInstalled(app, { id, owner, name })
  if (present?.installation_id !== installation_id)
    await storeUninstalled(app, id, { now, of: installation_id })
}

/** Marks all repositories of an installation as uninstalled. */
export async function leaveInstallation(app: App, installation_id: number, now: Date): Promise<void> {
  const repositories = await listRepositories(app.database.connection(), { installation_id })
  for (const { repo_id } of repositories) await storeUninstalled(app, repo_id, { now, of: installation_id })
}
