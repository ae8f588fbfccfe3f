/** The moves that events at GitHub make: of pull requests, branches and pushes (contract §5, automatic moves). */
import { newId } from '../base/id.ts'
import { enqueueRechecks } from '../context/changes.ts'
import { inTransaction, type RepoContext } from '../context/repo.ts'
import { type Effect, recordEffect } from '../telemetry/execution.ts'
import type { ArchiveReason } from './activity.ts'
import { asOf, expiryAt, isClosed, isLive, statusWithPullRequest } from './lifecycle.ts'
import { listLiveOf, lockActivitiesOf, lockLiveOnBranch, lockPullRequest } from './pull-request-store.ts'
import { insertLive } from './room.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/** A pull request, as far as activities care. */
export interface PullRequest {
  number: number
  url: string
  title: string
  /** Its first paragraph is the summary of an activity that is made from it. */
  body: string
  author: string
  is_draft: boolean
  base_branch: string
  /** `owner:branch` when it lies in a fork: that is another branch than one of the same name here. */
  branch: string
  is_fork: boolean
}

/**
 * Ties a pull request that is open to its activities: to those with its `pr_url`, else to the live ones of its branch
 * that have none. Answers those that are live.
 */
export function linkPullRequest(ctx: RepoContext, pr: PullRequest): Promise<ActivityRow[]> {
  const linked = moveEach(ctx, pr, (row) => ({
    ...heartbeat(ctx, row),
    pr_url: pr.url,
    pr_number: pr.number,
    draft_pr: pr.is_draft,
    base_branch: pr.base_branch,
    status: statusWithPullRequest(row.status, pr.is_draft),
  }))
  return noted('linked', linked)
}

/**
 * Makes an activity of a pull request that has none. `paths` are its changed files. A job may run twice at once, when
 * the first run outlasts its lease: the second finds the activity of the first, and makes none.
 * None is made either where the repository has as many live activities as it may have.
 */
export function trackPullRequest(ctx: RepoContext, pr: PullRequest, paths: string[]): Promise<void> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo, settings } = within
    await lockPullRequest(db, repo.id, pr.number)
    if ((await listLiveOf(db, repo.id, pr.number, now)).length > 0) return
    const row: store.NewActivity = {
      repo_id: repo.id,
      id: newId('act'),
      title: clip(pr.title, 200) || `Pull request #${pr.number}`,
      summary: clip(firstParagraph(pr.body), 4000) || clip(pr.title, 4000) || `Pull request #${pr.number}`,
      actor: clip(pr.author, 100),
      agent: null,
      status: statusWithPullRequest('active', pr.is_draft),
      risk: 'low',
      branch: pr.branch,
      base_branch: pr.base_branch,
      scope: { areas: [], paths },
      scope_is_literal: true,
      pr_url: pr.url,
      pr_number: pr.number,
      draft_pr: pr.is_draft,
      blocking: false,
      source: 'pull_request',
      heartbeat_at: now,
      expires_at: expiryAt(now, now, settings),
      created_at: now,
      updated_at: now,
    }
    const inserted = await insertLive(within, row)
    if (inserted) await enqueueRechecks(within, [row.id])
    recordEffect(inserted ? 'tracked' : 'over_limit')
  })
}

/** What of a pull request its own activity takes over. */
export interface Refresh {
  title: boolean
  base_branch: boolean
  /** The changed files; null leaves the scope as it is. */
  paths: string[] | null
}

/** Counts an event as a heartbeat, and brings the activity that was made from the pull request up to date. Declared ones keep their words. */
export function refreshPullRequest(
  ctx: RepoContext,
  pr: PullRequest,
  { title, base_branch, paths }: Refresh,
): Promise<ActivityRow[]> {
  const refreshed = moveEach(ctx, pr, (row) => {
    if (row.source !== 'pull_request') return heartbeat(ctx, row)
    return {
      ...heartbeat(ctx, row),
      ...(title && { title: clip(pr.title, 200) || row.title }),
      ...(base_branch && { base_branch: pr.base_branch }),
      ...(paths && { scope: { areas: row.scope.areas, paths }, scope_is_literal: true }),
    }
  })
  return noted('refreshed', refreshed)
}

