/** What the page reads from the service, and how it words a time. */
import { expect, test } from 'vitest'
import { duration, timeAgo } from '../../src/page/duration.ts'
import { parseAnswer } from '../../src/page/parse-answer.ts'
import { HOUR_MS } from '../support/page-records.ts'

test('the page removes invisible characters from every text that it reads', () => {
  const activity = { id: 'act_1', title: 'Re\u200btry \u202e\u{e0041}', scope: { paths: ['a\u2066.ts'] } }
  expect(parseAnswer(JSON.stringify(activity))).toEqual({
    id: 'act_1',
    title: 'Retry ',
    scope: { paths: ['a.ts'] },
  })
})

test.each([
  ['', {}],
  ['<html>Bad gateway</html>', undefined],
])('the page reads %j as %j', (text, answer) => {
  expect(parseAnswer(text)).toEqual(answer)
})

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
