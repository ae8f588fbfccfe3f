/** Applies events of pull requests to activities (docs/contract/activities.md#pull-requests). */

import { changesAnything, distinctNames, isHeartbeat } from '../../../engine/records/activity.ts'
import {
  archived,
  asOf,
  firstExpiry,
  heartbeat,
  statusWithPullRequest,
} from '../../../engine/records/activity-lifecycle.ts'
import { isClosed, isLive } from '../../../vocabulary/activity-status.ts'
import { newId } from '../../../vocabulary/contract/field.ts'
import { clip, type GithubPullRequest, pullRequestFields } from '../../github/pull-request.ts'
import { type Effect, recordEffect } from '../../platform/telemetry/execution.ts'
import { enqueueRechecks } from '../changes/changes.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { insertActivity, type PushedChanges, pushedFieldsOf, savePushed } from './activities.ts'
import {
  extendTracked,
  listLive,
  lockActivitiesOf,
  lockLiveOnBranch,
  lockOrigin,
} from './pull-request-store.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/**
 * Links an open pull request to its activities: those with its `pr_url`, else the live ones on its branch that have no
 * `pr_url`. An activity of source `branch` becomes one of source `pull_request`. Returns the linked live activities.
 */
export function linkPullRequest(ctx: RepoContext, pr: GithubPullRequest): Promise<ActivityRow[]> {
  const update = (row: ActivityRow) => ({
    ...heartbeat(ctx, { ...row, ttl_ms: null }),
    ttl_ms: null,
    ...(row.source === 'branch' && pullRequestFields(pr, ctx.repo)),
    pr_url: pr.url,
    pr_number: pr.number,
    draft_pr: pr.is_draft,
    base_branch: pr.base_branch,
    status: statusWithPullRequest(row.status, pr.is_draft),
  })
  return updateEach(ctx, pr, { effect: 'linked', update })
}

/**
 * Creates the activity of a pull request that has none, unless the repository is at its limit. If a job outlives its
 * lease, it can run twice at once; the second run then finds the activity of the first.
 */
export function trackPullRequest(
  ctx: RepoContext,
  pr: GithubPullRequest,
  changes: PushedChanges,
): Promise<void> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await lockOrigin(db, repo.id, { pull_request: pr.number })
    if ((await listLive(db, repo.id, { pr_number: pr.number }, now)).length > 0) return
    const { number: pr_number, url: pr_url, is_draft, branch, base_branch, assignee, is_by_newcomer } = pr
    await insertTracked(
      within,
      {
        ...pullRequestFields(pr, repo),
        actor: clip(pr.author, 100),
        status: statusWithPullRequest('active', is_draft),
        ...{ branch, base_branch, pr_url, pr_number, draft_pr: is_draft, assignee, is_by_newcomer },
      },
      changes,
    )
  })
}

/** Inserts the activity that pushed work gets, unless the repository is at its limit. */
export async function insertTracked(
  within: RepoContext,
  fields: Pick<store.NewActivity, 'source' | 'title' | 'summary' | 'actor'> & store.ActivityChanges,
  changes: PushedChanges,
): Promise<void> {
  const { now, repo, settings } = within
  const row: store.NewActivity = {
    repo_id: repo.id,
    id: newId('act', now),
    status: 'active',
    risk: 'low',
    blocking: false,
    draft_pr: false,
    scope: { areas: [], paths: distinctNames(changes.files) },
    scope_is_literal: true,
    ...pushedFieldsOf(changes),
    heartbeat_at: now,
    expires_at: firstExpiry(now, settings),
    created_at: now,
    updated_at: now,
    ...fields,
  }
  const inserted = await insertActivity(within, row, changes.files)
  recordEffect(inserted ? 'tracked' : 'over_limit')
}

/** Stores with the open activities of a pull request who is assigned to it, which issues it closes and whether it can be merged. */
export async function describePullRequest(
  ctx: RepoContext,
  number: number,
  described: Partial<Pick<ActivityRow, 'assignee' | 'is_by_newcomer' | 'conflicts_with_base' | 'closes'>>,
): Promise<void> {
  await inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const open = await lockActivitiesOf(db, repo.id, number)
    const outdated = open.filter((row) => changesAnything(row, described))
    for (const row of outdated) await store.updateActivity(db, row, { ...described, updated_at: now })
    await enqueueRechecks(within, outdated)
  })
}

/** Which fields of a tracked activity to update from its pull request. */
export interface Refresh {
  title: boolean
  summary: boolean
  base_branch: boolean
  /** The changed files; null keeps them. */
  changes: PushedChanges | null
}

/**
 * Treats an event as a heartbeat, stores the changed files, and updates activities of source `pull_request`. Declared
 * activities keep their fields.
 */
