/** Reconciles each repository with GitHub every hour, or every day if it is at rest, to make up for missed deliveries (docs/contract/organisations.md#cost-at-rest). */

import { later } from '../../../vocabulary/clock.ts'
import { enqueue, jobOn, periodicJob, retryDead } from '../../jobs/store.ts'
import { keepTracked } from '../../records/activities/automatic.ts'
import { endBranch } from '../../records/activities/branches.ts'
import {
  listPushedBranches,
  listTrackedPullRequests,
  listUnread,
  listUntracked,
} from '../../records/activities/pull-request-store.ts'
import { openPages } from '../../records/pull-requests/store.ts'
import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { App } from '../../records/repositories/app.ts'
import { RECONCILE } from '../../records/repositories/installation.ts'
import { asInstallation, ConditionalReads } from '../../records/repositories/reading.ts'
import { findOrganisationFile } from '../../records/repositories/registration.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { reviseSettings } from '../../records/repositories/settings-revision.ts'
import { findRepository, listUnreconciled, updateRepository } from '../../records/repositories/store.ts'
import { parsePullRequest } from '../pull-request.ts'
import {
  ifFound,
  type ListLimits,
  listOpenPage,
  named,
  openPullRequests,
  type Reader,
} from '../repository-calls.ts'
import { enqueueFileReads } from './changed-files.ts'
import { pullRequestJobs } from './installations.ts'
import { pullRequestChanged, pullRequestRemoved } from './pull-requests.ts'

/** The kind of job that finds the repositories to reconcile. */
export const RECONCILE_ALL = 'reconcile_all'

/** How often it is looked for repositories whose turn has come. */
const LOOK_EVERY_MS = 60_000
/** The turn of a repository with live work. */
const RECONCILE_EVERY_MS = 3_600_000
/** A pull request that GitHub does not show counts as removed if nothing happened to it for this long. */
const REMOVED_AFTER_MS = 600_000
const PAGE = 100
/** The maximum number of pull requests whose files were never read that one run reads. */
const UNREAD_MAX = 20
/** The maximum number of branches that one run looks up in a repository. One call each. */
const BRANCHES_MAX = 100

/** Enqueues the reconciliation of the repositories in which the App is installed and whose turn has come. */
export async function reconcileAll(app: App, now: Date): Promise<void> {
  const db = app.database.connection()
  await enqueue(db, [periodicJob(RECONCILE_ALL, later(now, LOOK_EVERY_MS))], now)
  for (let after = 0; ; ) {
    const page = await listUnreconciled(db, { after, limit: PAGE, now })
    const jobs = page.map(({ repo_id: id, owner }) =>
      jobOn({ id, owner }, RECONCILE, { priority: 'reconcile', run_at: now }),
    )
    await enqueue(db, jobs, now)
    for (const { repo_id } of page) await updateRepository(db, repo_id, { reconciled_at: now })
    if (page.length < PAGE) return
    after = page.at(-1)?.repo_id ?? after
  }
}

/**
 * Imports what changed in one repository without a delivery: pull requests opened, updated and closed, branches deleted,
 * and the settings file. An open pull request counts as a heartbeat of the activity that was made from it.
 */
export async function reconcile(app: App, stored: RepoContext): Promise<void> {
  const { installation_id } = stored.repo
  if (installation_id === null) return
  const reconciling = async (reader: Reader, ctx: RepoContext) => {
    const reads = await ConditionalReads.open(ctx)
    await importPullRequests(app, ctx, reader, { reads })
    await archiveDeletedBranches(ctx, reader, reads)
    await reviseSettings(app, reader, { repository: ctx.repo, reads })
    await findOrganisationFile(app, { ...ctx.repo, installation_id }, ctx.now)
    await reads.save()
  }
  // If another repository had the name, or none, that would look like closed pull requests and a deleted settings file.
  await asInstallation(app, stored, reconciling, { named_since: stored.now })
  const { db, now, repo } = stored
  // Never read are those that were linked before the App was installed. The next reconciliation goes on with the others.
  await enqueueFileReads(stored, await listUnread(db, repo.id, { now, limit: UNREAD_MAX }))
  // During an incident of GitHub, all attempts fail.
  await retryDead(db, repo.id, now)
}

/**
 * Imports the open pull requests that changed, and those that are not open any more. Returns how many are open. One call per page of open pull requests, and one per closed one. `reads`: makes the calls with ETags.
 */
export async function importPullRequests(
  app: App,
  ctx: RepoContext,
  reader: Reader,
  { reads, pages_max }: { reads?: ConditionalReads; pages_max?: number },
): Promise<number> {
  const known = await knownOpen(ctx)
  let open = 0
  const limits = app.list_limits
  const all = openPullRequests(reader, ctx.repo, { limits, pages_max })
  const pages =
    reads && !(await lacksAny(ctx, known)) ? await openIfChanged(ctx, reader, { reads, limits }) : all
  if (pages === undefined) open = await keepOpen(ctx, known)
  for await (const page of pages ?? []) {
    await importOpen(ctx, page, { known, position: open })
    open += page.length
  }
  // The pull requests that are left in `known` are not in GitHub's list of open ones.
  for (const [number, stored] of known) await importClosed(app, ctx, { reader, number, stored })
  return open
}

