/** Which status an activity may get (docs/contract/activities.md#transitions), and when it expires. */
import { expect, test } from 'vitest'
import type { StoredActivity } from '../../src/engine/records/activity.ts'
import { changesOf, expiryAt, UNMERGED_MS } from '../../src/engine/records/activity-lifecycle.ts'
import {
  type ActivityStatus,
  CLOSED_STATUSES,
  FINISHED_STATUSES,
  LIVE_STATUSES,
} from '../../src/vocabulary/activity-status.ts'
import { DAY_MS, later } from '../../src/vocabulary/clock.ts'
import type { UpdateActivity } from '../../src/vocabulary/contract/activity.ts'

const NOW = new Date('2026-03-02T09:00:00.000Z')
const LIFE = { status: 'active', branch: 'work', pr_number: null, ttl_ms: null, created_at: NOW } as const
const SETTINGS = { activity_ttl_ms: DAY_MS, max_activity_ttl_ms: null }
const PAUSED = { status: 'paused' } as const
const HALF_MS = DAY_MS / 2

test.each<
  [string, { life?: object; settings?: object; before?: [status: 'active' | 'paused', ms: number] }, number]
>([
  ['active work', {}, DAY_MS],
  ['active work with a time to live of its own', { life: { ttl_ms: HALF_MS } }, HALF_MS],
  ['… that is longer than that of the repository', { life: { ttl_ms: 9 * DAY_MS } }, DAY_MS],
  ['active work with a maximum that became shorter', { settings: { max_activity_ttl_ms: HALF_MS } }, HALF_MS],
  ['active work, never earlier than before', { before: ['active', 3 * DAY_MS] }, 3 * DAY_MS],
  ['paused work on a branch', { life: { ...PAUSED, ttl_ms: HALF_MS } }, UNMERGED_MS],
  ['… with a longer one', { life: PAUSED, settings: { activity_ttl_ms: 20 * DAY_MS } }, 20 * DAY_MS],
  ['… with a maximum', { life: PAUSED, settings: { max_activity_ttl_ms: 5 * DAY_MS } }, 5 * DAY_MS],
  ['… that sends a heartbeat', { life: PAUSED, before: ['paused', 3 * DAY_MS] }, 3 * DAY_MS],
  ['… with a pull request', { life: { ...PAUSED, pr_number: 7 }, before: ['paused', DAY_MS] }, UNMERGED_MS],
  ['paused work without a branch', { life: { ...PAUSED, branch: null, ttl_ms: HALF_MS } }, HALF_MS],
  ['paused work that goes on', { life: { ttl_ms: HALF_MS }, before: ['paused', UNMERGED_MS] }, HALF_MS],
])('%s expires in time', (_, { life, settings, before }, ms) => {
  const previous = before && { before: { status: before[0], expires_at: later(NOW, before[1]) } }
  const expiry = expiryAt({ ...LIFE, ...life }, { ...SETTINGS, ...settings }, { now: NOW, ...previous })
  expect(expiry).toEqual(later(NOW, ms))
})

const ALL = [...LIVE_STATUSES, ...FINISHED_STATUSES, ...CLOSED_STATUSES]
const CONTEXT = { now: NOW, settings: SETTINGS, repo: { web_urls: [] }, login: null }

test.each<[ActivityStatus, ActivityStatus[]]>([
  ['planned', ['paused', 'merged', 'expired']],
  ['active', ['expired']],
  ['paused', ['merged', 'expired']],
  ['blocked', ['merged', 'expired']],
  ['draft-pr-open', ['planned', 'merged', 'expired']],
  ['ready-for-review', ['planned', 'expired']],
  ['merged', [...LIVE_STATUSES, 'abandoned', 'expired']],
  ['abandoned', [...LIVE_STATUSES, 'merged', 'expired']],
  ['archived', ALL],
  ['expired', ALL],
])('a PATCH of work that is %s may set every status but %j', (from, refused) => {
  const row = { ...LIFE, status: from, expires_at: later(NOW, DAY_MS) } as StoredActivity
  const isRefused = (status: ActivityStatus) => {
    try {
      changesOf(CONTEXT, row, { input: { status } as UpdateActivity, files: undefined })
      return false
    } catch (error) {
      expect(error).toMatchObject({ type: 'invalid_transition' })
      return true
    }
  }
  expect(ALL.filter(isRefused)).toEqual(refused)
})
