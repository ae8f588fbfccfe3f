/** Applies events of pull requests and repositories (contract §5, automatic moves). The webhook surface translates payloads to these calls. */
import {
  closePullRequest,
  linkPullRequest,
  type Refresh,
  refreshPullRequest,
  trackPullRequest,
} from '../activities/automatic.ts'
import { listLiveOf, listUntracked } from '../activities/pull-request-store.ts'
import type { App } from '../context/app.ts'
import { enqueueRechecks } from '../context/changes.ts'
import { refreshSettings } from '../context/installed-repository.ts'
import { openKnownRepo, type RepoContext } from '../context/repo.ts'
import { reportCheckRun } from '../github/check-runs.ts'
import type { GithubPullRequest } from '../github/pull-request.ts'
import { readChanges } from './changed-files.ts'
import { settingsRunOf } from './check-run.ts'
import { MUTE_LABEL } from './comment.ts'
import { asInstallation, unlessRefused } from './installation.ts'
import { enqueueOutcomes, enterPullRequestEnd } from './outcomes.ts'
import { readPullRequest } from './reading.ts'
import { enqueueAllRechecks, enqueueRecheck } from './recheck.ts'
import { linkPullRequestStack } from './stack-links.ts'
import { clearRefusals, type Facts, findPullRequest, recordPullRequest, savePullRequest } from './store.ts'
import type { PullRequestRow } from './table.ts'

/** What happened. `files`: new commits; `queued`: it entered the merge queue; `seen`: no event, it was read from GitHub; `other`: labels and the like, which do not change activities. */
export type PullRequestEvent =
  | 'opened'
  | 'reopened'
  | 'draft'
  | 'files'
  | 'edited'
  | 'closed'
  | 'queued'
  | 'dequeued'
  | 'unlocked'
  | 'seen'
  | 'other'

/**
 * Applies an event of a pull request. An event that is older than the stored one changes nothing. If the older one could
 * not be applied because GitHub was unavailable, the newer one applies both.
 */
export async function pullRequestChanged(
  app: App,
  ctx: RepoContext,
  received: GithubPullRequest,
  received_event: PullRequestEvent,
): Promise<void> {
  const { db, now, repo } = ctx
  const before = await findPullRequest(db, repo.id, received.number)
  const isTied =
    before?.changed_at.getTime() === received.changed_at.getTime() && before.is_open !== received.is_open
  // GitHub's timestamps have seconds, so they do not tell whether the close or the reopening came last.
  const read = isTied ? await readPullRequest(app, ctx, received.number) : undefined
  // GitHub's response may be older than the event.
  const current = read && read.changed_at >= received.changed_at ? read : undefined
  const pr = current ?? received
  const event = current ? (current.is_open ? 'reopened' : 'closed') : received_event
  if (MAY_BE_UNLOCKED.has(event)) await clearRefusals(db, repo.id, pr.number)
  if (!(await recordPullRequest(db, repo.id, factsOf(pr), { event, now }))) {
    // The newer event stored everything except the title.
    if (event === 'edited') await importAgain(app, ctx, pr.number)
    // Otherwise the pull request would stay first until its next push.
    if (event === 'dequeued' && before?.is_queued) await setQueued(ctx, pr.number, false)
    return
  }
  if (pr.is_open) await linkPullRequestStack(ctx, pr, before)
  if (pr.is_open) await applyToActivities(app, ctx, { pr, event, before })
  // A pull request that was closed before has nothing to do with current work on its branch.
  else if (event === 'closed' || before?.is_open) {
    // Their changed files are deleted with the activities.
    const awaited = await enterPullRequestEnd(ctx, pr)
    await closePullRequest(ctx, pr, pr.is_merged)
    await enqueueOutcomes(ctx, awaited)
  }
  const title = TAKES_TITLE.has(event) ? { title: pr.title } : {}
  await savePullRequest(db, repo.id, pr.number, { is_behind: false, ...title })
  const is_queued = isQueued(pr, event, before)
  if (is_queued !== (before?.is_queued ?? false)) await setQueued(ctx, pr.number, is_queued)
  const stored = await findPullRequest(db, repo.id, pr.number)
  if (stored?.is_open) await enqueueRecheck(ctx, [stored])
}

/** After these events, the activity has the current title. */
const TAKES_TITLE: ReadonlySet<PullRequestEvent> = new Set(['opened', 'reopened', 'edited', 'seen'])

/** After these events, GitHub may accept what it refused before. */
const MAY_BE_UNLOCKED: ReadonlySet<PullRequestEvent> = new Set(['unlocked', 'seen'])

/** Whether it is in the merge queue. A push, a conversion to draft and a close remove it, even if that event is missing. */
function isQueued(pr: GithubPullRequest, event: PullRequestEvent, before?: PullRequestRow): boolean {
  if (event === 'dequeued' || !pr.is_open || pr.is_draft) return false
  return event === 'queued' || (before?.is_queued === true && before.head_sha === pr.head_sha)
}

/** Enqueues a recheck of this pull request and those that overlap with it: the order of the merges has changed. */
async function setQueued(ctx: RepoContext, number: number, is_queued: boolean): Promise<void> {
  await savePullRequest(ctx.db, ctx.repo.id, number, { is_queued })
  const live = await listLiveOf(ctx.db, ctx.repo.id, number, ctx.now)
  await enqueueRechecks(
    ctx,
    live.map(({ id }) => id),
  )
}

