/** The severity of an overlap, and which of many are listed. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bySeverity, highest, overlapSeverity, Ranking } from '../../src/vocabulary/severity.ts'
import { activityWeight, notableWeight } from '../../src/vocabulary/weight.ts'

describe('a collision', () => {
  test.each([
    ['area', 'low', 'low'],
    ['area', 'medium', 'low'],
    ['area', 'high', 'medium'],
    ['area', 'critical', 'medium'],
    ['path', 'low', 'medium'],
    ['path', 'medium', 'medium'],
    ['path', 'high', 'high'],
    ['path', 'critical', 'high'],
  ] as const)(
    'by %s with an activity of %s risk is %s, and high if that is blocking',
    (by, risk, severity) => {
      expect(overlapSeverity(by, activityWeight({ risk, blocking: false }))).toBe(severity)
      expect(overlapSeverity(by, activityWeight({ risk, blocking: true }))).toBe('high')
    },
  )
})

describe('a notable', () => {
  test.each([
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['critical', 'high'],
  ] as const)('of %s importance is %s, and high if it is blocking', (importance, severity) => {
    expect(overlapSeverity('notable', notableWeight({ importance, blocking: false }))).toBe(severity)
    expect(overlapSeverity('notable', notableWeight({ importance, blocking: true }))).toBe('high')
  })
})

describe('of several', () => {
  test.each([
    [[], null],
    [['low'], 'low'],
    [['low', 'medium', 'low'], 'medium'],
    [['medium', 'high', 'low'], 'high'],
  ] as const)('%o the highest is %s', (severities, severity) => {
    expect(highest(severities.map((each, index) => ({ id: String(index), severity: each })))).toBe(severity)
  })

  const order = ['high', 'medium', 'low'] as const
  const item = fc.record({ id: fc.uuid(), severity: fc.constantFrom(...order) })
  const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 60 })

  test('the most severe, then newest are kept, for any number and order', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 10 }), (all, max) => {
        const ranking = new Ranking<(typeof all)[number]>(max, bySeverity)
        for (const each of all) ranking.add(each)
        const sorted = order.flatMap((severity) => {
          const alike = all.filter((each) => each.severity === severity).map(({ id }) => id)
          return alike.sort().reverse()
        })
        expect(ranking.top().map(({ id }) => id)).toEqual(sorted.slice(0, max))
        expect(ranking.total).toBe(all.length)
      }),
    )
  })
})
