/** Reads the changed files of pull requests: at events, for activities linked by the API, and those that were never read. */

import { changeOf, type FileEntry } from '../../../engine/lines/change.ts'
import { lineHasher } from '../../../engine/lines/line-hash.ts'
import { inTurns, mapped } from '../../../vocabulary/clock.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { runningJob } from '../../platform/telemetry/execution.ts'
import type { PushedChanges } from '../../records/activities/activities.ts'
import { describePullRequest, replaceChangesOf } from '../../records/activities/automatic.ts'
import { listLive } from '../../records/activities/pull-request-store.ts'
import { findPullRequest, listOpen } from '../../records/pull-requests/store.ts'
import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { App } from '../../records/repositories/app.ts'
import { readGithub } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { ifFound, listChangedFiles } from '../repository-calls.ts'

/** The kind of job that reads the files of one pull request. */
export const READ_FILES = 'read_files'

/** So often GitHub is asked for a diff that takes it too long. */
const DIFF_ATTEMPTS = 3

/**
 * The changed files of a pull request, with digests of their patches, those that are stored if GitHub cannot compute its diff; undefined if
 * the repository is neither installed nor watched any more, or another one has its name.
 */
export async function readChanges(
  app: App,
  ctx: RepoContext,
  { number }: Pick<PullRequestRow, 'number'>,
): Promise<PushedChanges | undefined> {
  const limits = app.list_limits
  try {
    const files = await readGithub(app, ctx, (reader, { repo }) =>
      listChangedFiles(reader, repo, { number, limits }),
    )
    // The base of the patches is unknown: `base.sha` of a pull request is not its merge base.
    return files && pushedChangesOf(ctx, { files, base_sha: null, is_complete: files.length < limits.files })
  } catch (error) {
    const isTooLarge = /diff is taking too long|"field":"diff"/.test(String(error))
    if (!isTooLarge || (runningJob()?.attempts ?? 0) < DIFF_ATTEMPTS) throw error
    const [live] = await listLive(ctx.db, ctx.repo.id, { pr_number: number }, ctx.now)
    const files = (live?.pushed_files ?? []).map((file) => ({ ...file, changed_lines: null, digest: null }))
    return { files, base_sha: null, is_complete: false }
  }
}

/** GitHub's list of files, with its patches reduced to digests. */
export async function pushedChangesOf(
  ctx: RepoContext,
  { files, ...listed }: Omit<PushedChanges, 'files'> & { files: FileEntry[] },
): Promise<PushedChanges> {
  const hash = lineHasher(ctx.repo.line_key)
  const changes = await inTurns(mapped(files, (entry) => changeOf(entry, hash)))
  return { files: changes.filter((change) => change !== null), ...listed }
}

/** Enqueues a job for each open pull request among `numbers` that reads its files. */
export async function enqueueFileReads({ db, now, repo }: RepoContext, numbers: number[]): Promise<void> {
  const open = numbers.length === 0 ? [] : await listOpen(db, repo.id, { numbers })
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
  const changes = await ifFound(readChanges(app, ctx, pr))
  if (changes) await replaceChangesOf(ctx, { ...pr, is_fork: pr.branch.includes(':') }, changes)
}
