/** Rechecks a pull request: computes its overlaps and publishes them if the text changed. */

import type { Conclusion } from '../../../engine/check/conclusion.ts'
import { later } from '../../../vocabulary/clock.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import { openPages } from '../../records/pull-requests/lists-store.ts'
import type { PullRequestRow } from '../../records/pull-requests/table.ts'
import type { App } from '../../records/repositories/app.ts'
import { readGithub } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { record, recordAndPublish } from '../../tell/apply.ts'
import { checkPullRequest } from '../../tell/read.ts'
import { type BranchDirectory, listDirectory as listDirectoryOf } from '../trees.ts'

/** The kind of job that rechecks one pull request. */
export const RECHECK = 'recheck'

/** The minimum time between two publications to one pull request. */
const QUIET_MS = 30_000

/**
 * Enqueues a recheck of each of these pull requests. It runs once, even if it is enqueued several times before. `live`: their authors
 * wait for it.
 */
export async function enqueueRecheck(
  { db, now, repo }: RepoContext,
  prs: Pick<PullRequestRow, 'number' | 'published_at'>[],
  priority: 'live' | 'recheck' = 'recheck',
): Promise<void> {
  const jobs = prs.map(({ number, published_at }) => {
    const run_at = quietUntil(published_at, now)
    return jobOn(repo, RECHECK, { about: number, priority, payload: { number }, run_at })
  })
  await enqueue(db, jobs, now)
}

function quietUntil(published_at: Date | null, now: Date): Date {
  const quiet_until = published_at && later(published_at, QUIET_MS)
  return quiet_until && quiet_until > now ? quiet_until : now
}

/** Enqueues a recheck of every open pull request of a repository. */
export async function enqueueAllRechecks(ctx: RepoContext): Promise<void> {
  for await (const page of openPages(ctx.db, ctx.repo.id)) await enqueueRecheck(ctx, page)
}

/**
 * Checks an open pull request, records its pairs, and publishes at most one comment and one check run; within the quiet time,
 * a later recheck publishes. Returns what was found; null if nothing was compared.
 */
export async function recheck(
  app: App,
  ctx: RepoContext,
  { number }: Pick<PullRequestRow, 'number'>,
): Promise<Conclusion | null> {
  const { public_url } = app.config
  const { owner, name } = ctx.repo
  const page_url = public_url && `${public_url}/#/${owner}/${name}?pr=${number}`
  const listDirectory = async (directory: BranchDirectory) =>
    (await readGithub(app, ctx, (reader) => listDirectoryOf(reader, ctx.repo, directory))) ?? null
  const asApp = { ...ctx, caller: { ...ctx.caller, listDirectory } }
  const check = await checkPullRequest(asApp, number, page_url)
  if (!check) return null
  const { pr } = check.subject
  if (pr && quietUntil(pr.published_at, ctx.now) > ctx.now) {
    await record(ctx, check)
    await enqueueRecheck(ctx, [pr], 'live')
  } else if (await recordAndPublish(app, ctx, check)) {
    const again = await checkPullRequest(asApp, number, page_url)
    if (again) await recordAndPublish(app, ctx, again)
  }
  return check.conclusion
}
