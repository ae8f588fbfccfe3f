/** Create, retrieve, list, update, heartbeat and archive activities. */

import type { FileChange } from '../../engine/lines/change.ts'
import { listedOf } from '../../engine/records/activity-form.ts'
import {
  asOf,
  canTransition,
  expiryAt,
  TRANSITIONS,
  withOwnTtl,
} from '../../engine/records/activity-lifecycle.ts'
import { changedFileOf, digestChanges, keepMigrations } from '../../engine/records/digest-changes.ts'
import { isClosed, isLive } from '../../vocabulary/activity-status.ts'
import { later } from '../../vocabulary/clock.ts'
import type {
  CreateActivity,
  ListActivities,
  ListedActivity,
  UpdateActivity,
} from '../../vocabulary/contract/activity.ts'
import { newId } from '../../vocabulary/contract/id.ts'
import type { Page } from '../../vocabulary/contract/pagination.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { readPage } from '../base/lists.ts'
import { changesAnything, changing, enqueueRechecks } from '../changes/changes.ts'
import { readLineHasher } from '../repositories/line-key.ts'
import { tooManyLive } from '../repositories/live-limit.ts'
import { inTransaction, type OpenedRepo, type RepoContext } from '../repositories/repo.ts'
import { declareChanges, deletePushed } from './activity-files.ts'
import { changesMore } from './automatic.ts'
import { insertLive } from './live-insert.ts'
import { pullRequestNumber } from './pull-request-url.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/**
 * Creates an activity. Throws `validation_error` for a `pr_url` of another repository or an unreadable patch,
 * `rate_limited` at the limit of live activities.
 */
export async function createActivity(ctx: RepoContext, input: CreateActivity): Promise<ActivityRow> {
  const { now, repo, settings, caller } = ctx
  const { changes, ...scope } = input.scope
  const files = await digestChanges(caller.meter, changes, () => readLineHasher(ctx))
  const hasOwnTtl = input.ttl_ms !== null && input.pr_url === null
  const ttl = withOwnTtl(settings, hasOwnTtl ? input.ttl_ms : null)
  const row: store.NewActivity = {
    ...input,
    scope,
    changed_files: files.map(changedFileOf),
    repo_id: repo.id,
    id: newId('act'),
    status: 'active',
    source: 'api',
    pr_number: input.pr_url === null ? null : pullRequestNumber(ctx, input.pr_url),
    created_by: caller.identity?.login ?? null,
    expires_at: expiryAt(now, now, ttl),
    ttl_ms: hasOwnTtl ? ttl.activity_ttl_ms : null,
    declared_at: now,
    created_at: now,
    updated_at: now,
  }
  return changing(ctx, async (within) => {
    const inserted = await insertLive(within, row, files)
    if (!inserted) throw tooManyLive(ctx.repo.max_live.activities, 'live activities')
    return inserted
  })
}

/** The activity as of now. Throws `not_found`. */
export async function getActivity(ctx: OpenedRepo, id: string): Promise<ActivityRow> {
  const row = await store.findActivity(ctx.db, ctx.repo.id, id)
  if (!row) throw noSuchActivity(id)
  return asOf(row, ctx.now)
}

/** A page of activities, newest first. Archived and expired ones only if `status` selects them. */
export async function listActivities(ctx: RepoContext, input: ListActivities): Promise<Page<ListedActivity>> {
  const { db, now, repo } = ctx
  const { cursor, limit, ...filter } = input
  return readPage(
    { cursor, limit },
    (page) => store.listActivities(db, repo.id, filter, { now, ...page }),
    (row) => listedOf(asOf(row, now)),
  )
}

/**
 * Updates the given fields. An update without a difference keeps `updated_at`. Throws `not_found`, `validation_error`
 * (`pr_url`), `invalid_transition`.
 */
