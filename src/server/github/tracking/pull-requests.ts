/** Applies events of pull requests. The webhook surface translates payloads to these calls. */
import { rulesOf } from '../../../engine/check/compare.ts'
import type { FileChange } from '../../../engine/lines/change.ts'
import {
  closePullRequest,
  describePullRequest,
  linkPullRequest,
  refreshPullRequest,
  trackPullRequest,
} from '../../records/activities/automatic.ts'
import { listLive, listUntracked } from '../../records/activities/pull-request-store.ts'
import { enqueueRechecks, isRecheckWaiting } from '../../records/changes/changes.ts'
import { listChangeSet } from '../../records/file-changes/store.ts'
import { keepMergedWork } from '../../records/merged-work/store.ts'
import {
  clearRefusals,
  type Facts,
  findPullRequest,
  listOpen,
  recordPullRequest,
  savePullRequest,
} from '../../records/pull-requests/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { readPullRequest } from '../../records/repositories/reading.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { forgetComment } from '../../tell/apply.ts'
import { MUTE_LABEL } from '../../tell/comment.ts'
import { pullRequestKey } from '../../tell/sides.ts'
import { recordEnd } from '../../tell/store.ts'
import { closedIssues, type GithubPullRequest } from '../pull-request.ts'
import { readChanges } from './changed-files.ts'
import {
  type ActivityPlan,
  changesQueue,
  isEnd,
  isQueued,
  isTied,
  needsRecheck,
  type PullRequestEvent,
  planOf,
  TAKES_TITLE,
} from './event-plan.ts'
import { enqueueRecheck } from './recheck.ts'
import { keepMergedLink, linkPullRequestStack, recheckBelow } from './stack-links.ts'

/**
 * Applies an event of a pull request; of another repository, which was read under a name that is used again, nothing. An event that is older than the stored one changes nothing. If the older one could
 * not be applied because GitHub was unavailable, the newer one applies both.
 */
export async function pullRequestChanged(
  app: App,
  ctx: RepoContext,
  received: GithubPullRequest,
  received_event: PullRequestEvent,
): Promise<void> {
  const { db, now, repo } = ctx
  if (received.repository_id !== repo.id) return
  const before = await findPullRequest(db, repo.id, received.number)
  const is_tied = isTied(received_event, received, before)
  const read = is_tied ? await readPullRequest(app, ctx, received.number) : undefined
  // GitHub's response may be older than the event.
  const current = read && read.changed_at >= received.changed_at ? read : undefined
  const pr = current ?? received
  const isOtherState = current !== undefined && before?.is_open !== received.is_open
  const event = isOtherState ? (current.is_open ? 'reopened' : 'closed') : received_event
  // GitHub may accept what it refused before.
  if (event === 'unlocked' || event === 'seen') await clearRefusals(db, repo.id, pr.number)
  const given = { event, now, commenting_since: repo.commenting_since }
  const facts = factsOf(pr, repo)
  if (!(await recordPullRequest(db, repo.id, facts, given))) {
    // The newer event stored everything except title and summary.
    if (event === 'edited') await importAgain(app, ctx, pr.number)
    if (before && changesQueue(event, pr, before))
      await setQueued(ctx, pr, pr.head_sha === before.head_sha && isQueued(event, before, before))
    return
  }
  if (pr.is_open) {
    await linkPullRequestStack(ctx, pr, before)
    const is_untracked = await lacksActivity(ctx, pr.number)
    const plan = planOf(event, pr, { before, is_untracked })
    await updateActivities(app, ctx, pr, plan)
    const { assignee, is_by_newcomer, is_mergeable } = pr
    // What GitHub said of another head does not hold any more.
    const isKnown = is_mergeable !== null || plan.refresh?.files
    const merge = isKnown ? { conflicts_with_base: is_mergeable === false } : {}
    await describePullRequest(ctx, pr.number, { assignee, is_by_newcomer, closes: facts.closes, ...merge })
  }
  if (isEnd(event, pr, before)) await endActivities(ctx, pr)
  const { title, summary_hash } = pr
  const texts = TAKES_TITLE.has(event) ? { title, summary_hash } : {}
  await savePullRequest(db, repo.id, pr.number, { is_behind: false, ...texts })
  const is_queued = isQueued(event, pr, before)
  if (changesQueue(event, pr, before) || is_queued !== (before?.is_queued ?? false))
    await setQueued(ctx, pr, is_queued)
  if (!needsRecheck(event, facts, before)) return
  if (await isRecheckWaiting(ctx, await listLive(db, repo.id, { pr_number: pr.number }, now))) return
  const open = await listOpen(db, repo.id, { numbers: [pr.number] })
  await enqueueRecheck(ctx, open, event === 'seen' ? 'recheck' : 'live')
}

