/** Which failed deliveries are requested again, and how often. */
import { expect, test } from 'vitest'
import { dueOf } from '../../src/server/github/tracking/redeliver.ts'

const now = new Date('2026-03-02T12:00:00Z')
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const failed = (guid: string, id = 1) => ({ guid, id })

test('a hundred deliveries are requested at a time, in the given order', () => {
  const many = Array.from({ length: 130 }, (_, index) => failed(`g${index}`, index))
  expect(dueOf(many, [], now)).toEqual(many.slice(0, 100))
  const asked = many.slice(0, 100).map(({ guid }) => ({ guid, attempts: 1, requested_at: ago(9) }))
  expect(dueOf(many, asked, now)).toEqual(many.slice(100))
})

test.each([
  [1, 10],
  [2, 20],
  [3, 40],
  [4, 80],
])('a delivery that was requested %i times is due again after %i minutes', (attempts, minutes) => {
  const asked = (since: number) => [{ guid: 'g', attempts, requested_at: ago(since) }]
  expect(dueOf([failed('g')], asked(minutes), now)).toEqual([failed('g')])
  expect(dueOf([failed('g')], asked(minutes - 1), now)).toEqual([])
})

test('a delivery that was requested five times is never due', () => {
  expect(dueOf([failed('g')], [{ guid: 'g', attempts: 5, requested_at: ago(4000) }], now)).toEqual([])
})
