/** Create, retrieve, list, update, heartbeat and archive activities. */

import { digestChanges, keepDerived } from '../../../engine/lines/change.ts'
import { lineHasher } from '../../../engine/lines/line-hash.ts'
import { listedOf } from '../../../engine/records/activity.ts'
import { asOf } from '../../../engine/records/activity-lifecycle.ts'
import {
  type ActivityContext,
  changesOf,
  heartbeat,
  newActivity,
  notLive,
  transitionTo,
} from '../../../engine/records/activity-verbs.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import { later } from '../../../vocabulary/clock.ts'
import type {
  CreateActivity,
  ListActivities,
  ListedActivity,
  UpdateActivity,
} from '../../../vocabulary/contract/activity.ts'
import type { Page } from '../../../vocabulary/contract/pagination.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { readPage } from '../../platform/lists.ts'
import { changesAnything, enqueueRechecks } from '../changes/changes.ts'
import { tooManyLive } from '../live-sets/store.ts'
import { inTransaction, type OpenedRepo, type RepoContext } from '../repositories/repo.ts'
import { deletePushed, insertActivity, saveFiles } from './activity-files.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/**
 * Creates an activity. Throws `validation_error` for a `pr_url` of another repository or an unreadable patch,
 * `rate_limited` at the limit of live activities.
 */
export async function createActivity(ctx: RepoContext, input: CreateActivity): Promise<ActivityRow> {
  const { repo, caller } = ctx
  const files = await digestChanges(caller.meter, input.scope.changes, lineHasher(repo.line_key))
  const row: store.NewActivity = { ...newActivity(activityContext(ctx), input, files), repo_id: repo.id }
  return inTransaction(ctx, async (within) => {
    const inserted = await insertActivity(within, row, files)
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
    const { db, now } = within
    const stored = await lockStored(within, id)
    const row = asOf(stored, now)
    const { scope } = input
    const files =
      scope &&
      keepDerived(
        await digestChanges(within.caller.meter, scope.changes, lineHasher(within.repo.line_key)),
        row.changed_files,
      )
    const changes: store.ActivityChanges = changesOf(activityContext(within), row, { input, files })
    const hasOtherPullRequest = changes.pr_number !== undefined && changes.pr_number !== row.pr_number
    if (hasOtherPullRequest) Object.assign(changes, await deletePushed(within, row))
    const hasNewLines =
      files && isLive(row.status) && (await saveFiles(within, row, { origin: 'declared', files }))
    if (!changesAnything(row, changes) && !hasNewLines) return row
    const isChanged = !store.isHeartbeat(row, changes) || hasNewLines
    const declared = scope && { declared_at: now }
    const updated = await store.updateActivity(db, stored, {
      ...changes,
      ...declared,
      ...(isChanged && { updated_at: now }),
    })
    if (isChanged) await enqueueRechecks(within, [updated])
    return updated
  })
}

/** Records a heartbeat and extends the time to live, which keeps `updated_at`. Throws `not_found`, `invalid_transition`. */
export function heartbeatActivity(ctx: RepoContext, id: string): Promise<ActivityRow> {
  return inTransaction(ctx, async (within) => {
    const row = asOf(await lockStored(within, id), within.now)
    if (!isLive(row.status)) throw notLive(row)
    return store.updateActivity(within.db, row, heartbeat(within, row))
  })
}

/** Archives the activity. An archived one is returned unchanged. Throws `not_found`. */
export function archiveActivity(ctx: RepoContext, id: string): Promise<ActivityRow> {
  return inTransaction(ctx, async (within) => {
    const { db, now } = within
    const stored = await lockStored(within, id)
    const row = asOf(stored, now)
    if (row.status === 'archived') return row
    const archived = { ...transitionTo(activityContext(ctx), 'archived'), updated_at: now }
    const updated = await store.updateActivity(db, stored, archived)
    await enqueueRechecks(within, [updated])
    return updated
  })
}

/** Whether a draft pull request should be opened, so that others see the work. */
export function isReminderDue({ now, settings }: RepoContext, row: ActivityRow): boolean {
  const isOld = later(row.created_at, settings.pr_reminder_after_ms) < now
  return isLive(row.status) && row.branch !== null && row.pr_url === null && isOld
}

async function lockStored({ db, repo }: RepoContext, id: string): Promise<ActivityRow> {
  const row = await store.lockActivity(db, repo.id, id)
  if (!row) throw noSuchActivity(id)
  return row
}

function noSuchActivity(id: string): Failure {
  return new Failure('not_found', `no activity ${id} in this repository; it may have been purged`)
}

function activityContext({ now, settings, repo, caller }: RepoContext): ActivityContext {
  return { now, settings, repo, login: caller.identity?.login ?? null }
}