/** The pages of open pull requests, read with the ETags of the last time; undefined if none of them changed. One call per page, and another one per unchanged page if any changed. */
async function openIfChanged(
  { repo }: RepoContext,
  reader: Reader,
  { reads, limits }: { reads: ConditionalReads; limits: ListLimits },
): Promise<Listed[][] | undefined> {
  const addressOf = (page: number) => `pulls?page=${page}`
  const pages: (Listed[] | undefined)[] = []
  for (let isLast = false; !isLast; ) {
    const number = pages.length + 1
    const page = await reads.read(addressOf(number), (headers) =>
      listOpenPage(reader, repo, { page: number, limits, headers }),
    )
    pages.push(page)
    isLast = page ? page.length < limits.page : !reads.has(addressOf(number + 1))
  }
  if (pages.every((page) => page === undefined)) return undefined
  const all: Listed[][] = []
  for (const [index, page] of pages.entries())
    all.push(page ?? (await listOpenPage(reader, repo, { page: index + 1, limits })).data)
  return all
}

/** Whether a pull request has to be imported although it did not change. */
async function lacksAny(ctx: RepoContext, known: Known): Promise<boolean> {
  const isBehind = (pr: KnownPullRequest | null) => pr !== null && (pr.is_behind || pr.closes === null)
  return [...known.values()].some(isBehind) || (await listLost(ctx, [...known.keys()])).length > 0
}

/** Keeps the pull requests of a list that did not change alive, and removes them from `known`. Returns how many there are. */
async function keepOpen(ctx: RepoContext, known: Known): Promise<number> {
  const numbers = [...known].flatMap(([number, stored]) => (stored === null ? [] : [number]))
  await keepTracked(ctx, numbers)
  for (const number of numbers) known.delete(number)
  return numbers.length
}

/** Those of the open pull requests whose activity is missing: none if the settings let one expire before the next reconciliation. */
async function listLost({ db, now, repo, settings }: RepoContext, numbers: number[]): Promise<number[]> {
  const { track_pull_requests, activity_ttl_ms, max_activity_ttl_ms } = settings
  const isKept = max_activity_ttl_ms === null && activity_ttl_ms > RECONCILE_EVERY_MS
  if (numbers.length === 0 || !track_pull_requests || !isKept) return []
  return listUntracked(db, repo.id, { numbers, now })
}

interface Listed {
  number: number
  head: { sha: string }
  updated_at: string
}

/** The pull requests that are stored as open, by number. Null for one that only an activity names. */
export type Known = Map<number, KnownPullRequest | null>
type KnownPullRequest = Pick<PullRequestRow, 'head_sha' | 'changed_at' | 'is_behind' | 'closes'>

/** The pull requests that are open as far as the service knows. */
export async function knownOpen(ctx: RepoContext): Promise<Known> {
  const known: Known = new Map()
  for (const number of await listTrackedPullRequests(ctx.db, ctx.repo.id, ctx.now)) known.set(number, null)
  for await (const page of openPages(ctx.db, ctx.repo.id)) for (const pr of page) known.set(pr.number, pr)
  return known
}

/**
 * Enqueues the import of new and changed pull requests of a page, and removes the page from `known`. `position`: how many
 * were listed before.
 */
export async function importOpen(
  ctx: RepoContext,
  page: Listed[],
  { known, position }: { known: Known; position: number },
): Promise<void> {
  const { db, now, repo } = ctx
  const numbers = page.map(({ number }) => number)
  if (numbers.length === 0) return
  await keepTracked(ctx, numbers)
  const lost = new Set(await listLost(ctx, numbers))
  const changed = page.filter((pr) => {
    const before = known.get(pr.number)
    const isCurrent = before?.head_sha === pr.head.sha && before.changed_at >= new Date(pr.updated_at)
    const isApplied = isCurrent && !before.is_behind && before.closes !== null
    return !isApplied || lost.has(pr.number)
  })
  for (const number of numbers) known.delete(number)
  await enqueue(db, pullRequestJobs(repo, changed, { now, position }), now)
}

/** One that GitHub does not know any more was removed, if it was stored: `pr_url` can name one that never existed. */
async function importClosed(
  app: App,
  ctx: RepoContext,
  { reader, number, stored }: { reader: Reader; number: number; stored: KnownPullRequest | null },
): Promise<void> {
  const found = await ifFound(reader.rest.pulls.get({ ...named(ctx.repo), pull_number: number }))
  if (found?.data.state === 'closed')
    await pullRequestChanged(app, ctx, parsePullRequest(found.data), 'closed')
  // GitHub may not show a new one yet.
  const isSettled = stored !== null && stored.changed_at < later(ctx.now, -REMOVED_AFTER_MS)
  if (!found && isSettled) await pullRequestRemoved(ctx, number)
}

/** Archives the activities of deleted branches. At most `BRANCHES_MAX` calls; the next run continues after the last branch. */
async function archiveDeletedBranches(
  ctx: RepoContext,
  reader: Reader,
  reads: ConditionalReads,
): Promise<void> {
  const { db, now, repo } = ctx
  const { branches_after } = (await findRepository(db, repo.id)) ?? {}
  const branches = await listPushedBranches(db, repo.id, {
    now,
    after: branches_after ?? '',
    limit: BRANCHES_MAX,
  })
  for (const branch of branches) {
    const asked = { ...named(repo), branch }
    const reading = reads.read(`branches/${branch}`, (headers) =>
      reader.rest.repos.getBranch({ ...asked, headers }),
    )
    // GitHub redirects the name that a branch had before to its present one.
    const exists = await ifFound(reading.then((found) => (found?.name ?? branch) === branch))
    if (!exists) await endBranch(ctx, branch, false)
  }
  const last = branches.length < BRANCHES_MAX ? null : (branches.at(-1) ?? null)
  if (last !== branches_after) await updateRepository(db, repo.id, { branches_after: last })
}
