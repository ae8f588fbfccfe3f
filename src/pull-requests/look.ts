/** Looks at one pull request: what overlaps with it now, and what its comment and check run should say (contract §10). */
import { createHash } from 'node:crypto'
import { listLiveOf } from '../activities/pull-request-store.ts'
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import type { Installation } from '../github/app.ts'
import { createComment, editComment, findOwnComment, reportCheckRun } from '../github/client.ts'
import type { NewJob } from '../jobs/store.ts'
import { examineActivities } from '../overlap/check.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import { checkRunOf } from './check-run.ts'
import { clearedComment, commentOf, MARKER, mutedComment } from './comment.ts'
import { asInstallation } from './installation.ts'
import { type Report, reportOf } from './report.ts'
import { findPullRequest, listNumbered, savePullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

/** The kind of job that looks at one pull request. */
export const LOOK = 'look'

/** A pull request is written to at most this often; what changes meanwhile is told with one edit. */
const QUIET_MS = 30_000

/** Stands for the hash of a comment that is being made: should the process end now, the next look asks GitHub. */
const BEGUN = 'begun'

/** The job that looks at a pull request; asked for again before it runs, it is still one. */
export function lookJob(repo_id: number, pr: Pick<PullRequestRow, 'number' | 'told_at'>, now: Date): NewJob {
  const quiet = pr.told_at && later(pr.told_at, QUIET_MS)
  return {
    id: `${LOOK}:${repo_id}:${pr.number}`,
    kind: LOOK,
    repo_id,
    payload: { number: pr.number },
    run_at: quiet && quiet > now ? quiet : now,
  }
}

/** Looks, and writes where what is to be said has changed: at most one comment and one check run. */
export async function look(app: App, repo_id: number, number: number, now: Date): Promise<void> {
  const ctx = await openKnownRepo(app, repo_id, now)
  if (!ctx?.repo.is_followed) return
  const pr = await findPullRequest(ctx.db, repo_id, number)
  if (!pr?.is_open) return
  const activities = await listLiveOf(ctx.db, repo_id, number, now)
  const conclusion = activities.length === 0 ? null : await examineActivities(ctx, activities)
  const related = conclusion ? [...conclusion.collisions, ...conclusion.notables].map((each) => each.id) : []
  await savePullRequest(ctx.db, repo_id, number, { related_ids: related })
  const report = conclusion && (await reportFor(ctx, pr, conclusion))
  await tell(app, ctx, pr, report)
}

async function reportFor(
  ctx: RepoContext,
  pr: PullRequestRow,
  conclusion: Conclusion,
): Promise<Report | null> {
  const numbers = conclusion.collisions.flatMap(({ record }) => record.pr_number ?? [])
  const others = numbers.length === 0 ? [] : await listNumbered(ctx.db, ctx.repo.id, numbers)
  return reportOf(conclusion, pr, {
    min_severity: ctx.settings.comment.min_severity,
    opened_at: new Map(others.map((other) => [other.number, other.opened_at])),
  })
}

async function tell(app: App, ctx: RepoContext, pr: PullRequestRow, report: Report | null): Promise<void> {
  const text = commentFor(ctx, pr, report)
  const run = ctx.settings.check_run ? checkRunOf(pr.head_sha, report) : null
  const comment_hash = text === null ? pr.comment_hash : hashOf(text)
  const check_hash = run === null ? pr.check_hash : hashOf(JSON.stringify(run))
  if (comment_hash === pr.comment_hash && check_hash === pr.check_hash) return
  await asInstallation(app, ctx, async (client) => {
    const { db, now, repo } = ctx
    if (text !== null && comment_hash !== pr.comment_hash) {
      const comment_id = await writeComment(app, client, {
        ctx,
        pr,
        text,
        isNews: report !== null && !pr.is_muted,
      })
      await savePullRequest(db, repo.id, pr.number, { comment_id, comment_hash, told_at: now })
    }
    if (run !== null && check_hash !== pr.check_hash) {
      await reportCheckRun(client, repo, run)
      await savePullRequest(db, repo.id, pr.number, { check_hash, told_at: now })
    }
  })
}

/** What the comment should say; null: leave things as they are. Nothing is said where there never was anything to say. */
function commentFor({ settings }: RepoContext, pr: PullRequestRow, report: Report | null): string | null {
  const isSilent = !settings.comment.enabled || (pr.is_bot && !settings.comment_on_bots)
  if (isSilent) return null
  const was = pr.comment_hash !== null
  if (pr.is_muted) return was ? mutedComment() : null
  if (report) return commentOf(report)
  return was ? clearedComment() : null
}

/**
 * Edits the app's one comment, or makes it; answers its id, or null when there is none. A crash may have come between
 * making it and remembering it, so it is looked for before one is made. One that somebody deleted is not made again,
 * and none is made to say that there is nothing.
 */
async function writeComment(
  app: App,
  client: Installation,
  { ctx, pr, text, isNews }: { ctx: RepoContext; pr: PullRequestRow; text: string; isNews: boolean },
): Promise<number | null> {
  const { db, repo } = ctx
  const own = { number: pr.number, app_id: app.github_app?.id ?? 0, marker: MARKER }
  const id = pr.comment_id ?? (await findOwnComment(client, repo, own))
  if (id !== null) {
    await editComment(client, repo, id, text)
    return id
  }
  if (!isNews) return null
  await savePullRequest(db, repo.id, pr.number, { comment_hash: BEGUN })
  return createComment(client, repo, pr.number, text)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
