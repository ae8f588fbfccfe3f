/** How a pair of the ledger changes with each event. */
import { describe, expect, test } from 'vitest'
import { causeOf, type LastChange, type LedgerSide } from '../../src/server/tell/sides.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import {
  afterAbsence,
  afterDone,
  afterEnd,
  afterRename,
  afterSighting,
  afterUndone,
  gatherPairs,
  type Sighting,
  slotOf,
  withOutcome,
} from '../../src/server/tell/transitions.ts'
import { SAME_NUMBER } from '../support/conclusion.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute))
const pushed = (minute: number, head: string | null = null): LastChange => ({
  at: at(minute),
  received_at: at(minute),
  is_exact: true,
  head,
})
const arrivedLater = (minute: number): LastChange => ({ ...pushed(minute), received_at: at(minute + 1) })
const unknown = (minute: number): LastChange => ({ ...pushed(minute), is_exact: false })
const side = (key: string, last_change: LastChange): LedgerSide => ({ key, author: 'ben', last_change })
const CONFLICT: Sighting['conflicts'][number] = {
  ...{ yours: 'a.ts', theirs: 'a.ts', example: 'a.ts', verdict: 'conflict', confidence: 'proved' },
  ...{ your_lines: [1, 2], their_lines: [3, 4] },
}
const sighting = (key: string, last_change: LastChange): Sighting => ({
  ...side(key, last_change),
  author: 'cy',
  consequence: 'conflict',
  confidence: 'proved',
  conflicts: [CONFLICT],
  sequence: [{ taken: SAME_NUMBER, your_own: null, their_own: null }],
})

/** #2, pushed at 9:10, and #1, pushed at 9:00, as #2 sees it. */
function found(row?: PairRow, mine = pushed(10, 'b1'), its = pushed(0, 'a1')): PairRow {
  return afterSighting(row, {
    side: side('#2', mine),
    sighting: sighting('#1', its),
    repo_id: 1,
    now: at(11),
  })
}
const open = found()
const merged = afterEnd(open, { key: '#1', is_merged: true, at: at(20) })

test.each([
  ['this one', pushed(10), pushed(0), 'a'],
  ['the other one', pushed(0), pushed(10), 'b'],
  ['within a second, the one whose event arrived last', arrivedLater(0), pushed(0), 'a'],
  ['unknown if that is the same too', pushed(0), pushed(0), null],
  ['known against an earlier push that was not seen', pushed(10), unknown(0), 'a'],
  ['unknown if the last push was not seen', pushed(0), unknown(10), null],
] as const)('the cause of a pair is the side that was pushed last: %s', (_, a, b, cause) => {
  expect(causeOf({ a, b })).toBe(cause)
})

test('keys are ordered by their bytes, for either side', () => {
  expect(slotOf('#1', '#2')).toBe('a')
  expect(slotOf('#2', '#1')).toBe('b')
  expect(slotOf('#10', '#9')).toBe('a')
  expect(slotOf('branch:é', 'branch:z')).toBe('b')
})

describe('a comparison that finds the pair', () => {
  test('enters both sides, their lines, what they take and the cause', () => {
    expect(open).toMatchObject({
      ...{ a: '#1', b: '#2', cause: 'b' },
      sides: { a: { author: 'cy', head: 'a1' }, b: { author: 'ben', head: 'b1' } },
      consequence: 'conflict',
      files: [{ path: 'a.ts', a: [3, 4], b: [1, 2] }],
      sequence: [
        { kind: 'number', value: '0042', a: { name: '0042_carts.sql' }, b: { name: '0042_orders.sql' } },
      ],
      seen_at: at(11),
      outcome: 'open',
    })
  })

  test('keeps the cause while it is open, also after a push of the other side', () => {
    expect(found(open, pushed(10), pushed(15))).toMatchObject({
      cause: 'b',
      sides: { a: { active_at: at(15).toISOString() } },
    })
  })

  test.each(['resolved', 'given_up'] as const)('opens one again that was %s, with a new cause', (outcome) => {
    const again = found(withOutcome(open, outcome, at(12)), pushed(10), pushed(15))
    expect(again).toMatchObject({ outcome: 'open', ended_at: null, cause: 'a', seen_at: at(11) })
  })

  test('leaves one that ended by a merge', () => {
    expect(found(merged)).toEqual(merged)
  })
})

