/** The lifecycle of an activity: allowed transitions, expiry, time to live (docs/contract/activities.md#transitions), and what a create and an update make of it. Pure. */
import { type ActivityStatus, isClosed, isLive } from '../../vocabulary/activity-status.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { ArchiveReason, CreateActivity, UpdateActivity } from '../../vocabulary/contract/activity.ts'
import { newId } from '../../vocabulary/contract/field.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { readNumber } from '../../vocabulary/names.ts'
import { type ChangedFile, changedFileOf } from '../lines/change.ts'
import type { StoredActivity } from './activity.ts'

/** The statuses that a PATCH can set, by current status. Setting the current status is a no-op, see `canTransition`. */
export const TRANSITIONS: Record<ActivityStatus, readonly ActivityStatus[]> = {
  planned: ['active', 'blocked', 'draft-pr-open', 'ready-for-review', 'abandoned', 'archived'],
  active: [
    'planned',
    'paused',
    'blocked',
    'draft-pr-open',
    'ready-for-review',
    'merged',
    'abandoned',
    'archived',
  ],
  paused: ['planned', 'active', 'blocked', 'draft-pr-open', 'ready-for-review', 'abandoned', 'archived'],
  blocked: ['planned', 'active', 'paused', 'draft-pr-open', 'ready-for-review', 'abandoned', 'archived'],
  'draft-pr-open': ['active', 'paused', 'blocked', 'ready-for-review', 'abandoned', 'archived'],
  'ready-for-review': ['active', 'paused', 'blocked', 'draft-pr-open', 'merged', 'abandoned', 'archived'],
  merged: ['archived'],
  abandoned: ['archived'],
  archived: [],
  expired: [],
}

/** Whether a PATCH can set `to`. Setting the current status of an open activity is allowed. */
export function canTransition(from: ActivityStatus, to: ActivityStatus): boolean {
  return TRANSITIONS[from].includes(to) || (from === to && !isClosed(from))
}

/** The activity as of `now`: closed from `expires_at` on, whether or not the sweep has stored that. */
export function asOf<Row extends StoredActivity>(row: Row, now: Date): Row {
  if (row.expires_at > now || isClosed(row.status)) return row
  if (isLive(row.status)) return { ...row, status: 'expired', updated_at: row.expires_at }
  return {
    ...row,
    status: 'archived',
    archive_reason: 'finished',
    archived_at: row.expires_at,
    updated_at: row.expires_at,
  }
}

type TimeToLive = Pick<Settings, 'activity_ttl_ms' | 'max_activity_ttl_ms'>

/** How long paused work on a branch is kept after its last push: it waits for a merge, whatever became of its author. */
export const UNMERGED_MS = 14 * DAY_MS

/** What the time to live of an activity depends on. `ttl_ms`: its own one, which cannot extend that of the repository. */
export type Lived = Pick<StoredActivity, 'status' | 'branch' | 'pr_number' | 'ttl_ms' | 'created_at'>

/** `expires_at` of a new activity. */
export function firstExpiry(now: Date, ttl: TimeToLive, ttl_ms: number | null = null): Date {
  return expiryAt({ status: 'active', branch: null, pr_number: null, ttl_ms, created_at: now }, ttl, { now })
}

/**
 * `expires_at` after a sign of life at `now`, with the status that the activity then has: not before that of `before`, unless
 * paused work goes on, and not after the maximum time to live. Paused work without a pull request needs more than a heartbeat:
 * `is_changed`, new commits or changes.
 */
export function expiryAt(
  { status, branch, pr_number, ttl_ms, created_at }: Lived,
  { activity_ttl_ms, max_activity_ttl_ms }: TimeToLive,
  life: { now: Date; before?: Pick<StoredActivity, 'status' | 'expires_at'>; is_changed?: boolean },
): Date {
  const { now, before, is_changed } = life
  const isUnmerged = status === 'paused' && branch !== null
  const own_ms = Math.min(ttl_ms ?? activity_ttl_ms, activity_ttl_ms)
  const extended = later(now, isUnmerged ? Math.max(UNMERGED_MS, activity_ttl_ms) : own_ms)
  const wasPaused = before?.status === 'paused'
  const isShorter = wasPaused && status !== 'paused'
  const isKept = wasPaused && isUnmerged && pr_number === null && !is_changed
  const expiry =
    before && (isKept || (before.expires_at > extended && !isShorter)) ? before.expires_at : extended
  if (max_activity_ttl_ms === null) return expiry
  const latest = later(created_at, max_activity_ttl_ms)
  return new Date(Math.min(expiry.getTime(), latest.getTime()))
}

