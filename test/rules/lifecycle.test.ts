/** The lifecycle of an activity: allowed transitions, exact expiry, time to live. */
import { describe, expect, test } from 'vitest'
import { asOf, canTransition, expiryAt } from '../../src/server/activities/lifecycle.ts'
import type { ActivityRow } from '../../src/server/activities/table.ts'
import { isClosed, isLive } from '../../src/vocabulary/activity-status.ts'
import { CLOSED, FINISHED, LIVE, MOVES, STATUSES } from '../fixtures/activity-moves.ts'

const HOUR_MS = 3_600_000
const CREATED = new Date('2026-03-02T09:00:00.000Z')
const EXPIRES = new Date('2026-03-03T09:00:00.000Z')
const later = (instant: Date, ms: number) => new Date(instant.getTime() + ms)

test('the table of transitions has a cell for each pair of statuses', () => {
  expect(MOVES).toHaveLength(STATUSES.length ** 2)
  expect(new Set(MOVES.map(({ effect }) => effect))).toEqual(new Set(['yes', 'same', '–']))
})

test.each(MOVES)('a PATCH from $from to $to: $effect', ({ from, to, effect }) => {
  expect(canTransition(from, to)).toBe(effect !== '–')
})

test.each(STATUSES)('%s is exactly one of live, finished and closed', (status) => {
  expect(isLive(status)).toBe((LIVE as readonly string[]).includes(status))
  expect(isClosed(status)).toBe((CLOSED as readonly string[]).includes(status))
})

describe('as of a point in time', () => {
  /** The columns that the lifecycle uses. */
  const row = (status: ActivityRow['status']) =>
    ({
      id: 'act_01h455vb4pex5vsknk084sn02q',
      title: 'Retry payments',
      status,
      expires_at: EXPIRES,
      created_at: CREATED,
      updated_at: CREATED,
      archived_at: null,
      archive_reason: null,
      merged_at: null,
    }) as ActivityRow

  test.each(STATUSES)('%s is unchanged until one millisecond before it expires', (status) => {
    expect(asOf(row(status), later(EXPIRES, -1))).toEqual(row(status))
  })

  test.each(LIVE.flatMap((status) => [0, 1, 365 * 24 * HOUR_MS].map((ms) => ({ status, ms }))))(
    '$status is expired $ms ms after it expires, as of that time',
    ({ status, ms }) => {
      const expected = { ...row(status), status: 'expired', updated_at: EXPIRES }
      expect(asOf(row(status), later(EXPIRES, ms))).toEqual(expected)
    },
  )

  test.each(FINISHED.flatMap((status) => [0, 1, 365 * 24 * HOUR_MS].map((ms) => ({ status, ms }))))(
    '$status is archived as finished $ms ms after it expires, as of that time',
    ({ status, ms }) => {
      const merged_at = status === 'merged' ? CREATED : null
      const expected = {
        ...row(status),
        status: 'archived',
        archive_reason: 'finished',
        archived_at: EXPIRES,
        updated_at: EXPIRES,
        merged_at,
      }
      expect(asOf({ ...row(status), merged_at }, later(EXPIRES, ms))).toEqual(expected)
    },
  )

  test.each(CLOSED)('%s is unchanged when it expires', (status) => {
    const closed = { ...row(status), archived_at: CREATED, archive_reason: 'requested' as const }
    expect(asOf(closed, later(EXPIRES, HOUR_MS))).toEqual(closed)
  })

  test('the row is copied, not changed', () => {
    const live = Object.freeze(row('active'))
    expect(asOf(live, EXPIRES)).not.toBe(live)
  })
})

describe('the time of expiry, in hours after the creation,', () => {
  test.each([
    // now, present, ttl, max → expiry
    {
      now: 0,
      present: undefined,
      ttl: 24,
      max: null,
      expiry: 24,
      why: 'is one TTL after the creation',
    },
    { now: 0, present: undefined, ttl: 24, max: 48, expiry: 24, why: 'may be before the maximum TTL' },
    { now: 0, present: undefined, ttl: 24, max: 12, expiry: 12, why: 'is not after the maximum TTL' },
    { now: 6, present: 24, ttl: 24, max: null, expiry: 30, why: 'is extended by a heartbeat' },
    { now: 6, present: 24, ttl: 1, max: null, expiry: 24, why: 'is never shortened by a heartbeat' },
    {
      now: 6,
      present: 24,
      ttl: 18,
      max: null,
      expiry: 24,
      why: 'is unchanged by a heartbeat with the same result',
    },
    { now: 6, present: 24, ttl: 24, max: 26, expiry: 26, why: 'is extended only to the maximum TTL' },
    { now: 6, present: 24, ttl: 24, max: 30, expiry: 30, why: 'may reach the maximum TTL' },
    { now: 6, present: 24, ttl: 24, max: 24, expiry: 24, why: 'stays at the maximum TTL' },
    { now: 6, present: 24, ttl: 24, max: 8, expiry: 8, why: 'follows a maximum TTL that was reduced' },
  ])('$why', ({ now, present, ttl, max, expiry }) => {
    const settings = { activity_ttl_ms: ttl * HOUR_MS, max_activity_ttl_ms: max && max * HOUR_MS }
    const hours = (count: number) => later(CREATED, count * HOUR_MS)
    const actual = expiryAt(hours(now), CREATED, settings, present === undefined ? undefined : hours(present))
    expect(actual).toEqual(hours(expiry))
  })
})
