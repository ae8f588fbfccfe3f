/** What the page shows of a repository with a filter. */
import { describe, expect, test } from 'vitest'
import { type Filter, mayConflict, NO_FILTER, select } from '../../src/surfaces/dashboard/web/selection.ts'
import { pageActivity as activity, pageOverlap as overlap } from '../support/page-records.ts'

const ALL = [
  activity('a', { title: 'Retry', risk: 'high', scope: { areas: [], paths: ['src/pay.ts'] } }),
  activity('b', { actor: 'Ben', branch: 'tidy' }),
  activity('c', { risk: 'critical', agent: 'cursor' }),
  activity('d', { scope: { areas: ['Docs'], paths: [] } }),
]
const OVERLAPS = [overlap('b', 'c', 'low'), overlap('a', 'b', 'high')]

describe('a filter lets through', () => {
  test.each<[Partial<Filter>, { passing: string[]; outside: string[]; collisions: string[] }]>([
    [{}, { passing: ['a', 'b', 'c', 'd'], outside: [], collisions: ['a-b', 'b-c'] }],
    // A collision is shown if one side passes the filter, together with the other side.
    [{ text: ' PAY ' }, { passing: ['a'], outside: ['b'], collisions: ['a-b'] }],
    [{ text: 'tidy' }, { passing: ['b'], outside: ['a', 'c'], collisions: ['a-b', 'b-c'] }],
    [{ text: 'cursor' }, { passing: ['c'], outside: ['b'], collisions: ['b-c'] }],
    [{ text: 'docs' }, { passing: ['d'], outside: [], collisions: [] }],
    [{ text: 'nobody' }, { passing: [], outside: [], collisions: [] }],
    [{ min_risk: 'high' }, { passing: ['a', 'c'], outside: ['b'], collisions: ['a-b', 'b-c'] }],
    [{ min_risk: 'critical' }, { passing: ['c'], outside: ['b'], collisions: ['b-c'] }],
    [{ only_collisions: true }, { passing: ['a', 'b', 'c'], outside: [], collisions: ['a-b', 'b-c'] }],
    [
      { text: 'ada', only_collisions: true },
      { passing: ['a', 'c'], outside: ['b'], collisions: ['a-b', 'b-c'] },
    ],
  ])('%j', (given, { passing, outside, collisions }) => {
    const selection = select(ALL, OVERLAPS, { ...NO_FILTER, ...given })
    const ids = selection.activities.map(({ id }) => id)
    expect(ids.filter((id) => !selection.outside.has(id))).toEqual(passing)
    expect(ids.filter((id) => selection.outside.has(id))).toEqual(outside)
    expect(selection.overlaps.map(({ activity_ids }) => activity_ids.join('-'))).toEqual(collisions)
  })
})

test('a collision with an unlisted activity is left out and not counted', () => {
  const selection = select(ALL, [overlap('d', 'gone')], { ...NO_FILTER, only_collisions: true })
  expect(selection).toEqual({ activities: [], outside: new Set(), overlaps: [] })
})

describe('a merge order is requested', () => {
  const open = (id: string) => activity(id, { pr_url: 'https://github.com/acme/shop/pull/7' })
  const conflict = (one: string, other: string) => ({ ...overlap(one, other), lines: 'conflict' as const })
  const WORK = [open('a'), open('b'), activity('c', { pr_url: null })]
  test.each([
    ['if two pull requests conflict by lines', [conflict('a', 'b')], 1, true],
    ['not for a conflict with work that has no pull request', [conflict('a', 'c')], 1, false],
    ['not for a collision by path', [overlap('a', 'b')], 1, false],
    ['if some collisions are not listed', [overlap('a', 'b')], 2, true],
  ])('%s', (_, items, total, expected) => {
    expect(mayConflict(WORK, { items, total })).toBe(expected)
  })
})