/** The status of a live activity whose pull request is open. Paused and blocked stay. */
export function statusWithPullRequest(status: ActivityStatus, draft: boolean): ActivityStatus {
  if (status === 'paused' || status === 'blocked') return status
  return draft ? 'draft-pr-open' : 'ready-for-review'
}

export interface ActivityContext {
  now: Date
  settings: TimeToLive
  repo: { web_urls: readonly string[] }
  /** Of the caller; null if it is not known. */
  login: string | null
}

export type ActivityChanges = Partial<StoredActivity>

/** The activity that a create makes. `files`: its `scope.changes`. Throws `validation_error` (`pr_url`). */
export function newActivity(context: ActivityContext, input: CreateActivity, files: readonly ChangedFile[]) {
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
  { input, files }: { input: UpdateActivity; files: readonly ChangedFile[] | undefined },
): ActivityChanges {
  const { now, settings } = context
  const { heartbeat, status = row.status, scope, ...fields } = input
  const changes: ActivityChanges = { ...fields }
  if (fields.pr_url === null && row.source === 'pull_request') throw madeFromPullRequest(row)
  if (fields.pr_url !== undefined)
    changes.pr_number = fields.pr_url === null ? null : pullRequestNumber(context, fields.pr_url)
  if (!canTransition(row.status, status)) throw illegalTransition(row, status)
  if (scope && files) {
    const { areas, paths } = scope
    const changed_files = files.map(changedFileOf)
    // A `base_sha` that is not sent becomes null.
    const base_sha = fields.base_sha ?? null
    Object.assign(changes, { scope: { areas, paths }, scope_is_literal: false, changed_files, base_sha })
  }
  if (status !== row.status) Object.assign(changes, transitionTo(context, status))
  if (heartbeat && !isLive(row.status)) throw notLive(row)
  if (heartbeat) changes.heartbeat_at = now
  const ttl_ms = changes.pr_number == null ? row.ttl_ms : null
  if (ttl_ms !== row.ttl_ms) changes.ttl_ms = null
  const branch = fields.branch === undefined ? row.branch : fields.branch
  const is_changed = scope !== undefined || (branch === null) !== (row.branch === null)
  const isOtherLife = ttl_ms !== row.ttl_ms || (row.status === 'paused') !== (status === 'paused')
  const isKept = is_changed && status === 'paused' && branch !== null
  const life = { now, before: row, is_changed }
  if (heartbeat || ((isOtherLife || isKept) && !isClosed(status)))
    changes.expires_at = expiryAt({ ...row, status, branch, ttl_ms }, settings, life)
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

export function archived(
  { now }: Pick<ActivityContext, 'now'>,
  reason: ArchiveReason,
  merged_at: Date | null,
): ActivityChanges {
  return { status: 'archived', archived_at: now, archive_reason: reason, merged_at }
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

export function notLive(row: StoredActivity): Failure {
  const advice = isClosed(row.status)
    ? 'create a new activity to continue'
    : 'only a live activity accepts this'
  return new Failure('invalid_transition', `the activity is ${row.status}; ${advice}`)
}

/**
 * The number in `url`, which must be `{GITHUB_WEB_URL}/{owner}/{repo}/pull/{number}` with the current or requested name of
 * the context's repository. Throws `validation_error`.
 */
export function pullRequestNumber(ctx: { repo: { web_urls: readonly string[] } }, url: string): number {
  const prefix = ctx.repo.web_urls
    .map((each) => `${each}/pull/`)
    .find((each) => url.toLowerCase().startsWith(each.toLowerCase()))
  const number = prefix === undefined ? null : readNumber(url.slice(prefix.length))
  if (number !== null) return number
  throw new Failure(
    'validation_error',
    `pr_url: must be ${ctx.repo.web_urls[0]}/pull/NUMBER, a pull request of this repository`,
    { param: 'pr_url' },
  )
}