export function refreshPullRequest(
  ctx: RepoContext,
  pr: GithubPullRequest,
  { title, summary, base_branch, changes }: Refresh,
): Promise<ActivityRow[]> {
  const update = (row: ActivityRow) => {
    if (row.source !== 'pull_request') return heartbeat(ctx, row)
    return {
      ...heartbeat(ctx, row),
      ...(title && { title: clip(pr.title, 200) || row.title }),
      ...(summary && { summary: pr.summary }),
      ...(base_branch && { base_branch: pr.base_branch }),
      ...(changes && {
        scope: { areas: row.scope.areas, paths: distinctNames(changes.files) },
        scope_is_literal: true,
      }),
    }
  }
  return updateEach(ctx, pr, { effect: 'refreshed', update, changes })
}

/** Stores the changed files of a pull request with its live activities. */
export function replaceChangesOf(ctx: RepoContext, pr: LinkedPullRequest, changes: PushedChanges) {
  return updateEach(ctx, pr, { effect: 'refreshed', update: () => ({}), changes })
}

/** Counts it as a heartbeat of the activities that were made from them that these pull requests are open. */
export function keepTracked(ctx: RepoContext, numbers: number[]): Promise<void> {
  return inTransaction(ctx, async ({ db, now, repo }) => {
    const kept = await extendTracked(db, repo.id, { numbers, now }, (row) => heartbeat(ctx, row))
    recordEffect('kept_alive', kept)
  })
}

/** Archives the activities of a pull request that was merged or closed. */
export function closePullRequest(
  ctx: RepoContext,
  pr: LinkedPullRequest,
  merged: boolean,
): Promise<ActivityRow[]> {
  const reason = merged ? 'pull_request_merged' : 'pull_request_closed'
  return updateEach(ctx, pr, {
    effect: 'archived',
    update: (row) => archived(ctx, reason, merged ? (row.merged_at ?? ctx.now) : row.merged_at),
    isAffected: isOpen,
  })
}

type LinkedPullRequest = Pick<GithubPullRequest, 'number' | 'branch' | 'is_fork'>

interface Update {
  effect: Effect
  update: (row: ActivityRow) => store.ActivityChanges
  /** The changed files; null keeps them. */
  changes?: PushedChanges | null
}

/**
 * Updates the activities of the pull request, else the live ones on its branch that have no pull request. `isAffected`:
 * which of them to update; live ones by default.
 */
function updateEach(
  ctx: RepoContext,
  pr: LinkedPullRequest,
  {
    isAffected = ({ status }) => isLive(status),
    ...given
  }: Update & { isAffected?: (row: ActivityRow) => boolean },
): Promise<ActivityRow[]> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    let rows: ActivityRow[] = (await lockActivitiesOf(db, repo.id, pr.number)).map((row) => asOf(row, now))
    const hasNone = !rows.some(isOpen)
    if (hasNone && !pr.is_fork)
      rows = (await lockLiveOnBranch(db, repo.id, pr.branch, now)).filter(isUnlinked)
    return updateRows(within, rows.filter(isAffected), given)
  })
}

/** Updates activities that the transaction of `within` has locked, counts them as `effect`, and enqueues one recheck for each that changed visibly. */
export async function updateRows(
  within: RepoContext,
  rows: ActivityRow[],
  { effect, update, changes = null }: Update,
): Promise<ActivityRow[]> {
  const { db, now } = within
  const updated: ActivityRow[] = []
  const changed: ActivityRow[] = []
  for (const row of rows) {
    const pushed = changes && (await savePushed(within, row, changes))
    const fields = { ...update(row), ...pushed }
    // That it was pushed keeps it alive; what a push changes are its files.
    const { declared_at: _, branch_pushed: __, ...shown } = fields
    const updated_at = isHeartbeat(row, shown) ? row.updated_at : now
    const after = await store.updateActivity(db, row, { ...fields, updated_at })
    if (pushed || hasVisibleChange(row, after)) changed.push(row)
    updated.push(after)
  }
  await enqueueRechecks(within, changed)
  recordEffect(effect, updated.length)
  return updated
}

/** Whether a field that people see has changed. A heartbeat changes none. */
function hasVisibleChange(before: ActivityRow, after: ActivityRow): boolean {
  const { status, title, summary, branch, base_branch, pr_number, draft_pr, scope } = after
  return changesAnything(before, { status, title, summary, branch, base_branch, pr_number, draft_pr, scope })
}

function isOpen({ status }: ActivityRow): boolean {
  return !isClosed(status)
}

/** Whether it has no pull request. */
export function isUnlinked({ pr_number }: ActivityRow): boolean {
  return pr_number === null
}
