/** The place of a job in the queue: its priority, and since when it is due. */
import { describe, expect, test } from 'vitest'
import { type Priority, placeOf, rankOf } from '../../src/server/jobs/store.ts'

const now = new Date('2026-03-02T09:00:00.000Z')
const earlier = new Date('2026-03-02T08:00:00.000Z')
const soon = new Date('2026-03-02T09:00:10.000Z')
const cause = (priority: Priority) => ({ priority: rankOf(priority), run_at: earlier })

test('a job that nothing but a request or a delivery causes keeps its place', () => {
  expect(placeOf({ priority: 'recheck', run_at: now }, undefined, now)).toEqual({ priority: 1, run_at: now })
})

describe('a job that another one causes', () => {
  test.each<[Priority, Priority, number]>([
    ['live', 'live', 0],
    ['recheck', 'live', 1],
    ['import', 'live', 2],
    ['live', 'recheck', 0],
    ['recheck', 'recheck', 1],
    ['import', 'import', 2],
    ['live', 'import', 2],
    ['recheck', 'import', 2],
    ['import', 'reconcile', 3],
    ['live', 'reconcile', 3],
    ['recheck', 'reconcile', 3],
  ])('%s within %s has rank %i, and is due since its cause is', (priority, of, rank) => {
    const place = { priority: rank, run_at: earlier }
    expect(placeOf({ priority, run_at: now }, cause(of), now)).toEqual(place)
  })

  test('keeps its distance from others that are due earlier', () => {
    const run_at = new Date(now.getTime() - 300)
    expect(placeOf({ priority: 'import', run_at }, cause('import'), now).run_at).toEqual(
      new Date(earlier.getTime() - 300),
    )
  })

  test('keeps its own priority if it is for later', () => {
    const place = placeOf({ priority: 'recheck', run_at: soon }, cause('import'), now)
    expect(place).toEqual({ priority: 1, run_at: soon })
  })
})