export function updateActivity(ctx: RepoContext, id: string, input: UpdateActivity): Promise<ActivityRow> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo, settings } = within
    const stored = await store.lockActivity(db, repo.id, id)
    if (!stored) throw noSuchActivity(id)
    const row = asOf(stored, now)
    const { heartbeat, status = row.status, scope, ...fields } = input
    const changes: store.ActivityChanges = { ...fields }
    if (fields.pr_url === null && row.source === 'pull_request') throw madeFromPullRequest(row)
    if (fields.pr_url !== undefined)
      changes.pr_number = fields.pr_url === null ? null : pullRequestNumber(ctx, fields.pr_url)
    const files =
      scope &&
      keepMigrations(
        await digestChanges(within.caller.meter, scope.changes, () => readLineHasher(within)),
        row.changed_files,
      )
    if (!canTransition(row.status, status)) throw illegalTransition(row, status)
    if (scope && files) Object.assign(changes, scopeFields(scope, files, fields.base_sha))
    if (status !== row.status) Object.assign(changes, transitionTo(ctx, status))
    if (heartbeat) {
      if (!isLive(row.status)) throw notLive(row)
      changes.heartbeat_at = now
      changes.expires_at = expiryAt(now, row.created_at, withOwnTtl(settings, row.ttl_ms), row.expires_at)
    }
    if (row.ttl_ms !== null && changes.pr_number != null) {
      changes.ttl_ms = null
      changes.expires_at = expiryAt(now, row.created_at, settings, row.expires_at)
    }
    const hasOtherPullRequest = changes.pr_number !== undefined && changes.pr_number !== row.pr_number
    if (hasOtherPullRequest) Object.assign(changes, await deletePushed(within, row))
    const hasNewLines = files && isLive(row.status) ? await declareChanges(within, row, files) : false
    if (!changesAnything(row, changes) && !hasNewLines) return row
    const isChanged = changesMore(row, changes) || hasNewLines
    const declared = scope && { declared_at: now }
    const updated = await store.updateActivity(db, stored, {
      ...changes,
      ...declared,
      ...(isChanged && { updated_at: now }),
    })
    if (isChanged) await enqueueRechecks(within, [id])
    return updated
  })
}

/** Records a heartbeat and extends the time to live, which keeps `updated_at`. Throws `not_found`, `invalid_transition`. */
export async function heartbeatActivity(ctx: RepoContext, id: string): Promise<ActivityRow> {
  const { db, now, repo, settings } = ctx
  const extended = await store.extendActivity(db, repo.id, id, {
    now,
    ttl_ms: settings.activity_ttl_ms,
    max_ttl_ms: settings.max_activity_ttl_ms,
  })
  if (!extended) throw notLive(await getActivity(ctx, id))
  return extended
}

/** Archives the activity. An archived one is returned unchanged. Throws `not_found`. */
export function archiveActivity(ctx: RepoContext, id: string): Promise<ActivityRow> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    const stored = await store.lockActivity(db, repo.id, id)
    if (!stored) throw noSuchActivity(id)
    const row = asOf(stored, now)
    if (row.status === 'archived') return row
    const archived = { ...transitionTo(ctx, 'archived'), updated_at: now }
    const updated = await store.updateActivity(db, stored, archived)
    await enqueueRechecks(within, [id])
    return updated
  })
}

/** Whether a draft pull request should be opened, so that others see the work. */
export function isReminderDue({ now, settings }: RepoContext, row: ActivityRow): boolean {
  const isOld = later(row.created_at, settings.pr_reminder_after_ms) < now
  return isLive(row.status) && row.branch !== null && row.pr_url === null && isOld
}

/** All fields that change when the caller sets `scope`. A `base_sha` that is not sent becomes null. */
function scopeFields(
  { areas, paths }: UpdateActivity['scope'] & object,
  files: readonly FileChange[],
  base_sha: string | null = null,
): store.ActivityChanges {
  return {
    scope: { areas, paths },
    scope_is_literal: false,
    changed_files: files.map(changedFileOf),
    base_sha,
  }
}

/** All fields that change when the caller sets `status`. */
function transitionTo({ now, caller }: RepoContext, status: ActivityRow['status']): store.ActivityChanges {
  if (status === 'archived') {
    const archived_by = caller.identity?.login ?? null
    return { status, archived_at: now, archive_reason: 'requested', archived_by }
  }
  if (status === 'merged') return { status, merged_at: now }
  return { status }
}

function noSuchActivity(id: string): Failure {
  return new Failure('not_found', `no activity ${id} in this repository; it may have been purged`)
}

function madeFromPullRequest({ pr_url }: ActivityRow): Failure {
  return new Failure(
    'validation_error',
    `pr_url: cannot be null, because the activity was made from ${pr_url}; archive the activity, or create one of your own`,
    { param: 'pr_url' },
  )
}

function illegalTransition(row: ActivityRow, status: ActivityRow['status']): Failure {
  if (isClosed(row.status)) return notLive(row)
  const allowed = TRANSITIONS[row.status].join(', ')
  return new Failure(
    'invalid_transition',
    `status: cannot change from ${row.status} to ${status}; allowed: ${allowed}`,
    { param: 'status' },
  )
}

/** The error of an operation that only a live activity accepts. */
export function notLive(row: ActivityRow): Failure {
  const advice = isClosed(row.status)
    ? 'create a new activity to continue'
    : 'only a live activity accepts this'
  return new Failure('invalid_transition', `the activity is ${row.status}; ${advice}`)
}
