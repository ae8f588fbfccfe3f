/**
 * Applies what was decided: the rows in one transaction, then the comment and the check run
 * (docs/contract/publishing.md#writes), then who was shown what.
 */

import type { Installation } from '../github/github-app.ts'
import {
  type CheckRun,
  createComment,
  editComment,
  findOwnComment,
  type Reactions,
  reportCheckRun,
} from '../github/publications.ts'
import { isNotFound } from '../github/repository-calls.ts'
import { currentCauses, type Effect, recordEffect } from '../platform/telemetry/execution.ts'
import { enqueueNotification } from '../records/changes/changes.ts'
import { savePullRequest } from '../records/pull-requests/store.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { App } from '../records/repositories/app.ts'
import { takeWrites, unlessRefused } from '../records/repositories/installation.ts'
import { asInstallation } from '../records/repositories/reading.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import { MARKER, TEXT_VERSION } from './comment.ts'
import { type CommentText, type Decision, decide, type Publication } from './decide.ts'
import { type Check, readFacts } from './read.ts'
import { pullRequestKey } from './sides.ts'
import { clearShown, inLedger, markShown, writePairs } from './store.ts'

/** Records what a check leads to. The decision is made in the transaction, because it depends on rows that are locked. */
export function record(ctx: RepoContext, check: Check): Promise<Decision> {
  return inLedger(ctx, async (within) => {
    const facts = await readFacts(within, check)
    const decision = decide(facts)
    const { db, repo } = within
    const { pairs, notified, pull_request } = decision
    if (facts.ledger) await writePairs(within, facts.ledger, pairs)
    for (const { a, b } of notified) await enqueueNotification(within, { pair: { a, b } })
    if (pull_request) await savePullRequest(db, repo.id, pull_request.pr.number, pull_request.changes)
    return decision
  })
}

/**
 * Publishes at most one comment and one check run. Returns whether the comment was found deleted, so that the decision is no
 * longer valid.
 */
export async function publishDecided(
  app: App,
  ctx: RepoContext,
  { pull_request }: Pick<Decision, 'pull_request'>,
): Promise<boolean> {
  if (!pull_request) return false
  const { pr, publication, named } = pull_request
  const published = await publish(app, ctx, { pr, ...publication })
  if (published === 'shows_overlap') await markShown(ctx, pullRequestKey(pr.number), named)
  // The pairs that were found since the comment was last written may make a new one.
  if (published === 'deleted') await forgetComment(ctx, pr.number, pr.published_at ?? ctx.now)
  return published === 'deleted'
}

/** Records that somebody deleted the comment on a pull request. Only pairs that are found after `deleted_at` make a new one. */
export function forgetComment(ctx: RepoContext, number: number, deleted_at: Date): Promise<void> {
  return inLedger(ctx, async ({ db, repo }) => {
    await clearShown(db, repo.id, pullRequestKey(number))
    await savePullRequest(db, repo.id, number, {
      comment_id: null,
      comment_hash: null,
      comment_version: null,
      comment_posted_at: null,
      comment_edits: 0,
      comment_deleted_at: deleted_at,
      commented_at: null,
      is_over_budget: false,
      thumbs_up: 0,
      thumbs_down: 0,
    })
  })
}

/** Stored instead of the hash while a comment is created. If the process dies, the next recheck searches for the comment. */
const CREATING = 'begun'

/** `deleted`: somebody deleted the comment that was to be edited. */
type PublishedComment = 'shows_overlap' | 'shows_none' | 'deleted'

/** Writes the comment and the check run. If one fails, the other is still written. Returns what became of the comment. */
export async function publish(
  app: App,
  ctx: RepoContext,
  { pr, comment, check_run }: Publication & { pr: PullRequestRow },
): Promise<PublishedComment> {
  const writes = (typeof comment === 'object' ? 1 : 0) + (check_run ? 1 : 0)
  if (writes > 0) await takeWrites(app, ctx, writes)
  try {
    return typeof comment === 'object' ? await publishComment(app, ctx, { pr, comment }) : comment
  } finally {
    if (check_run) await publishCheckRun(app, ctx, { pr, check_run })
  }
}