/** Applies an event of an open pull request to its activities. */
async function applyToActivities(
  app: App,
  ctx: RepoContext,
  {
    pr,
    event,
    before,
  }: { pr: GithubPullRequest; event: PullRequestEvent; before: PullRequestRow | undefined },
): Promise<void> {
  const isNew = event === 'opened' || event === 'reopened' || before?.is_open === false
  const isUntracked = await lacksActivity(ctx, pr.number)
  // Other events keep the title, which a PATCH may have changed. A read finds an edit whose event was missed.
  const isRetitled = event === 'seen' && before?.title != null && before.title !== pr.title
  const title = event === 'edited' || isRetitled
  if (isNew || isUntracked || before?.is_behind) return linkOrTrack(app, ctx, pr, { title })
  // A new base branch means other changed files.
  const isRetargeted = before?.base_branch != null && before.base_branch !== pr.base_branch
  const isMoved = isRetargeted || (before !== undefined && before.head_sha !== pr.head_sha)
  if (event === 'draft' || (before && before.is_draft !== pr.is_draft)) await linkPullRequest(ctx, pr)
  const fields = { title, base_branch: title || isRetargeted }
  if (event === 'files' || isMoved) await refreshWithFiles(app, ctx, pr, fields)
  else if (event === 'edited' || event === 'seen')
    await refreshPullRequest(ctx, pr, { ...fields, changes: null })
}

async function lacksActivity({ db, repo, now }: RepoContext, number: number): Promise<boolean> {
  return (await listUntracked(db, repo.id, { numbers: [number], now })).length > 0
}

/** Reads the pull request from GitHub and imports it if it is open. */
async function importAgain(app: App, ctx: RepoContext, number: number): Promise<void> {
  const present = await readPullRequest(app, ctx, number)
  if (present?.is_open) await pullRequestChanged(app, ctx, present, 'seen')
}

/**
 * Imports a pull request whose declared activity ended, if it is open and has no other activity: the end of a declared
 * activity does not end tracking. One or two calls.
 */
export async function trackAgain(app: App, ctx: RepoContext, number: number): Promise<void> {
  if (!ctx.settings.track_pull_requests || !(await lacksActivity(ctx, number))) return
  await importAgain(app, ctx, number)
}

/** Reads the settings file again, enqueues a recheck of all pull requests, and reports mistakes in the file on the commit `sha`, unless the mode is `shadow` or `off` (contract §12). */
export async function settingsChanged(app: App, ctx: RepoContext, sha: string | null): Promise<void> {
  await asInstallation(app, ctx, async (client) => {
    const stored = await refreshSettings(app, client, ctx.repo)
    // The settings decide which paths and areas overlap.
    ctx.announceChange('any')
    const refreshed = await openKnownRepo(app, ctx.repo.id, ctx.now)
    if (refreshed) await enqueueAllRechecks(refreshed)
    const problems = stored?.settings_errors ?? []
    const isPosting = (refreshed ?? ctx).settings.comment.mode === 'on'
    if (sha === null || problems.length === 0 || !isPosting) return
    await unlessRefused(app, ctx, () => reportCheckRun(client, ctx.repo, settingsRunOf(sha, problems)))
  })
}

/** After a repository is unarchived, publishes what GitHub refused meanwhile. */
export async function repositoryUnarchived(ctx: RepoContext): Promise<void> {
  await clearRefusals(ctx.db, ctx.repo.id)
  await enqueueAllRechecks(ctx)
}

/** Links an open pull request to its activities, or creates one for it. */
async function linkOrTrack(
  app: App,
  ctx: RepoContext,
  pr: GithubPullRequest,
  { title }: { title: boolean },
): Promise<void> {
  const linked = await linkPullRequest(ctx, pr)
  if (linked.length > 0) return refreshWithFiles(app, ctx, pr, { title, base_branch: true })
  if (!ctx.settings.track_pull_requests) return
  const changes = await readChanges(app, ctx, pr.number)
  if (changes) await trackPullRequest(ctx, pr, changes)
}

async function refreshWithFiles(
  app: App,
  ctx: RepoContext,
  pr: GithubPullRequest,
  fields: Omit<Refresh, 'changes'>,
): Promise<void> {
  const live = await listLiveOf(ctx.db, ctx.repo.id, pr.number, ctx.now)
  const changes = live.length > 0 ? await readChanges(app, ctx, pr.number) : undefined
  await refreshPullRequest(ctx, pr, { ...fields, changes: changes ?? null })
}

function factsOf(pr: GithubPullRequest): Facts & { title: string } {
  const { number, title, author, is_open, is_draft, is_bot, is_by_newcomer, is_mergeable } = pr
  const { branch, head_sha, base_branch, opened_at, changed_at } = pr
  return {
    number,
    title,
    author,
    is_open,
    is_draft,
    is_bot,
    is_by_newcomer,
    is_mergeable,
    is_muted: pr.labels.includes(MUTE_LABEL),
    head_sha,
    branch,
    base_branch,
    stack_number: pr.stack?.number ?? null,
    stack_position: pr.stack?.position ?? null,
    opened_at,
    changed_at,
  }
}
