/** The layout of the page's timeline: lanes, bars on a linear time scale, and links. */
import { describe, expect, test } from 'vitest'
import { boardOf } from '../../src/surfaces/dashboard/web/board.ts'
import type { Activity, Overlap } from '../../src/surfaces/dashboard/web/records.ts'
import { NO_FILTER, select } from '../../src/surfaces/dashboard/web/selection.ts'
import { pageActivity as activity, HOUR_MS, NOW_MS, pageOverlap as overlap } from '../support/page-records.ts'

const board = (activities: Activity[], overlaps: Overlap[] = [], lane_by: 'area' | 'folder' = 'area') =>
  boardOf(select(activities, overlaps, NO_FILTER), { now_ms: NOW_MS, lane_by })

describe('a lane is', () => {
  test.each([
    ['area', { areas: ['checkout', 'docs'], paths: ['src/a.ts'] }, 'checkout'],
    ['folder', { areas: ['checkout'], paths: ['src/pay/retry.ts'] }, 'src/pay/'],
    ['folder', { areas: [], paths: ['src/pay/deep/retry.ts'] }, 'src/pay/'],
    ['folder', { areas: [], paths: ['src/*/retry.ts'] }, 'src/'],
    ['folder', { areas: [], paths: ['**/*.sql'] }, '/'],
    ['folder', { areas: [], paths: ['README.md'] }, '/'],
    ['folder', { areas: ['checkout'], paths: [] }, 'checkout'],
    ['area', { areas: [], paths: [] }, 'whole repository'],
  ] as const)('by %s of %j: %s', (lane_by, scope, name) => {
    expect(board([activity('a', { scope })], [], lane_by).lanes.map((lane) => lane.name)).toEqual([name])
  })
})

test('the lane with the most severe collision comes first, and in a lane the activities of the highest risk', () => {
  const areas = (label: string) => ({ scope: { areas: [label], paths: [] } })
  const all = [
    activity('a', areas('api')),
    activity('b', { ...areas('web'), risk: 'low' }),
    activity('c', { ...areas('web'), risk: 'high' }),
    activity('d', areas('db')),
    activity('e', areas('app')),
  ]
  const { lanes, row_count } = board(all, [overlap('d', 'a', 'low'), overlap('b', 'c', 'high')])
  expect(lanes.map(({ name }) => name)).toEqual(['web', 'api', 'db', 'app'])
  expect(lanes[0]?.bars.map((bar) => bar.activity.id)).toEqual(['c', 'b'])
  expect(lanes.flatMap(({ bars }) => bars.map(({ row }) => row))).toEqual([0, 1, 2, 3, 4])
  expect(row_count).toBe(5)
})

test('links connect rows, and the one across the most rows is drawn furthest out', () => {
  const all = ['a', 'b', 'c'].map((label) => activity(label, { scope: { areas: [label], paths: [] } }))
  const { links } = board(all, [overlap('b', 'a', 'low'), overlap('a', 'c')])
  expect(links.map(({ rows, reach }) => ({ rows, reach }))).toEqual([
    { rows: [0, 1], reach: 0.5 },
    { rows: [0, 2], reach: 1 },
  ])
})

test('a bar starts when its activity began, has a minimum width, and has its label where there is room', () => {
  const began = (ago_ms: number) => ({ created_at: new Date(NOW_MS - ago_ms).toISOString() })
  const { lanes } = board([
    activity('e', began(30 * 24 * HOUR_MS)),
    activity('d', began(126 * HOUR_MS)),
    activity('c', began(42 * HOUR_MS)),
    activity('b', began(0.3 * HOUR_MS)),
    activity('a', began(-2000)),
  ])
  expect(lanes[0]?.bars.map(({ start, is_cut, age, label }) => ({ start, is_cut, age, label }))).toEqual([
    { start: 0, is_cut: true, age: '30 d', label: 'inside' },
    { start: 0.25, is_cut: false, age: '5 d', label: 'inside' },
    { start: 0.75, is_cut: false, age: '42 h', label: 'before' },
    { start: 1 - 0.3 / 168, is_cut: false, age: '18 min', label: 'before' },
    { start: 1, is_cut: false, age: 'less than a minute', label: 'before' },
  ])
})

test('the other side of a collision is on the board, and marked', () => {
  const all = [activity('a', { actor: 'Ben' }), activity('b'), activity('c')]
  const selection = select(all, [overlap('a', 'b')], { ...NO_FILTER, text: 'ben' })
  const { lanes, links } = boardOf(selection, { now_ms: NOW_MS, lane_by: 'area' })
  expect(
    lanes[0]?.bars.map(({ activity: { id }, is_outside, is_colliding }) => ({
      id,
      is_outside,
      is_colliding,
    })),
  ).toEqual([
    { id: 'b', is_outside: true, is_colliding: true },
    { id: 'a', is_outside: false, is_colliding: true },
  ])
  expect(links).toHaveLength(1)
})
