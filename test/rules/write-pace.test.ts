/** The pace of an installation's writes to GitHub: at most 80 a minute and 500 an hour, kept back evenly. */
import { expect, test } from 'vitest'
import { bookWrites, type WritePace } from '../../src/server/repositories/write-pace.ts'

const START = Date.parse('2026-03-02T09:00:00.000Z')
const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** When `count` writes are made that are all wanted at the start, in seconds. */
function booked(count: number, pace: WritePace = { next_write_at: null, writes_until: null }): number[] {
  let current = pace
  return Array.from({ length: count }, () => {
    const { write_at, ...next } = bookWrites(current, 1, new Date(START))
    current = next
    return (write_at.getTime() - START) / SECOND_MS
  })
}

/** The most writes within any time of this length. */
function mostWithin(times: number[], seconds: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + seconds).length))
}

test('the first writes are a second apart', () => {
  expect(booked(3)).toEqual([0, 1, 2])
})

test('after a burst, writes are spread evenly', () => {
  const times = booked(300)
  const gaps = times.slice(100).map((at, index) => at - (times[index + 99] as number))
  expect(new Set(gaps.map((gap) => gap.toFixed(3)))).toEqual(new Set(['8.592']))
})

test('no minute has more than 80', () => {
  expect(mostWithin(booked(1200), MINUTE_MS / SECOND_MS)).toBeLessThanOrEqual(80)
})

test('no hour has more than 500', () => {
  expect(mostWithin(booked(1200), HOUR_MS / SECOND_MS)).toBeLessThanOrEqual(500)
})

test('two writes at once delay the next one by two seconds', () => {
  const { write_at, ...pace } = bookWrites({ next_write_at: null, writes_until: null }, 2, new Date(START))
  expect(write_at.getTime()).toBe(START)
  expect(booked(1, pace)).toEqual([2])
})

test('an hour without writes restores the burst', () => {
  let pace: WritePace = { next_write_at: null, writes_until: null }
  for (let count = 0; count < 80; count += 1) pace = bookWrites(pace, 1, new Date(START))
  const after = new Date(START + HOUR_MS)
  expect(bookWrites(pace, 1, after).write_at).toEqual(after)
})
