/** The pace of an installation: at most 80 writes a minute and 500 an hour, kept back evenly, and 600 calls a minute for imports. */
import { expect, test } from 'vitest'
import {
  bookImportCalls,
  bookWrites,
  type ImportPace,
  type WritePace,
} from '../../src/server/records/repositories/installation-store.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'

const START = Date.parse('2026-03-02T09:00:00.000Z')
const SECOND_MS = 1000

/** When `count` writes are made that are all wanted at the start, in seconds. */
function booked(count: number, pace: WritePace = { next_write_at: null, writes_until: null }): number[] {
  let current = pace
  return Array.from({ length: count }, () => {
    const { at, ...next } = bookWrites(current, 1, new Date(START))
    current = next
    return (at.getTime() - START) / SECOND_MS
  })
}

/** The most writes within any time of this length. */
function mostWithin(times: number[], seconds: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + seconds).length))
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
  expect(mostWithin(booked(1200), ms / SECOND_MS)).toBeLessThanOrEqual(most)
})

test('two writes at once delay the next one by two seconds', () => {
  const { at, ...pace } = bookWrites({ next_write_at: null, writes_until: null }, 2, new Date(START))
  expect(at.getTime()).toBe(START)
  expect(booked(1, pace)).toEqual([2])
})

test('an hour without writes restores the burst', () => {
  let pace: WritePace = { next_write_at: null, writes_until: null }
  for (let count = 0; count < 80; count += 1) pace = bookWrites(pace, 1, new Date(START))
  const after = new Date(START + HOUR_MS)
  expect(bookWrites(pace, 1, after).at).toEqual(after)
})

test('no minute has more than 600 calls of imports', () => {
  let pace: ImportPace = { imports_until: null }
  const times = Array.from({ length: 1000 }, () => {
    const { at, ...next } = bookImportCalls(pace, 5, new Date(START))
    pace = next
    return (at.getTime() - START) / SECOND_MS
  })
  expect(5 * mostWithin(times, MINUTE_MS / SECOND_MS)).toBeLessThanOrEqual(600)
})
