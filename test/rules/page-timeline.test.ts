/** The layout of the page's timeline: rows in groups, bars on a linear time scale, and links. */
import { describe, expect, test } from 'vitest'
import { liveWork } from '../../src/page/live-work.ts'
import type { Activity, Overlap } from '../../src/page/records.ts'
import { type Choice, ROWS_MAX, timelineOf } from '../../src/page/timeline-layout.ts'
import { pageActivity as activity, HOUR_MS, NOW_MS, pageOverlap as overlap } from '../support/page-records.ts'

const ALL: Choice = { person: null, path: null, area: null, text: '', only_collisions: false }
const layout = (activities: Activity[], overlaps: Overlap[] = [], choice: Partial<Choice> = {}) =>
  timelineOf(liveWork(activities, overlaps), { ...ALL, ...choice }, NOW_MS)
const began = (hours: number) => ({ created_at: new Date(NOW_MS - hours * HOUR_MS).toISOString() })
const scope = (given: { areas?: string[]; paths?: string[]; changes?: string[] }) => ({
  scope: {
    areas: given.areas ?? [],
    paths: given.paths ?? [],
    changes: (given.changes ?? []).map((path) => ({ path })),
  },
})

describe('a choice shows', () => {
  const WORK = [
    activity('a', { title: 'Retry', ...scope({ changes: ['src/pay.ts'] }) }),
    activity('b', { actor: 'Ben', branch: 'tidy', ...scope({ areas: ['Docs'] }) }),
    activity('c', { actor: 'Cy', agent: 'cursor', ...scope({ paths: ['lib/**'] }) }),
    activity('d', { actor: 'Dee', pr_url: 'https://github.com/acme/shop/pull/77' }),
  ]
  const at = (example: string) => [{ globs: [], example, verdict: null, confidence: null, line_ranges: null }]
  const OVERLAPS = [{ ...overlap('a', 'b', 'high'), paths: at('src/x.ts') }, overlap('b', 'c', 'low')]
  test.each<[Partial<Choice>, { own: string[]; outside: string[]; links: number }]>([
    [{}, { own: ['a', 'b', 'c', 'd'], outside: [], links: 2 }],
    [{ text: ' PAY ' }, { own: ['a'], outside: ['b'], links: 1 }],
    [{ text: 'tidy' }, { own: ['b'], outside: ['a', 'c'], links: 2 }],
    [{ text: 'cursor' }, { own: ['c'], outside: ['b'], links: 1 }],
    [{ text: '/77' }, { own: ['d'], outside: [], links: 0 }],
    [{ text: 'nobody' }, { own: [], outside: [], links: 0 }],
    [{ person: 'ben' }, { own: ['b'], outside: ['a', 'c'], links: 2 }],
    [{ area: 'Docs' }, { own: ['b'], outside: ['a', 'c'], links: 2 }],
    [{ path: 'lib/' }, { own: ['c'], outside: ['b'], links: 1 }],
    [{ path: 'src/x.ts' }, { own: ['a', 'b'], outside: ['c'], links: 2 }],
    [{ only_collisions: true }, { own: ['a', 'b', 'c'], outside: [], links: 2 }],
  ])('%j', (choice, { own, outside, links }) => {
    const { rows, links: joined } = layout(WORK, OVERLAPS, choice)
    const ids = (is_outside: boolean) =>
      rows.filter((row) => row.is_outside === is_outside).map((row) => row.activity.id)
    expect(ids(false).sort()).toEqual(own)
    expect(ids(true).sort()).toEqual(outside)
    expect(joined).toHaveLength(links)
  })
})

test('activities that collide stand together, the most severe group first; the others follow, the newest first', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id, index) => activity(id, began(10 - index)))
  const { rows, links, depths } = layout(all, [
    overlap('a', 'e', 'low'),
    overlap('b', 'd', 'high'),
    overlap('d', 'f', 'low'),
    overlap('b', 'f', 'low'),
  ])
  expect(rows.map((row) => row.activity.id).join('')).toBe('bdfaegc')
  expect(rows.map(({ severity }) => severity)).toEqual(['high', 'high', 'low', 'low', 'low', null, null])
  expect(links.map(({ rows: [upper, lower], depth }) => [upper, lower, depth])).toEqual([
    [0, 1, 0],
    [3, 4, 0],
    [1, 2, 1],
    [0, 2, 2],
  ])
  expect(depths).toBe(3)
})

test('the newest are shown, and the number of the others is counted', () => {
  const all = Array.from({ length: ROWS_MAX + 5 }, (_, index) => activity(`a${index}`, began(index)))
  const { rows, left_out } = layout(all)
  expect(rows).toHaveLength(ROWS_MAX)
  expect(rows[0]?.activity.id).toBe('a0')
  expect(left_out).toBe(5)
})

test('a bar starts when its activity began; work before the left edge is cut', () => {
  const { rows } = layout([
    activity('e', began(30 * 24)),
    activity('d', began(126)),
    activity('c', began(42)),
    activity('b', began(0.3)),
    activity('a', began(-0.01)),
  ])
  expect(rows.map(({ start, is_cut, age }) => ({ start, is_cut, age })).toReversed()).toEqual([
    { start: 0, is_cut: true, age: '30 d' },
    { start: 0.25, is_cut: false, age: '5 d' },
    { start: 0.75, is_cut: false, age: '42 h' },
    { start: 1 - 0.3 / 168, is_cut: false, age: '18 min' },
    { start: 1, is_cut: false, age: 'less than a minute' },
  ])
})

test('a collision with an unlisted activity is left out', () => {
  expect(layout([activity('a')], [overlap('a', 'gone')])).toMatchObject({
    links: [],
    rows: [{ severity: null }],
  })
})
