/** How the page words a time. */
import { expect, test } from 'vitest'
import { duration, timeAgo } from '../../src/page/duration.ts'
import { HOUR_MS } from '../support/page-records.ts'

test.each([
  [20_000, 'less than a minute'],
  [89 * 60_000, '89 min'],
  [90 * 60_000, '2 h'],
  [47 * HOUR_MS, '47 h'],
  [72 * HOUR_MS, '3 d'],
  [-72 * HOUR_MS, '3 d'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test.each([
  [0, 'just now'],
  [61_000, '1 minute ago'],
  [72 * HOUR_MS, '3 days ago'],
])('%d ms are %s', (ms, text) => {
  expect(timeAgo(ms)).toBe(text)
})
