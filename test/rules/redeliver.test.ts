/** Which failed deliveries are requested again, and how often. */
import { expect, test } from 'vitest'
import { type Attempt, dueOf } from '../../src/server/github/tracking/redeliver.ts'

const now = new Date('2026-03-02T12:00:00Z')
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()
const failed = (guid: string, id: number, minutes = 200): Attempt => {
  return { id, guid, status_code: 503, delivered_at: ago(minutes) }
}

test('a hundred deliveries are requested at a time, the oldest first', () => {
  const many = Array.from({ length: 130 }, (_, index) => failed(`g${index}`, index))
  const ids = many.map(({ id }) => id)
  expect(dueOf(many.toReversed(), now)).toEqual(ids.slice(0, 100))
  const asked = many.slice(0, 100).map(({ guid }, index) => failed(guid, 1000 + index, 9))
  expect(dueOf([...asked, ...many.toReversed()], now)).toEqual(ids.slice(100))
})

/** The attempts of one delivery after so many requests, the last one so long ago. */
const requested = (times: number, minutes: number) =>
  Array.from({ length: times + 1 }, (_, index) => failed('g', times - index, index === 0 ? minutes : 200))

test.each([1, 2, 3, 4])(
  'a delivery that was requested %i times is due again after ten minutes, doubled with each time, and after five times never',
  (times) => {
    const minutes = 5 * 2 ** times
    expect(dueOf(requested(times, minutes), now)).toEqual([0])
    expect(dueOf(requested(times, minutes - 1), now)).toEqual([])
    expect(dueOf(requested(5, 4000), now)).toEqual([])
  },
)