/** Archives the activities of a pull request that was merged, or closed without. */
export function closePullRequest(
  ctx: RepoContext,
  pr: Pick<PullRequest, 'number' | 'branch' | 'is_fork'>,
  merged: boolean,
): Promise<ActivityRow[]> {
  const reason = merged ? 'pull_request_merged' : 'pull_request_closed'
  const closed = moveEach(
    ctx,
    pr,
    (row) => archived(ctx, reason, merged ? (row.merged_at ?? ctx.now) : row.merged_at),
    isOpen,
  )
  return noted('archived', closed)
}

/** Archives the live activities of a branch that was deleted; those of a pull request end with that. */
export function deleteBranch(ctx: RepoContext, branch: string): Promise<ActivityRow[]> {
  const deleted = inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const rows = await lockActivitiesOf(db, repo.id, { branch, now })
    return change(within, rows, (row) => archived(ctx, 'branch_deleted', row.merged_at))
  })
  return noted('archived', deleted)
}

/** Notes a push as a sign of life of the branch's live activities. */
export function pushBranch(ctx: RepoContext, branch: string): Promise<ActivityRow[]> {
  const pushed = inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const rows = await lockLiveOnBranch(db, repo.id, branch, now)
    return change(within, rows, (row) => ({ ...heartbeat(ctx, row), branch_pushed: true }))
  })
  return noted('kept_alive', pushed)
}

/** Notes how many activities a move took in, once it is stored. */
async function noted(effect: Effect, moving: Promise<ActivityRow[]>): Promise<ActivityRow[]> {
  const rows = await moving
  recordEffect(effect, rows.length)
  return rows
}

type Move = (row: ActivityRow) => store.ActivityChanges

/** Moves the activities with the pull request's `pr_url`, else the live ones on its branch without any; by default those that are live. */
function moveEach(
  ctx: RepoContext,
  pr: Pick<PullRequest, 'number' | 'branch' | 'is_fork'>,
  move: Move,
  takesPart: (row: ActivityRow) => boolean = isLiveRow,
): Promise<ActivityRow[]> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    let rows = (await lockActivitiesOf(db, repo.id, { pr_number: pr.number })).map((row) => asOf(row, now))
    const isNone = !rows.some(isOpen)
    if (isNone && !pr.is_fork) rows = await lockActivitiesOf(db, repo.id, { branch: pr.branch, now })
    return change(within, rows.filter(takesPart), move)
  })
}

async function change(ctx: RepoContext, rows: ActivityRow[], move: Move): Promise<ActivityRow[]> {
  const { db, now } = ctx
  const changed: ActivityRow[] = []
  for (const row of rows) changed.push(await store.updateActivity(db, row, { ...move(row), updated_at: now }))
  const before = new Map(rows.map((row) => [row.id, row]))
  const seen = changed.filter((row) => isSeenByOthers(before.get(row.id) as ActivityRow, row))
  await enqueueRechecks(
    ctx,
    seen.map((row) => row.id),
  )
  return changed
}

/** A heartbeat alone changes nothing that anybody is told. */
function isSeenByOthers(before: ActivityRow, after: ActivityRow): boolean {
  const seen = ({ status, title, branch, base_branch, pr_number, draft_pr, scope }: ActivityRow) =>
    JSON.stringify([status, title, branch, base_branch, pr_number, draft_pr, scope])
  return seen(before) !== seen(after)
}

function heartbeat({ now, settings }: RepoContext, row: ActivityRow): store.ActivityChanges {
  return { heartbeat_at: now, expires_at: expiryAt(now, row.created_at, settings, row.expires_at) }
}

function archived(
  { now }: RepoContext,
  reason: ArchiveReason,
  merged_at: Date | null,
): store.ActivityChanges {
  return { status: 'archived', archived_at: now, archive_reason: reason, merged_at }
}

function isLiveRow(row: ActivityRow): boolean {
  return isLive(row.status)
}

function isOpen(row: ActivityRow): boolean {
  return !isClosed(row.status)
}

function firstParagraph(body: string): string {
  const [paragraph = ''] = body.trim().split(/\r?\n\s*\r?\n/)
  return paragraph
}

/** At most `length` characters, none of them NUL or half of a pair, which the database or JSON would not take. */
function clip(text: string, length: number): string {
  return [...text.replaceAll('\u0000', '').toWellFormed().trim()].slice(0, length).join('')
}
