/** The signal report: precision, months, and the words of the page. */
import { describe, expect, test } from 'vitest'
import { noiseShares } from '../../src/page/signal-words.ts'
import { monthsOf, pairCountsOf, precisionOf } from '../../src/server/ledger/precision.ts'
import { NOISE_CLASSES } from '../../src/vocabulary/noise-names.ts'

test.each([
  [{ came_true: 9, resolved: 0, wrong: 0 }, null],
  [{ came_true: 0, resolved: 0, wrong: 10 }, 0],
  [{ came_true: 4, resolved: 4, wrong: 2 }, 0.8],
  [{ came_true: 10, resolved: 0, wrong: 0, given_up: 90 }, 1],
])('the precision of %j is %s', (counts, precision) => {
  expect(precisionOf(counts)).toBe(precision)
})

test('an outcome without pairs counts as none', () => {
  expect(pairCountsOf({ open: 2, wrong: 1 })).toEqual({
    shown: 3,
    came_true: 0,
    resolved: 0,
    wrong: 1,
    given_up: 0,
    open: 2,
  })
})

describe('months', () => {
  test('add stored and deleted pairs, the oldest month first', () => {
    const months = monthsOf([
      { month: '2026-02', outcome: 'open', pairs: 1 },
      { month: '2026-01', outcome: 'wrong', pairs: 2 },
      { month: '2026-01', outcome: 'resolved', pairs: 5 },
      { month: '2026-01', outcome: 'resolved', pairs: 3 },
    ])
    expect(months).toMatchObject([
      { month: '2026-01', shown: 10, resolved: 8, wrong: 2, precision: 0.8 },
      { month: '2026-02', shown: 1, open: 1, precision: null },
    ])
  })

  test('are the last twelve', () => {
    const names = Array.from({ length: 14 }, (_, at) => `20${at + 10}-01`)
    const months = monthsOf(names.map((month) => ({ month, outcome: 'open', pairs: 1 })))
    expect(months.map(({ month }) => month)).toEqual(names.slice(2))
  })
})

describe('noise', () => {
  test('is a share of all pairs, most first, with what to do', () => {
    expect(noiseShares({ noise: { lock: 8, changelog: 61 }, recorded: 31 })).toEqual([
      { noise: 'changelog', share: 0.61, files: 'changelogs', cure: expect.stringContaining('merge=union') },
      { noise: 'lock', share: 0.08, files: 'lock files', cure: expect.any(String) },
    ])
    expect(noiseShares({ noise: {}, recorded: 0 })).toEqual([])
  })

  test.each(NOISE_CLASSES)('of the class %s has a remedy', (noise) => {
    const [share] = noiseShares({ noise: { [noise]: 1 }, recorded: 0 })
    expect(share?.cure).toMatch(/^[a-z].*[^.]$/)
  })
})
