/** The lifecycle of an activity: allowed transitions, expiry, time to live (docs/contract/activities.md#transitions). Pure. */
import { type ActivityStatus, isClosed, isLive } from '../../vocabulary/activity-status.ts'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
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

interface TimeToLive {
  activity_ttl_ms: number
  max_activity_ttl_ms: number | null
}

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
