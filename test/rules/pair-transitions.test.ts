/** How a pair of the ledger changes with each event. */
import { describe, expect, test } from 'vitest'
import type { ChangedFile } from '../../src/engine/lines/change.ts'
import type { ActivityRow } from '../../src/server/records/activities/table.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'
import {
  branchSubject,
  causeOf,
  findAuthor,
  type LastChange,
  type LedgerSide,
  lastActive,
  pullRequestSubject,
} from '../../src/server/tell/sides.ts'
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
import { comparedActivity, SAME_NUMBER } from '../support/conclusion.ts'

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
  conflicts: Array(21).fill(CONFLICT),
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
    const taken = { kind: 'number', directory: 'db/migrations', value: '0042' }
    expect(open).toEqual({
      ...{ repo_id: 1, a: '#1', b: '#2', cause: 'b', consequence: 'conflict', confidence: 'proved' },
      sides: {
        a: { author: 'cy', active_at: at(0).toISOString(), head: 'a1' },
        b: { author: 'ben', active_at: at(10).toISOString(), head: 'b1' },
      },
      files: Array(20).fill({ path: 'a.ts', a: [3, 4], b: [1, 2] }),
      sequence: [
        { ...taken, a: { name: '0042_carts.sql', own: null }, b: { name: '0042_orders.sql', own: null } },
      ],
      ...{ seen_at: at(11), a_shown_at: null, b_shown_at: null, notified_at: null },
      ...{ is_done: false, merged: null, merged_at: null, outcome: 'open', ended_at: null },
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
  const lost = (mine: LastChange, other: LastChange | null) =>
    afterAbsence(open, { key: '#2', mine, other }, at(30))

  test.each([
    ['after a push of this side: resolved', pushed(25, 'b2'), pushed(0, 'a1'), 'resolved', at(25)],
    ['after a push of the other side: resolved', pushed(10, 'b1'), pushed(26, 'a2'), 'resolved', at(26)],
    ['after a push of both: resolved by the first', pushed(27, 'b2'), pushed(26, 'a2'), 'resolved', at(26)],
    ['after a push in the same second: resolved', pushed(10, 'b2'), pushed(0, 'a1'), 'resolved', at(10)],
    ['without a push: open', pushed(10, 'b1'), pushed(0, 'a1'), 'open', null],
    ['after a declaration: resolved', pushed(25), pushed(0), 'resolved', at(25)],
    ['without one: open', pushed(10), pushed(0), 'open', null],
    ['because the work of a branch ended: given up', pushed(10, 'b1'), null, 'given_up', at(30)],
  ])('%s', (_, mine, other, outcome, ended_at) => {
    expect(lost(mine, other)).toMatchObject({ outcome, ended_at })
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
    const ended = { outcome: 'merged_anyway', merged: 'a' }
    expect(afterEnd(resolved, { key: '#1', is_merged: true, at: at(20) })).toMatchObject(ended)
    for (const [is_merged, minute] of [
      [true, 40],
      [true, 25],
      [false, 20],
    ] as const)
      expect(afterEnd(resolved, { key: '#1', is_merged, at: at(minute) })).toEqual(resolved)
  })
})

test('work that was done already is a pair until a push takes the lines away, unless a shown pair ended by the merge', () => {
  const [mine, its] = [side('#2', pushed(10, 'b1')), side('#1', pushed(5, 'a2'))]
  const done = (row?: PairRow) => afterDone(row, { side: mine, done: its, repo_id: 1, now: at(11) })
  const its_end = { merged: 'a', merged_at: at(5), outcome: 'open', ended_at: null }
  const asDone = { ...{ is_done: true, consequence: 'same_work' }, ...its_end }
  const sides = { ...open.sides, a: { author: 'ben', active_at: at(5).toISOString(), head: 'a2' } }
  expect(done()).toEqual({ ...open, ...asDone, sides, confidence: null, files: [], sequence: [] })
  expect(done(merged)).toEqual({ ...open, ...asDone })
  const shown = { ...merged, b_shown_at: at(12) }
  expect(done(shown)).toBe(shown)
  const closed = withOutcome({ ...open, b_shown_at: at(12) }, 'given_up', at(12))
  expect(done(closed)).toMatchObject(asDone)
  const stale = { ...done(), b_shown_at: at(12), sides: { ...sides, b: sides.a } }
  expect(done(stale).sides).toEqual(sides)
  expect(afterEnd(done(), { key: '#1', is_merged: true, at: at(5) })).toEqual(done())
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
  const renamed = afterRename(branch, 'branch:fix', '#2')
  expect(renamed).toMatchObject({
    ...{ a: '#2', b: '#3', cause: 'a', merged: null },
    sides: { a: { author: 'ben' }, b: { author: 'cy' } },
    files: Array(20).fill({ a: [1, 2], b: [3, 4] }),
  })
  const end = { key: '#3', is_merged: true, at: at(20) }
  expect(afterRename(afterEnd(branch, end), 'branch:fix', '#2')).toEqual(afterEnd(renamed, end))
})

const onBranch = { ...open, a: '#1', b: 'branch:fix' }
const own = { ...open, a: '#2', b: 'branch:fix' }
const ofBranches = { ...open, a: 'branch:fix', b: 'branch:zoo' }
const withLater = { ...open, a: '#2', b: '#3' }
test.each<[string, PairRow[], PairRow[]]>([
  ['one moves to it', [onBranch], [open]],
  ['one that it has itself is left out', [open, onBranch], [open]],
  ['that with itself is left out', [own], []],
  ['its own stay', [open, withLater], [open, withLater]],
  ['one with another branch moves', [ofBranches], [{ ...ofBranches, a: '#2' }]],
])('of the pairs of a branch that got a pull request, %s', (_, rows, expected) => {
  expect([...gatherPairs(rows, '#2', 'branch:fix').values()]).toEqual(expected)
})

describe('a side', () => {
  const work = (id: string, given: Partial<ActivityRow>) => comparedActivity(id, given) as ActivityRow
  const files = [{ path: 'a.ts' }] as ChangedFile[]
  const works = [
    work('a', { created_at: at(3), changed_files: files }),
    work('b', { declared_at: at(5), created_at: at(9) }),
  ] as const

  test('that is a pull request has its last push and its files, and a branch unless it is in a fork', () => {
    const pr = {
      ...{ number: 2, author: 'ben', branch: 'fix', head_sha: 'b1' },
      ...{ pushed_at: at(10), push_received_at: at(11), is_push_seen: true },
    } as PullRequestRow
    const last_change = { at: at(10), received_at: at(11), is_exact: true, head: 'b1' }
    expect(pullRequestSubject(pr, works)).toMatchObject({ key: '#2', branch: 'fix', last_change, files })
    expect(pullRequestSubject({ ...pr, branch: 'eve:fix' }, works).branch).toBeNull()
  })

  test('that is a branch has the last declaration, the files and the first author of its activities', () => {
    expect(branchSubject('fix', [...works])).toMatchObject({
      ...{ key: 'branch:fix', author: 'login-a', pr: null, branch: 'fix', activities: works, files },
      last_change: pushed(5),
    })
    expect(findAuthor({ source: 'api', actor: 'Ada', created_by: null })).toBe('Ada')
  })

  test.each([
    ['pushed', null, at(10)],
    ['made ready', at(11), at(11)],
    ['pushed after it was made ready', at(9), at(10)],
  ])('that is a pull request was active when it was %s', (_, ready_at, expected) => {
    expect(lastActive({ pushed_at: at(10), ready_at })).toEqual(expected)
  })
})
