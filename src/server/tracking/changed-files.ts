/** Reads the changed files of pull requests: at events, for activities linked by the API, and those that were never read. */

import { changeOf, type FileEntry } from '../../engine/lines/change.ts'
import { later, MINUTE_MS } from '../../vocabulary/clock.ts'
import { inTurns, mapped } from '../../vocabulary/event-loop.ts'
import type { PushedChanges } from '../activities/activity-files.ts'
import { describePullRequest, replaceChangesOf } from '../activities/automatic.ts'
import { listUnread } from '../activities/pull-request-store.ts'
import { isNotFound, listChangedFiles } from '../github/repository-calls.ts'
import { enqueue, jobOn, type NewJob } from '../jobs/store.ts'
import { listNumbered } from '../pull-requests/open-store.ts'
import { findPullRequest } from '../pull-requests/store.ts'
import type { App } from '../repositories/app.ts'
import { readLineHasher } from '../repositories/line-key.ts'
import { readGithub } from '../repositories/reading.ts'
import { openKnownRepo, type RepoContext } from '../repositories/repo.ts'
import { listRepositories } from '../repositories/store.ts'

/** The kinds of jobs that read the files of one pull request, and that enqueue such jobs for an installation. */
export const READ_FILES = 'read_files'
export const READ_MISSING_FILES = 'read_missing_files'

/** The maximum number of pull requests per installation and minute whose missing files are read. */
const PER_MINUTE = 20

/**
 * The changed files of a pull request, with digests of their patches; undefined if the repository is neither installed nor
 * watched any more.
 */
export async function readChanges(
  app: App,
  ctx: RepoContext,
  number: number,
): Promise<PushedChanges | undefined> {
  const limits = app.list_limits
  const files = await readGithub(app, ctx, (reader) => listChangedFiles(reader, ctx.repo, { number, limits }))
  // The base of the patches is unknown: `base.sha` of a pull request is not its merge base.
  return files && pushedChangesOf(ctx, { files, base_sha: null, is_complete: files.length < limits.files })
}

/** GitHub's list of files, with its patches reduced to digests. */
export async function pushedChangesOf(
  ctx: RepoContext,
  { files, ...listed }: Omit<PushedChanges, 'files'> & { files: FileEntry[] },
): Promise<PushedChanges> {
  const hash = await readLineHasher(ctx)
  const changes = await inTurns(mapped(files, (entry) => changeOf(entry, hash)))
  return { files: changes.filter((change) => change !== null), ...listed }
}

/** Enqueues a job for each open pull request among `numbers` that reads its files. */
export async function enqueueFileReads({ db, now, repo }: RepoContext, numbers: number[]): Promise<void> {
  const open = numbers.length === 0 ? [] : await listNumbered(db, repo.id, numbers)
  const jobs = open.map(({ number }) =>
    jobOn(repo, READ_FILES, { about: number, priority: 'live', payload: { number }, run_at: now }),
  )
  await enqueue(db, jobs, now)
}

/** Stores the files of an open pull request, and the issues that it closes, with its activities. */
export async function readFiles(app: App, ctx: RepoContext, { number }: { number: number }): Promise<void> {
  const pr = await findPullRequest(ctx.db, ctx.repo.id, number)
  if (!pr?.is_open) return
  await describePullRequest(ctx, number, { closes: pr.closes })
  try {
    const changes = await readChanges(app, ctx, number)
    if (changes) await replaceChangesOf(ctx, number, changes)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** The pull requests after this one are still to be read. */
interface Position {
  repo_id: number
  number: number
}

/** The job that reads missing files of an installation. It runs a minute later, which limits it to one run per minute. */
export function missingFilesJob(
  { installation_id, owner }: { installation_id: number; owner: string },
  now: Date,
  after: Position = { repo_id: 0, number: 0 },
): NewJob {
  return {
    id: `${READ_MISSING_FILES}:${installation_id}`,
    kind: READ_MISSING_FILES,
    priority: 'import',
    repo_id: 0,
    owner,
    payload: { installation_id, after },
    run_at: later(now, MINUTE_MS),
  }
}

/** Whether the repository has a pull request whose files were not read, such as one that was linked before the App was installed. */
export async function hasMissingFiles({ db, now, repo }: RepoContext): Promise<boolean> {
  return (await listUnread(db, repo.id, { now, after: 0, limit: 1 })).length > 0
}

/** Enqueues reading the next pull requests of an installation, and itself again if there are more. */
export async function readMissingFiles(
  app: App,
  { installation_id, after }: { installation_id: number; after: Position },
  now: Date,
): Promise<void> {
  const db = app.database.connection()
  const repositories = await listRepositories(db, { installation_id })
  const ids = repositories.map(({ repo_id }) => repo_id).filter((id) => id >= after.repo_id)
  let left = PER_MINUTE
  for (const repo_id of ids.sort((a, b) => a - b)) {
    const ctx = await openKnownRepo(app, repo_id, now)
    if (!ctx) continue
    const first = repo_id === after.repo_id ? after.number : 0
    const numbers = await listUnread(db, repo_id, { now, after: first, limit: left })
    await enqueueFileReads(ctx, numbers)
    left -= numbers.length
    const last = numbers.at(-1)
    if (left === 0 && last !== undefined) {
      const job = missingFilesJob({ installation_id, owner: ctx.repo.owner }, now, { repo_id, number: last })
      await enqueue(db, [job], now)
      return
    }
  }
}
