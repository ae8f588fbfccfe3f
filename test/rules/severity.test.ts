/** How much risk and importance weigh, and which of many overlaps are listed. See `kinds.test.ts` for severities. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { activityWeight, bySeverity, notableWeight, Ranking } from '../../src/vocabulary/severity.ts'

test.each([
  ['low', 0, 0],
  ['medium', 0, 1],
  ['high', 1, 2],
  ['critical', 1, 2],
] as const)('%s risk weighs %i, such importance %i, and what is blocking 2', (level, risk, importance) => {
  const weights = (blocking: boolean) => [
    activityWeight({ risk: level, blocking }),
    notableWeight({ importance: level, blocking }),
  ]
  expect([weights(false), weights(true)]).toEqual([
    [risk, importance],
    [2, 2],
  ])
})

describe('of several', () => {
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