async function updateActivities(
  app: App,
  ctx: RepoContext,
  pr: GithubPullRequest,
  { link, track, refresh }: ActivityPlan,
): Promise<void> {
  const linked = link ? await linkPullRequest(ctx, pr) : []
  if (track && linked.length === 0) {
    if (!ctx.settings.track_pull_requests) return
    const changes = await readChanges(app, ctx, pr)
    if (changes) await trackPullRequest(ctx, pr, changes)
    return
  }
  if (refresh === null) return
  const { files, ...fields } = refresh
  const hasLive = files && (await listLive(ctx.db, ctx.repo.id, { pr_number: pr.number }, ctx.now)).length > 0
  const changes = hasLive ? await readChanges(app, ctx, pr) : undefined
  await refreshPullRequest(ctx, pr, { ...fields, changes: changes ?? null })
}

/** Closes a pull request that GitHub removed, as it does with those of a removed account. */
export async function pullRequestRemoved(ctx: RepoContext, number: number): Promise<void> {
  const { db, now, repo } = ctx
  const pr = await findPullRequest(db, repo.id, number)
  if (!pr?.is_open) return
  const ended = { is_fork: pr.branch.includes(':'), is_merged: false, merged_at: null, changed_at: now }
  await endActivities(ctx, { ...pr, ...ended })
  // GitHub may show it again, as it was.
  await savePullRequest(db, repo.id, number, { is_open: false, is_queued: false, is_behind: false })
}

/** Applies the deletion of a comment. Any other comment than the App's has no effect. */
export async function commentDeleted(
  ctx: RepoContext,
  { number, comment_id }: { number: number; comment_id: number },
): Promise<void> {
  const pr = await findPullRequest(ctx.db, ctx.repo.id, number)
  if (pr?.comment_id === comment_id) await forgetComment(ctx, number, ctx.now)
}

type EndedPullRequest = Pick<
  GithubPullRequest,
  'number' | 'branch' | 'base_branch' | 'is_fork' | 'is_merged' | 'merged_at' | 'changed_at'
>

/** Archives the activities of a pull request that was merged or closed, and enters the end in the ledger. */
async function endActivities(ctx: RepoContext, pr: EndedPullRequest): Promise<void> {
  const { number, is_merged } = pr
  const branch = pr.is_fork ? null : pr.branch
  const side = { key: pullRequestKey(number), branch, is_merged, at: pr.merged_at ?? pr.changed_at }
  const others = ctx.settings.comment.mode === 'off' ? [] : await recordEnd(ctx, side)
  if (pr.is_merged) {
    await keepMergedLink(ctx, pr)
    // The changed files are deleted with the activities.
    await keepLines(ctx, pr)
    await recheckBelow(ctx, pr)
  }
  await closePullRequest(ctx, pr, pr.is_merged)
  await enqueueRecheck(ctx, await listOpen(ctx.db, ctx.repo.id, { numbers: others }))
}

/** Keeps the lines of a merged pull request, by which the same work is recognized. Its activities are still live. */
async function keepLines(ctx: RepoContext, pr: EndedPullRequest): Promise<void> {
  const { db, now, repo, settings, caller } = ctx
  const files: FileChange[] = []
  for (const { id } of await listLive(db, repo.id, { pr_number: pr.number }, now))
    files.push(...(await listChangeSet(db, { repo_id: repo.id, activity_id: id, origin: 'pushed' })))
  const { noise } = rulesOf(settings, repo.noise_attributes, caller.meter.deadline())
  await keepMergedWork(ctx, pr, { files, noise })
}

/** Enqueues a recheck of this pull request and those that overlap with it: the order of the merges has changed. */
async function setQueued(
  ctx: RepoContext,
  { number, changed_at }: Pick<GithubPullRequest, 'number' | 'changed_at'>,
  is_queued: boolean,
): Promise<void> {
  await savePullRequest(ctx.db, ctx.repo.id, number, { is_queued, queue_changed_at: changed_at })
  await enqueueRechecks(ctx, await listLive(ctx.db, ctx.repo.id, { pr_number: number }, ctx.now))
}

async function lacksActivity({ db, repo, now }: RepoContext, number: number): Promise<boolean> {
  return (await listUntracked(db, repo.id, { numbers: [number], now })).length > 0
}

/** Reads the pull request from GitHub and imports it if it is open. */
export async function importAgain(app: App, ctx: RepoContext, number: number): Promise<void> {
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

function factsOf(pr: GithubPullRequest, repo: RepoContext['repo']): Facts {
  return { ...pr, closes: closedIssues(pr, repo), is_muted: pr.labels.includes(MUTE_LABEL) }
}
