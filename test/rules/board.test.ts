/** Where the page puts each piece of work in its picture. */
import { describe, expect, test } from 'vitest'
import { boardOf, duration, filtered } from '../../src/surfaces/dashboard/web/board.ts'
import type { Activity, Overlap } from '../../src/surfaces/dashboard/web/records.ts'

const NOW_MS = Date.parse('2026-03-02T09:00:00.000Z')
const HOUR_MS = 3_600_000

const activity = (id: string, given: object = {}): Activity =>
  ({
    id,
    title: id,
    actor: 'Ada',
    agent: null,
    branch: null,
    risk: 'low',
    scope: { areas: [], paths: [] },
    created_at: new Date(NOW_MS - HOUR_MS).toISOString(),
    ...given,
  }) as unknown as Activity
const overlap = (one: string, other: string, severity: Overlap['severity'] = 'medium'): Overlap => ({
  activity_ids: [one, other],
  severity,
  areas: [],
  paths: [],
})
const board = (activities: Activity[], overlaps: Overlap[] = [], lane_by: 'area' | 'folder' = 'area') =>
  boardOf(activities, overlaps, { now_ms: NOW_MS, lane_by })

describe('a lane is', () => {
  test.each([
    ['area', { areas: ['checkout', 'docs'], paths: ['src/a.ts'] }, 'checkout'],
    ['folder', { areas: ['checkout'], paths: ['src/pay/retry.ts'] }, 'src/pay/'],
    ['folder', { areas: [], paths: ['src/pay/deep/retry.ts'] }, 'src/pay/'],
    ['folder', { areas: [], paths: ['src/*/retry.ts'] }, 'src/'],
    ['folder', { areas: [], paths: ['**/*.sql'] }, '/'],
    ['folder', { areas: [], paths: ['README.md'] }, '/'],
    ['folder', { areas: ['checkout'], paths: [] }, 'checkout'],
    ['area', { areas: [], paths: [] }, 'the whole repository'],
  ] as const)('by %s of %j: %s', (lane_by, scope, name) => {
    expect(board([activity('a', { scope })], [], lane_by).lanes.map((lane) => lane.name)).toEqual([name])
  })
})

test('the lane with the gravest collision comes first, and in a lane the riskiest work', () => {
  const areas = (label: string) => ({ scope: { areas: [label], paths: [] } })
  const all = [
    activity('a', areas('api')),
    activity('b', { ...areas('web'), risk: 'low' }),
    activity('c', { ...areas('web'), risk: 'high' }),
    activity('d', areas('db')),
  ]
  const { lanes } = board(all, [overlap('d', 'a', 'low'), overlap('b', 'c', 'high')])
  expect(lanes.map(({ name }) => name)).toEqual(['web', 'api', 'db'])
  expect(lanes[0]?.bars.map((bar) => bar.activity.id)).toEqual(['c', 'b'])
})

test('links join rows, the longest reaches furthest, and one whose side is not shown is left out', () => {
  const all = ['a', 'b', 'c'].map((label) => activity(label, { scope: { areas: [label], paths: [] } }))
  const { links } = board(all, [overlap('a', 'c'), overlap('b', 'a'), overlap('a', 'gone')])
  expect(links.map(({ rows, reach }) => ({ rows, reach }))).toEqual([
    { rows: [0, 2], reach: 1 },
    { rows: [0, 1], reach: 0.5 },
  ])
})

test('a bar is as long as its work has gone on, and is cut where the picture begins', () => {
  const since = (hours: number) => ({ created_at: new Date(NOW_MS - hours * HOUR_MS).toISOString() })
  const { lanes, ticks } = board([
    activity('a', since(30 * 24)),
    activity('b', since(84)),
    activity('c', since(0)),
  ])
  expect(lanes[0]?.bars.map(({ length, is_cut, age }) => ({ length, is_cut, age }))).toEqual([
    { length: 0, is_cut: false, age: 'moments' },
    { length: 0.5, is_cut: false, age: '4 d' },
    { length: 1, is_cut: true, age: '30 d' },
  ])
  expect(ticks.at(-1)).toEqual({ at: 1, label: 'now' })
  expect(ticks.every(({ at }) => at > 0 && at <= 1)).toBe(true)
})

describe('a filter lets through', () => {
  const all = [
    activity('a', { title: 'Retry', risk: 'high', scope: { areas: [], paths: ['src/pay.ts'] } }),
    activity('b', { actor: 'Ben', branch: 'tidy' }),
    activity('c', { risk: 'critical' }),
  ]
  test.each([
    [30, ['90 min ago', '1 h ago', '30 min ago', 'now']],
    [170, ['2 h ago', '1 h ago', 'now']],
    [50 * 60, ['2 d ago', '36 h ago', '1 d ago', '12 h ago', 'now']],
  ])('the past of %i minutes is marked without rounding', (minutes, labels) => {
    const created_at = new Date(NOW_MS - minutes * 60_000).toISOString()
    expect(board([activity('old', { created_at })]).ticks.map(({ label }) => label)).toEqual(labels)
  })

  test.each([
    [{ text: ' PAY ' }, ['a']],
    [{ text: 'tidy' }, ['b']],
    [{ risk: 'high' }, ['a', 'c']],
    [{ only_collisions: true }, ['b', 'c']],
    [{ text: 'ada', only_collisions: true }, ['c']],
    [{}, ['a', 'b', 'c']],
  ])('%j', (given, ids) => {
    const filter = { text: '', risk: '', only_collisions: false, ...given }
    expect(filtered(all, [overlap('b', 'c')], filter).map(({ id }) => id)).toEqual(ids)
  })
})

test.each([
  [20_000, 'moments'],
  [89 * 60_000, '89 min'],
  [90 * 60_000, '2 h'],
  [47 * HOUR_MS, '47 h'],
  [72 * HOUR_MS, '3 d'],
  [-72 * HOUR_MS, '3 d'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
