/** What a create and an update make of an activity (docs/contract/activities.md). Pure. */
import { isClosed, isLive } from '../../vocabulary/activity-status.ts'
import type {
  ActivityStatus,
  ArchiveReason,
  CreateActivity,
  UpdateActivity,
} from '../../vocabulary/contract/activity.ts'
import { newId } from '../../vocabulary/contract/field.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { changedFileOf, type FileChange } from '../lines/change.ts'
import type { StoredActivity } from './activity.ts'
import { canTransition, expiryAt, firstExpiry, type Lived, TRANSITIONS } from './activity-lifecycle.ts'

export interface ActivityContext {
  now: Date
  settings: Pick<Settings, 'activity_ttl_ms' | 'max_activity_ttl_ms'>
  repo: { web_urls: readonly string[] }
  /** Of the caller; null if it is not known. */
  login: string | null
}

export type ActivityChanges = Partial<StoredActivity>

/** The activity that a create makes. `files`: its `scope.changes`. Throws `validation_error` (`pr_url`). */
export function newActivity(context: ActivityContext, input: CreateActivity, files: readonly FileChange[]) {
  const { now, settings, login } = context
  const { changes: _, ...scope } = input.scope
  const hasOwnTtl = input.ttl_ms !== null && input.pr_url === null
  const ttl_ms = hasOwnTtl ? Math.min(input.ttl_ms as number, settings.activity_ttl_ms) : null
  return {
    ...input,
    scope,
    changed_files: files.map(changedFileOf),
    id: newId('act', now),
    status: 'active' as const,
    source: 'api' as const,
    pr_number: input.pr_url === null ? null : pullRequestNumber(context, input.pr_url),
    created_by: login,
    expires_at: firstExpiry(now, settings, ttl_ms),
    ttl_ms,
    declared_at: now,
    created_at: now,
    updated_at: now,
  }
}

/**
 * The fields that an update changes, whether or not they have these values already. `files`: its `scope.changes`. Throws
 * `validation_error` (`pr_url`), `invalid_transition`.
 */
export function changesOf(
  context: ActivityContext,
  row: StoredActivity,
  { input, files }: { input: UpdateActivity; files: readonly FileChange[] | undefined },
): ActivityChanges {
  const { now, settings } = context
  const { heartbeat, status = row.status, scope, ...fields } = input
  const changes: ActivityChanges = { ...fields }
  if (fields.pr_url === null && row.source === 'pull_request') throw madeFromPullRequest(row)
  if (fields.pr_url !== undefined)
    changes.pr_number = fields.pr_url === null ? null : pullRequestNumber(context, fields.pr_url)
  if (!canTransition(row.status, status)) throw illegalTransition(row, status)
  if (scope && files) Object.assign(changes, scopeFields(scope, files, fields.base_sha))
  if (status !== row.status) Object.assign(changes, transitionTo(context, status))
  if (heartbeat && !isLive(row.status)) throw notLive(row)
  if (heartbeat) changes.heartbeat_at = now
  const ttl_ms = changes.pr_number == null ? row.ttl_ms : null
  if (ttl_ms !== row.ttl_ms) changes.ttl_ms = null
  const isOtherLife = ttl_ms !== row.ttl_ms || (row.status === 'paused') !== (status === 'paused')
  const life = { now, before: row, is_changed: scope !== undefined }
  if (heartbeat || (isOtherLife && !isClosed(status)))
    changes.expires_at = expiryAt({ ...row, status, ttl_ms }, settings, life)
  return changes
}

/** The fields that a heartbeat changes, or with `is_changed` a push. */
export function heartbeat(
  { now, settings }: Pick<ActivityContext, 'now' | 'settings'>,
  row: Lived & Pick<StoredActivity, 'expires_at'>,
  is_changed = false,
): Pick<StoredActivity, 'heartbeat_at' | 'expires_at'> {
  return { heartbeat_at: now, expires_at: expiryAt(row, settings, { now, before: row, is_changed }) }
}

/** The fields that archiving by an event changes. */
export function archived(
  { now }: Pick<ActivityContext, 'now'>,
  reason: ArchiveReason,
  merged_at: Date | null,
): ActivityChanges {
  return { status: 'archived', archived_at: now, archive_reason: reason, merged_at }
}

/** All fields that change when the caller sets `scope`. A `base_sha` that is not sent becomes null. */
function scopeFields(
  { areas, paths }: UpdateActivity['scope'] & object,
  files: readonly FileChange[],
  base_sha: string | null = null,
): ActivityChanges {
  return {
    scope: { areas, paths },
    scope_is_literal: false,
    changed_files: files.map(changedFileOf),
    base_sha,
  }
}

/** All fields that change when the caller sets `status`. */
export function transitionTo(
  { now, login: archived_by }: ActivityContext,
  status: ActivityStatus,
): ActivityChanges {
  if (status === 'archived') {
    return { status, archived_at: now, archive_reason: 'requested', archived_by }
  }
  if (status === 'merged') return { status, merged_at: now }
  return { status }
}

function madeFromPullRequest({ pr_url }: StoredActivity): Failure {
  return new Failure(
    'validation_error',
    `pr_url: cannot be null, because the activity was made from ${pr_url}; archive the activity, or create one of your own`,
    { param: 'pr_url' },
  )
}

function illegalTransition(row: StoredActivity, status: StoredActivity['status']): Failure {
  if (isClosed(row.status)) return notLive(row)
  const allowed = TRANSITIONS[row.status].join(', ')
  return new Failure(
    'invalid_transition',
    `status: cannot change from ${row.status} to ${status}; allowed: ${allowed}`,
    { param: 'status' },
  )
}

/** The error of an operation that only a live activity accepts. */
export function notLive(row: StoredActivity): Failure {
  const advice = isClosed(row.status)
    ? 'create a new activity to continue'
    : 'only a live activity accepts this'
  return new Failure('invalid_transition', `the activity is ${row.status}; ${advice}`)
}

const NUMBER_MAX = 2_147_483_647

/**
 * The number in `url`, which must be `{GITHUB_WEB_URL}/{owner}/{repo}/pull/{number}` with the current or requested name of
 * the context's repository. Throws `validation_error`.
 */
export function pullRequestNumber(ctx: { repo: { web_urls: readonly string[] } }, url: string): number {
  const prefix = ctx.repo.web_urls
    .map((each) => `${each}/pull/`)
    .find((each) => url.toLowerCase().startsWith(each.toLowerCase()))
  const digits = prefix === undefined ? '' : url.slice(prefix.length)
  if (/^[1-9]\d{0,9}$/.test(digits) && Number(digits) <= NUMBER_MAX) return Number(digits)
  throw new Failure(
    'validation_error',
    `pr_url: must be ${ctx.repo.web_urls[0]}/pull/NUMBER, a pull request of this repository`,
    { param: 'pr_url' },
  )
}