describe('a comparison that does not find it any more', () => {
  const lost = (mine: LastChange, other: LastChange | null, row = open) =>
    afterAbsence(row, { key: '#2', mine, other }, at(30))

  test.each([
    ['after a push of this side: resolved', pushed(25, 'b2'), pushed(0, 'a1'), 'resolved', at(25)],
    ['after a push of the other side: resolved', pushed(10, 'b1'), pushed(26, 'a2'), 'resolved', at(26)],
    ['after a push in the same second: resolved', pushed(10, 'b2'), pushed(0, 'a1'), 'resolved', at(10)],
    ['without a push: open', pushed(10, 'b1'), pushed(0, 'a1'), 'open', null],
    ['because the work of a branch ended: given up', pushed(10, 'b1'), null, 'given_up', at(30)],
  ])('%s', (_, mine, other, outcome, ended_at) => {
    expect(lost(mine, other)).toMatchObject({ outcome, ended_at })
  })

  test('changes nothing once one side was merged', () => {
    expect(lost(pushed(25), pushed(0), merged)).toEqual(merged)
  })
})

describe('the end of a side', () => {
  test('that is merged ends the pair, and what follows changes nothing', () => {
    const ended = { outcome: 'merged_anyway', ended_at: at(20) }
    expect(merged).toMatchObject({ ...ended, merged: 'a', merged_at: at(20) })
    for (const [key, is_merged, minute] of [
      ['#1', true, 20],
      ['#2', true, 30],
      ['#2', false, 30],
    ] as const)
      expect(afterEnd(merged, { key, is_merged, at: at(minute) })).toEqual(merged)
  })

  test('that is closed unmerged gives the pair up', () => {
    expect(afterEnd(open, { key: '#1', is_merged: false, at: at(20) }).outcome).toBe('given_up')
  })

  test.each([
    ['the merge, if it was first', 20, 30, 'merged_anyway'],
    ['the closing, if it was first', 30, 20, 'given_up'],
    ['the merge, if both were at the same time', 20, 20, 'merged_anyway'],
  ])('decides as %s, in either order of the deliveries', (_, merged_at, closed_at, outcome) => {
    const merge = { key: '#1', is_merged: true, at: at(merged_at) }
    const closing = { key: '#2', is_merged: false, at: at(closed_at) }
    expect(afterEnd(afterEnd(open, merge), closing).outcome).toBe(outcome)
    expect(afterEnd(afterEnd(open, closing), merge).outcome).toBe(outcome)
  })

  test('before the push that resolved the pair, delivered after it, decides', () => {
    const resolved = withOutcome(open, 'resolved', at(25))
    expect(afterEnd(resolved, { key: '#1', is_merged: true, at: at(20) })).toMatchObject({
      outcome: 'merged_anyway',
      merged: 'a',
    })
    expect(afterEnd(resolved, { key: '#1', is_merged: true, at: at(40) })).toEqual(resolved)
  })
})

test('work that was done already is a pair until a push takes the lines away, unless a shown pair ended by the merge', () => {
  const [mine, its] = [side('#2', pushed(10, 'b1')), side('#1', pushed(5, 'a2'))]
  const done = (row?: PairRow) => afterDone(row, { side: mine, done: its, repo_id: 1, now: at(11) })
  const sides = { a: { head: 'a2' }, b: { head: 'b1' } }
  expect(done()).toMatchObject({ a: '#1', b: '#2', merged: 'a', merged_at: at(5), cause: 'b', sides })
  expect(done(merged)).toMatchObject({ is_done: true, outcome: 'open', ended_at: null, sides: merged.sides })
  const shown = { ...merged, b_shown_at: at(12) }
  expect(done(shown)).toBe(shown)
  expect(afterUndone(done(), mine)).toEqual(done())
  const resolved = { outcome: 'resolved', ended_at: at(12) }
  expect(afterUndone(done(), side('#2', pushed(12, 'b2')))).toMatchObject(resolved)
})

test('a branch that becomes a pull request keeps its pairs, with the sides in order', () => {
  const branch = afterSighting(undefined, {
    side: side('branch:fix', pushed(10)),
    sighting: sighting('#3', pushed(0)),
    repo_id: 1,
    now: at(11),
  })
  expect(branch).toMatchObject({ a: '#3', b: 'branch:fix', cause: 'b' })
  expect(afterRename(branch, 'branch:fix', '#2')).toMatchObject({
    ...{ a: '#2', b: '#3', cause: 'a' },
    sides: { a: { author: 'ben' }, b: { author: 'cy' } },
    files: [{ a: [1, 2], b: [3, 4] }],
  })
})

const onBranch = { ...open, a: '#1', b: 'branch:fix' }
const own = { ...open, a: '#2', b: 'branch:fix' }
test.each<[string, PairRow[], PairRow[]]>([
  ['one moves to it', [onBranch], [open]],
  ['one that it has itself is left out', [open, onBranch], [open]],
  ['that with itself is left out', [own], []],
  ['its own stays', [open], [open]],
])('of the pairs of a branch that got a pull request, %s', (_, rows, expected) => {
  expect([...gatherPairs(rows, '#2', 'branch:fix').values()]).toEqual(expected)
})