async function publishComment(
  app: App,
  ctx: RepoContext,
  { pr, comment }: { pr: PullRequestRow; comment: CommentText },
): Promise<PublishedComment> {
  const { db, now, repo } = ctx
  const { hash, is_overlap, charge } = comment
  const published = await asInstallation(
    app,
    ctx,
    async (client, named) => {
      const written = await unlessRefused(app, named, () =>
        writeComment(app, client, { ctx: named, pr, comment }),
      )
      if (written === 'deleted') return written
      const isShown = is_overlap && written !== undefined && written.comment_id !== null
      await savePullRequest(db, repo.id, pr.number, {
        ...(written
          ? {
              ...written,
              is_due: false,
              comment_hash: hash,
              comment_refused: null,
              comment_version: TEXT_VERSION,
              comment_posted_at: written.comment_id === null ? null : (pr.comment_posted_at ?? now),
              ...(isShown && charge),
            }
          : { comment_hash: pr.comment_hash, comment_refused: hash }),
        published_at: now,
      })
      return isShown ? 'shows_overlap' : 'shows_none'
    },
    // The id of a comment is GitHub's own. A new one would be written to whatever repository has the name now.
    pr.comment_id === null ? { calls: 'writes', named_since: now } : { calls: 'writes' },
  )
  return published ?? 'shows_none'
}

async function publishCheckRun(
  app: App,
  ctx: RepoContext,
  { pr: { number }, check_run }: { pr: PullRequestRow; check_run: NonNullable<Publication['check_run']> },
): Promise<void> {
  const { db, now, repo } = ctx
  const { run, hash } = check_run
  const accepted = await writeCheckRun(app, ctx, { run, number })
  if (accepted === undefined) return
  const published = accepted ? { check_hash: hash, check_refused: null } : { check_refused: hash }
  await savePullRequest(db, repo.id, number, { ...published, published_at: now })
}

/** `number`: of the pull request. Returns false if GitHub refuses it, undefined if the App is not there. */
export function writeCheckRun(
  app: App,
  ctx: RepoContext,
  { run, number }: { run: CheckRun; number?: number },
): Promise<boolean | undefined> {
  return asInstallation(
    app,
    ctx,
    async (client, named) => {
      const accepted = await unlessRefused(app, named, async () => {
        await reportCheckRun(client, named.repo, run)
        recordWrite(app, named, 'check_run_reported', number)
        return true
      })
      return accepted ?? false
    },
    { calls: 'writes', named_since: ctx.now },
  )
}

/**
 * Edits the App's comment, or creates it. Returns its id, or null if there is none, and its reactions. A crash may have lost
 * the id of a created comment, so the comment is searched for first. `deleted` if somebody deleted it.
 */
async function writeComment(
  app: App,
  client: Installation,
  { ctx, pr, comment }: { ctx: RepoContext; pr: PullRequestRow; comment: CommentText },
): Promise<({ comment_id: number | null; comment_edits?: number } & Partial<Reactions>) | 'deleted'> {
  const { db, repo } = ctx
  const own = { number: pr.number, app_id: app.github_app?.id ?? 0, marker: MARKER }
  const id = pr.comment_id ?? (await findOwnComment(client, repo, own))
  if (id !== null) {
    try {
      const reactions = await editComment(client, repo, id, comment.text)
      recordWrite(app, ctx, 'comment_edited', pr.number)
      return { comment_id: id, comment_edits: pr.comment_edits + 1, ...reactions }
    } catch (error) {
      // GitHub answers 404 during an incident too, and where the App may not write any more.
      if (!isNotFound(error) || (await findOwnComment(client, repo, own)) === id) throw error
      return 'deleted'
    }
  }
  if (!comment.is_overlap) return { comment_id: null }
  await savePullRequest(db, repo.id, pr.number, { comment_hash: CREATING })
  const comment_id = await createComment(client, repo, pr.number, comment.text)
  recordWrite(app, ctx, 'commented', pr.number)
  return { comment_id }
}

/** Counts what the App wrote on GitHub, and adds it to the audit log. */
function recordWrite(
  { audit }: App,
  { repo: { owner, name: repo }, now }: RepoContext,
  action: Effect,
  number?: number,
): void {
  recordEffect(action)
  const [request_id = null] = currentCauses()
  const record_id = number === undefined ? null : `#${number}`
  const written = { at: now.toISOString(), request_id, action, owner, repo, record_id }
  audit?.write({ ...written, login: null, source: 'app', address: null })
}
