/** The pace of an installation: at most 80 writes a minute and 500 an hour, kept back evenly, and 600 calls a minute for imports. */
import { expect, test } from 'vitest'
import { CallBudgets } from '../../src/server/github/github-app.ts'
import { bookImportCalls, bookWrites } from '../../src/server/records/repositories/installation-store.ts'

const START = Date.parse('2026-03-02T09:00:00.000Z')
const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const after = (ms: number) => new Date(START + ms)
const UNPACED = { next_write_at: null, writes_until: null }
const NO_IMPORT: Parameters<typeof bookImportCalls>[0] = { imports_until: null }

/** When turns are given that are all wanted at the start, in seconds. */
function turns<Pace>(count: number, pace: Pace, book: (pace: Pace) => Pace & { at: Date }): number[] {
  let current = pace
  return Array.from({ length: count }, () => {
    const { at, ...next } = book(current)
    current = next as Pace
    return (at.getTime() - START) / SECOND_MS
  })
}
const booked = (count: number, pace: Parameters<typeof bookWrites>[0] = UNPACED) =>
  turns(count, pace, (current) => bookWrites(current, 1, after(0)))

/** The most turns within any time of this length. */
function mostWithin(times: number[], ms: number): number {
  const until = (from: number) => from + ms / SECOND_MS
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < until(from)).length))
}

test('after a burst, writes are spread evenly', () => {
  const times = booked(300)
  const gaps = times.slice(100).map((at, index) => at - (times[index + 99] as number))
  expect(new Set(gaps.map((gap) => gap.toFixed(3)))).toEqual(new Set(['8.592']))
})

test.each([
  [80, MINUTE_MS],
  [500, HOUR_MS],
])('at most %i are within any %i ms', (most, ms) => {
  expect(mostWithin(booked(1200), ms)).toBeLessThanOrEqual(most)
})

test('two writes at once delay the next one by two seconds', () => {
  const { at, ...pace } = bookWrites(UNPACED, 2, after(0))
  expect(at.getTime()).toBe(START)
  expect(booked(1, pace)).toEqual([2])
})

test('an hour without writes restores the burst', () => {
  let pace: Parameters<typeof bookWrites>[0] = UNPACED
  for (let count = 0; count < 80; count += 1) pace = bookWrites(pace, 1, after(0))
  expect(bookWrites(pace, 1, after(HOUR_MS)).at).toEqual(after(HOUR_MS))
})

test('no minute has more than 600 calls of imports', () => {
  const times = turns(1000, NO_IMPORT, (pace) => bookImportCalls(pace, 5, after(0)))
  expect(5 * mostWithin(times, MINUTE_MS)).toBeLessThanOrEqual(600)
})

test('12 seconds without an import restore the burst', () => {
  const { at: _, ...pace } = bookImportCalls(NO_IMPORT, 100, after(0))
  expect(bookImportCalls(pace, 100, after(12 * SECOND_MS)).at).toEqual(after(12 * SECOND_MS))
})

test('an import goes on while GitHub counts fewer than 600 calls of any kind in a minute', () => {
  const budgets = new CallBudgets()
  const isBusy = (second: number, remaining: number) => {
    const limit = { 'x-ratelimit-limit': '12500', 'x-ratelimit-remaining': `${remaining}` }
    budgets.observe(1, { ...limit, 'x-ratelimit-reset': `${START + HOUR_MS}` }, after(second * SECOND_MS))
    return budgets.isBusy(1, after(second * SECOND_MS))
  }
  expect([isBusy(0, 12_500), isBusy(30, 12_000), isBusy(40, 11_900)]).toEqual([false, false, true])
  expect([isBusy(61, 11_800), isBusy(62, 12_500)]).toEqual([false, false])
})
