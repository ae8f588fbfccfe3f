/** The time scale of the page. */
import { describe, expect, test } from 'vitest'
import { duration, isBeforeScale, positionOf, ticksOf, timeScale } from '../../src/page/time-scale.ts'
import { HOUR_MS, NOW_MS } from '../support/page-records.ts'

const MINUTE_MS = 60_000
const scaleOf = (oldest_ms: number) => timeScale([NOW_MS - oldest_ms, NOW_MS], NOW_MS)

test.each([
  ['at least two hours', 0, 2],
  ['back to the oldest work', 5 * HOUR_MS, 5],
  ['at most a week', 30 * 24 * HOUR_MS, 168],
])('a scale spans %s', (_, oldest_ms, hours) => {
  expect(scaleOf(oldest_ms)).toEqual({ now_ms: NOW_MS, span_ms: hours * HOUR_MS })
})

test('an empty scale is valid', () => {
  expect(timeScale([], NOW_MS)).toEqual({ now_ms: NOW_MS, span_ms: 2 * HOUR_MS })
})

describe('on a scale of ten hours', () => {
  const scale = scaleOf(10 * HOUR_MS)
  test.each([
    ['now', 0, 1, false],
    ['18 minutes ago', 18 * MINUTE_MS, 0.97, false],
    ['the left edge', 10 * HOUR_MS, 0, false],
    ['an earlier start', 11 * HOUR_MS, 0, true],
    ['a time in the future', -MINUTE_MS, 1, false],
  ])('%s has its position', (_, ago_ms, position, is_before) => {
    expect(positionOf(scale, NOW_MS - ago_ms)).toBeCloseTo(position, 10)
    expect(isBeforeScale(scale, NOW_MS - ago_ms)).toBe(is_before)
  })
})

test.each([
  [30, ['90 min ago', '1 h ago', '30 min ago', 'now']],
  [170, ['2 h ago', '1 h ago', 'now']],
  [50 * 60, ['2 d ago', '36 h ago', '1 d ago', '12 h ago', 'now']],
  [40 * 24 * 60, ['6 d ago', '5 d ago', '4 d ago', '3 d ago', '2 d ago', '1 d ago', 'now']],
])('a past of %i minutes has ticks at round distances', (minutes, labels) => {
  const scale = scaleOf(minutes * MINUTE_MS)
  const ticks = ticksOf(scale)
  expect(ticks.map(({ label }) => label)).toEqual(labels)
  const hourly = ticks.find(({ label }) => label === '1 h ago')
  if (hourly) expect(hourly.position).toBe(positionOf(scale, NOW_MS - HOUR_MS))
})

test.each([
  [20_000, 'less than a minute'],
  [89 * MINUTE_MS, '89 min'],
  [90 * MINUTE_MS, '2 h'],
  [47 * HOUR_MS, '47 h'],
  [72 * HOUR_MS, '3 d'],
  [-72 * HOUR_MS, '3 d'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
