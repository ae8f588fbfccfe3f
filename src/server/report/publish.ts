/** Publishes on a pull request: writes the comment, and the check run on its head commit (docs/contract/publishing.md#writes). */

import { reportCheckRun } from '../github/check-runs.ts'
import type { Installation } from '../github/github-app.ts'
import { createComment, editComment, findOwnComment, type Reactions } from '../github/repository-calls.ts'
import { savePullRequest } from '../pull-requests/store.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import type { App } from '../repositories/app.ts'
import { asInstallation, unlessRefused } from '../repositories/installation.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { MARKER, TEXT_VERSION } from './comment.ts'
import type { CommentText, Publication } from './publication.ts'
import type { Charge } from './report.ts'

/** Stored instead of the hash while a comment is created. If the process dies, the next recheck searches for the comment. */
const CREATING = 'begun'

/**
 * Writes the comment and the check run. If one fails, the other is still written. Returns whether the comment shows an
 * overlap now.
 */
export async function publish(
  app: App,
  ctx: RepoContext,
  { pr, comment, check_run }: Publication & { pr: PullRequestRow },
): Promise<boolean> {
  let failure: unknown
  let is_shown = comment === 'shows_overlap'
  try {
    if (typeof comment === 'object') is_shown = await publishComment(app, ctx, { pr, comment })
  } catch (error) {
    failure = error
  }
  if (check_run) await publishCheckRun(app, ctx, { pr, check_run })
  if (failure !== undefined) throw failure
  return is_shown
}

/** Returns whether the comment shows an overlap now. */
async function publishComment(
  app: App,
  ctx: RepoContext,
  { pr, comment }: { pr: PullRequestRow; comment: CommentText },
): Promise<boolean> {
  const { db, now, repo } = ctx
  const { hash, is_overlap, charge } = comment
  const is_written = await asInstallation(app, ctx, async (client) => {
    const written = await unlessRefused(app, ctx, () => writeComment(app, client, { ctx, pr, comment }))
    const isFirst = pr.commented_at === null && is_overlap && Boolean(written?.comment_id)
    await savePullRequest(db, repo.id, pr.number, {
      ...(written
        ? {
            ...written,
            comment_hash: hash,
            comment_refused: null,
            comment_version: TEXT_VERSION,
            is_due: false,
            ...(isFirst && chargedFields(charge, now)),
          }
        : { comment_hash: pr.comment_hash, comment_refused: hash }),
      published_at: now,
    })
    return written !== undefined && written.comment_id !== null
  })
  return is_overlap && is_written === true
}

/** What is stored with the first comment that counts for the budget. */
export function chargedFields(
  charge: Charge | null,
  now: Date,
): Partial<Pick<PullRequestRow, 'commented_at' | 'is_over_budget'>> {
  return charge === null ? {} : { commented_at: now, is_over_budget: charge === 'over' }
}

async function publishCheckRun(
  app: App,
  ctx: RepoContext,
  { pr, check_run }: { pr: PullRequestRow; check_run: NonNullable<Publication['check_run']> },
): Promise<void> {
  const { db, now, repo } = ctx
  const { run, hash } = check_run
  await asInstallation(app, ctx, async (client) => {
    const accepted = await unlessRefused(app, ctx, async () => {
      await reportCheckRun(client, repo, run)
      return true
    })
    const published = accepted ? { check_hash: hash, check_refused: null } : { check_refused: hash }
    await savePullRequest(db, repo.id, pr.number, { ...published, published_at: now })
  })
}

/**
 * Edits the App's comment, or creates it. Returns its id, or null if there is none, and its reactions. A crash may have lost
 * the id of a created comment, so the comment is searched for first. A deleted comment is not created again.
 */
async function writeComment(
  app: App,
  client: Installation,
  { ctx, pr, comment }: { ctx: RepoContext; pr: PullRequestRow; comment: CommentText },
): Promise<{ comment_id: number | null } & Partial<Reactions>> {
  const { db, repo } = ctx
  const own = { number: pr.number, app_id: app.github_app?.id ?? 0, marker: MARKER }
  const id = pr.comment_id ?? (await findOwnComment(client, repo, own))
  if (id !== null) return { comment_id: id, ...(await editComment(client, repo, id, comment.text)) }
  if (!comment.is_overlap) return { comment_id: null }
  await savePullRequest(db, repo.id, pr.number, { comment_hash: CREATING })
  return { comment_id: await createComment(client, repo, pr.number, comment.text) }
}
