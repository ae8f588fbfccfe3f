/** The records of the page after an event. */
import { describe, expect, test } from 'vitest'
import type { Change, ChangedCollisions, ChangedRecords } from '../../src/page/records.ts'
import { applied, type Records } from '../../src/page/records-after-event.ts'
import { NOW_MS, pageActivity, pageOverlap } from '../support/page-records.ts'

const at = (seconds: number) => new Date(NOW_MS + seconds * 1000).toISOString()
const activity = (id: string, seconds: number, title = id) =>
  pageActivity(id, { title, updated_at: at(seconds) })
const list = <Item>(...items: Item[]) => ({ items, is_complete: true, as_of_ms: NOW_MS })
const checked_against = { activities: 3, as_of: at(0), complete: true, reason: null }

const BEFORE: Records = {
  activities: list(activity('c', 0), activity('b', 0), activity('a', 0)),
  notables: list(),
  overlaps: {
    items: [pageOverlap('a', 'b'), pageOverlap('b', 'c'), pageOverlap('a', 'c')],
    total: 3,
    checked_against,
  },
  merge_order: null,
}
const changed = (given: Partial<ChangedRecords>): ChangedRecords => ({
  as_of: at(5),
  activities: [],
  notables: [],
  gone: [],
  ...given,
})
const compared = (given: Partial<ChangedCollisions>): ChangedCollisions => ({
  of: [],
  collisions: [],
  total: 3,
  checked_against,
  merge_order: { items: [], more: 0 },
  ...given,
})
const shown = ({ activities, overlaps }: Records) => ({
  titles: activities?.items.map(({ title }) => title).join(),
  pairs: overlaps?.items.map(({ activity_ids }) => activity_ids.join('')).join(),
})

describe('an event', () => {
  test.each<[string, Change, ReturnType<typeof shown>]>([
    [
      'replaces an activity in its place',
      changed({ activities: [activity('b', 5, 'B')] }),
      { titles: 'c,B,a', pairs: 'ab,bc,ac' },
    ],
    [
      'puts a new activity first',
      changed({ activities: [activity('d', 5)] }),
      { titles: 'd,c,b,a', pairs: 'ab,bc,ac' },
    ],
    ['removes an activity', changed({ gone: ['b'] }), { titles: 'c,a', pairs: 'ab,bc,ac' }],
    [
      'does not bring back an older version',
      changed({ activities: [activity('a', -5, 'old')] }),
      { titles: 'c,b,a', pairs: 'ab,bc,ac' },
    ],
    [
      'replaces all collisions of an activity',
      compared({ of: ['b'], collisions: [pageOverlap('b', 'c')] }),
      { titles: 'c,b,a', pairs: 'ac,bc' },
    ],
    ['that tells nothing new changes nothing', compared({}), { titles: 'c,b,a', pairs: 'ab,bc,ac' }],
  ])('%s', (_, event, expected) => {
    const after = applied(BEFORE, event)
    expect(shown(after)).toEqual(expected)
    expect(shown(applied(after, event))).toEqual(expected)
  })

  test('moves the clock of the page', () => {
    expect(applied(BEFORE, changed({})).activities?.as_of_ms).toBe(NOW_MS + 5000)
    expect(applied(BEFORE, changed({ as_of: at(-5) })).activities?.as_of_ms).toBe(NOW_MS)
  })

  test('waits for the parts that were not read yet', () => {
    const nothing: Records = { activities: null, notables: null, overlaps: null, merge_order: null }
    expect(applied(nothing, changed({ activities: [activity('a', 0)] }))).toEqual(nothing)
    expect(applied(nothing, compared({ of: ['a'] }))).toEqual(nothing)
  })
})
