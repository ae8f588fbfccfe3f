/** Create, retrieve, list, update, heartbeat and archive activities, with their changed files: those that were declared, and those that GitHub lists. */

import { isDeepStrictEqual } from 'node:util'
import {
  type ChangeOrigin,
  changedFileOf,
  digestChanges,
  type FileChange,
  keepStored,
} from '../../../engine/lines/change.ts'
import { lineHasher } from '../../../engine/lines/line-hash.ts'
import { changesAnything, isHeartbeat, listedOf } from '../../../engine/records/activity.ts'
import {
  type ActivityContext,
  asOf,
  changesOf,
  heartbeat,
  newActivity,
  notLive,
  transitionTo,
} from '../../../engine/records/activity-lifecycle.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import { inTurns, later, type Steps } from '../../../vocabulary/clock.ts'
import type {
  CreateActivity,
  ListActivities,
  ListedActivity,
  UpdateActivity,
} from '../../../vocabulary/contract/activity.ts'
import { type Page, readPage } from '../../../vocabulary/contract/pagination.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { enqueueRechecks, insertLive } from '../changes/changes.ts'
import { listChangeSet, replaceFileChanges } from '../file-changes/store.ts'
import { tooManyLive } from '../live-sets/store.ts'
import { inTransaction, type OpenedRepo, type RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import { expireActivities } from './sweep-store.ts'
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
  return asOf(existing(await store.findActivity(ctx.db, ctx.repo.id, id), id), ctx.now)
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
      keepStored(
        await digestChanges(within.caller.meter, scope.changes, lineHasher(within.repo.line_key)),
        row.changed_files,
      )
    const changes: store.ActivityChanges = changesOf(activityContext(within), row, { input, files })
    const hasOtherPullRequest = changes.pr_number !== undefined && changes.pr_number !== row.pr_number
    if (hasOtherPullRequest) Object.assign(changes, await deletePushed(within, row))
    const hasNewLines =
      files && isLive(row.status) && (await saveFiles(within, row, { origin: 'declared', files }))
    if (!changesAnything(row, changes) && !hasNewLines) return row
    const isChanged = !isHeartbeat(row, changes) || hasNewLines
    const times = isChanged && { updated_at: now, ...(scope && { declared_at: now }) }
    const updated = await store.updateActivity(db, stored, { ...changes, ...times })
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
  return existing(await store.lockActivity(db, repo.id, id), id)
}

function existing(row: ActivityRow | undefined, id: string): ActivityRow {
  if (row) return row
  throw new Failure('not_found', `no activity ${id} in this repository; it may have been purged`)
}

function activityContext({ now, settings, repo, caller }: RepoContext): ActivityContext {
  return { now, settings, repo, login: caller.identity?.login ?? null }
}

/** Inserts a live activity with its changed files in the transaction of `within`; undefined when the repository is at its limit. */
export function insertActivity(
  within: RepoContext,
  row: store.NewActivity,
  files: readonly FileChange[],
): Promise<ActivityRow | undefined> {
  return insertLive(within, {
    counted: 'activities',
    insert: (version) => store.insertActivity(within.db, { row, files }, version),
    expire: expireActivities,
  })
}

/** Stores the files of one origin of an activity, which the transaction of `within` has locked; false if they are stored already. */
export async function saveFiles(
  { db, repo }: RepoContext,
  row: ActivityRow,
  { origin, files }: { origin: ChangeOrigin; files: readonly FileChange[] },
): Promise<boolean> {
  const before = origin === 'declared' ? row.changed_files : (row.pushed_files ?? [])
  if (before.length + files.length === 0) return false
  const set = { repo_id: repo.id, activity_id: row.id, origin }
  const stored = await listChangeSet(db, set)
  const next = keepStored(files, stored)
  if (await inTurns(areSame(stored, next.map(withoutDerived)))) return false
  await replaceFileChanges(db, set, next)
  return true
}

function* areSame(stored: readonly FileChange[], next: readonly FileChange[]): Steps<boolean> {
  if (stored.length !== next.length) return false
  for (const [index, file] of stored.entries()) {
    if (!isDeepStrictEqual(file, next[index])) return false
    yield
  }
  return true
}

/** The changed files of a pull request or branch. */
export interface PushedChanges {
  files: readonly FileChange[]
  /** The commit that the patches start from; null if unknown. */
  base_sha: string | null
  /** False if GitHub cut the list of files. */
  is_complete: boolean
}

/**
 * Stores the files that GitHub lists for a live activity, which the transaction of `within` has locked. The declared scope is not
 * changed. Returns the fields that change with them; null if the activity has these files already.
 */
export async function savePushed(
  within: RepoContext,
  row: ActivityRow,
  changes: PushedChanges,
): Promise<store.ActivityChanges | null> {
  const { files, base_sha, is_complete } = changes
  const hasOthers = await saveFiles(within, row, { origin: 'pushed', files })
  const isKnown =
    row.pushed_files !== null && row.pushed_base_sha === base_sha && row.changes_complete === is_complete
  return hasOthers || !isKnown ? pushedFieldsOf(changes) : null
}

/** The fields of an activity with these files. */
export function pushedFieldsOf({ files, base_sha, is_complete }: PushedChanges): store.ActivityChanges {
  return { pushed_files: files.map(changedFileOf), pushed_base_sha: base_sha, changes_complete: is_complete }
}

/** Deletes what GitHub says about the pull request, because the activity has another one now, or none. */
export async function deletePushed(
  { db, repo }: RepoContext,
  { id: activity_id }: ActivityRow,
): Promise<store.ActivityChanges> {
  await replaceFileChanges(db, { repo_id: repo.id, activity_id, origin: 'pushed' }, [])
  return {
    pushed_files: null,
    pushed_base_sha: null,
    changes_complete: true,
    assignee: null,
    is_by_newcomer: false,
    conflicts_with_base: false,
    closes: null,
  }
}

/** The change as it is stored with its digest, from which the migration follows. */
function withoutDerived({ migration: _, manifest: __, ...file }: FileChange): FileChange {
  return file
}
