/** Publishes the report of a recheck: the comment on the pull request and the check run on its head commit (docs/contract/publishing.md#comment). */
import { createHash } from 'node:crypto'
import { isBot } from '../decision/audience.ts'
import { type CheckRun, reportCheckRun } from '../github/check-runs.ts'
import type { Installation } from '../github/github-app.ts'
import { createComment, editComment, findOwnComment, type Reactions } from '../github/repository-calls.ts'
import { savePullRequest } from '../pull-requests/store.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import type { App } from '../repositories/app.ts'
import { asInstallation, unlessRefused } from '../repositories/installation.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { checkRunOf } from './check-run.ts'
import { commentOf, MARKER, mutedComment, TEXT_VERSION } from './comment.ts'
import type { Report } from './report.ts'

/** Stored instead of the hash while a comment is created. If the process dies, the next recheck searches for the comment. */
const CREATING = 'begun'

/** A report, and the pull request to publish it to. */
interface Publication {
  pr: PullRequestRow
  report: Report
}

/**
 * Writes the comment and the check run if their texts changed. If one fails, the other is still written. Nothing is
 * written in the modes `shadow` and `off`. Returns whether the comment shows the report now, or would in shadow mode.
 */
export async function publish(
  app: App,
  ctx: RepoContext,
  pr: PullRequestRow,
  report: Report,
): Promise<boolean> {
  const publication = { pr, report }
  const { mode } = ctx.settings.comment
  if (mode === 'off') return false
  if (mode === 'shadow') return recordShadow(ctx, publication)
  let failure: unknown
  let is_shown = false
  try {
    is_shown = await publishComment(app, ctx, publication)
  } catch (error) {
    failure = error
  }
  await publishCheckRun(app, ctx, publication)
  if (failure !== undefined) throw failure
  return is_shown
}

/** Records a comment in shadow mode without posting it. Returns whether it would show an overlap. */
async function recordShadow(ctx: RepoContext, { pr, report }: Publication): Promise<boolean> {
  if (report.severity === null || pr.is_muted || isIgnoredBot(ctx, pr)) return false
  if (pr.commented_at === null)
    await savePullRequest(ctx.db, ctx.repo.id, pr.number, { commented_at: ctx.now })
  return true
}

/** Returns whether the comment shows an overlap now. */
async function publishComment(app: App, ctx: RepoContext, { pr, report }: Publication): Promise<boolean> {
  const text = commentFor(ctx, pr, report)
  const essence = commentFor(ctx, pr, essenceOf(report))
  if (text === null || essence === null) return false
  const { db, now, repo } = ctx
  const comment_hash = hashOf(essence)
  const isDue = report.severity !== null && !pr.is_muted
  if (comment_hash === pr.comment_hash) return isDue && pr.comment_id !== null
  if (comment_hash === pr.comment_refused) return false
  // After an upgrade, comments with the former text are edited with the next event of their own pull request only.
  const isOld = pr.comment_id !== null && pr.comment_version !== TEXT_VERSION
  if (isOld && !pr.is_due) return false
  const is_written = await asInstallation(app, ctx, async (client) => {
    const written = await unlessRefused(app, ctx, () => writeComment(app, client, { ctx, pr, text, isDue }))
    const commented_at = pr.commented_at ?? (isDue && written?.comment_id ? now : null)
    await savePullRequest(db, repo.id, pr.number, {
      ...(written
        ? {
            ...written,
            comment_hash,
            comment_refused: null,
            comment_version: TEXT_VERSION,
            is_due: false,
            commented_at,
          }
        : { comment_hash: pr.comment_hash, comment_refused: comment_hash }),
      published_at: now,
    })
    return written !== undefined && written.comment_id !== null
  })
  return isDue && is_written === true
}

async function publishCheckRun(app: App, ctx: RepoContext, { pr, report }: Publication): Promise<void> {
  const run = checkRunFor(ctx, pr, report)
  if (run === null) return
  const { db, now, repo } = ctx
  const check_hash = hashOf(JSON.stringify(checkRunFor(ctx, pr, essenceOf(report))))
  if (check_hash === pr.check_hash || check_hash === pr.check_refused) return
  await asInstallation(app, ctx, async (client) => {
    const accepted = await unlessRefused(app, ctx, async () => {
      await reportCheckRun(client, repo, run)
      return true
    })
    const published = accepted ? { check_hash, check_refused: null } : { check_refused: check_hash }
    await savePullRequest(db, repo.id, pr.number, { ...published, published_at: now })
  })
}

/** The report without counts and time. If nothing else changed, it is not published again. */
function essenceOf(report: Report): Report {
  return { ...report, as_of: null, compared: { activities: 0, notables: 0, expected: 0 } }
}

/** The text of the comment; null to publish none. No comment is created to say that nothing overlaps. */
function commentFor(ctx: RepoContext, pr: PullRequestRow, report: Report): string | null {
  if (isIgnoredBot(ctx, pr)) return null
  const isPublished = pr.comment_hash !== null
  if (pr.is_muted) return isPublished ? mutedComment() : null
  return isPublished || report.severity !== null ? commentOf(report) : null
}

function checkRunFor(ctx: RepoContext, pr: PullRequestRow, report: Report): CheckRun | null {
  if (!ctx.settings.check_run || isIgnoredBot(ctx, pr) || pr.is_muted) return null
  return checkRunOf(pr.head_sha, report)
}

/** Whether a bot opened the pull request and the settings exclude bots. */
function isIgnoredBot({ settings }: RepoContext, { author, is_bot }: PullRequestRow): boolean {
  const isOfBot = isBot({ login: author, is_of_type_bot: is_bot }, settings.comment)
  return isOfBot && !settings.comment.on_bots
}

/**
 * Edits the App's comment, or creates it. Returns its id, or null if there is none, and its reactions. A crash may have lost
 * the id of a created comment, so the comment is searched for first. A deleted comment is not created again.
 */
async function writeComment(
  app: App,
  client: Installation,
  { ctx, pr, text, isDue }: { ctx: RepoContext; pr: PullRequestRow; text: string; isDue: boolean },
): Promise<{ comment_id: number | null } & Partial<Reactions>> {
  const { db, repo } = ctx
  const own = { number: pr.number, app_id: app.github_app?.id ?? 0, marker: MARKER }
  const id = pr.comment_id ?? (await findOwnComment(client, repo, own))
  if (id !== null) {
    return { comment_id: id, ...(await editComment(client, repo, id, text)) }
  }
  if (!isDue) return { comment_id: null }
  await savePullRequest(db, repo.id, pr.number, { comment_hash: CREATING })
  return { comment_id: await createComment(client, repo, pr.number, text) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
