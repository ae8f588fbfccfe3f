/** What a set of live records knows after changes: which have ended, what is near, and nothing of those that are gone. */
import { expect, test } from 'vitest'
import { LiveSet } from '../../src/engine/live-set.ts'
import { type LiveRecord, type Outline, type StoredScope, scopeOf } from '../../src/engine/record.ts'
import { parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { pathSet } from '../../src/vocabulary/scope/path-set.ts'
import { atOnce } from '../support/steps.ts'

const NOTHING: StoredScope = { areas: [], paths: [], is_literal: false, files: [], taken: [] }
const ALL: StoredScope = { ...NOTHING, areas: ['Till'], paths: ['src/*'], files: ['src/a.ts'], taken: ['!7'] }
const NOTE = { kind: 'notable', branch: null, base_branch: null } as const

const outline = (id: string, given: Partial<Outline> = {}): Outline => ({
  ...{ id, kind: 'activity', weight: 0, branch: 'work', base_branch: 'main', ends_at: 10 },
  ...{ pr_number: null, is_cut: true, scope: ALL, ...given },
})
function setOf(...outlines: Outline[]): LiveSet {
  const set = new LiveSet()
  for (const each of outlines) set.replace(each)
  return set
}
const idsOf = (records: Iterable<LiveRecord>) => [...records].map(({ id }) => id).sort()
/** The records near these paths, and by what. */
const near = (set: LiveSet, paths: string[]) =>
  atOnce(
    set.near(
      { paths: pathSet(paths.map((path) => parseGlob(path))), places: new Map() },
      { deadline: { isOver: false }, ignore: () => false, isWanted: () => true },
    ),
  )
/** All that the set says. */
const known = (set: LiveSet) => ({
  records: [...set.records()].map((each) => [each.id, each.weight, scopeOf(each)]).sort(),
  bytes: set.bytes,
  counts: set.countAt(0),
  cut: idsOf(set.cut()),
  placed: ['#till', '#shop', '!7', '!8'].map((place) => idsOf(set.at(place))),
  files: [...set.paths.filesBeneath('src')].map(({ source, owners }) => [source, idsOf(owners)]),
  near: [...near(set, ['src/*', 'lib/*'])].map(([{ id }, by]) => `${id} by ${by}`).sort(),
  branches: ['work', 'other'].map((name) => idsOf(set.onBranch(name, 0))),
  stacked: ['main', 'next'].map((branch) =>
    idsOf(set.stacksAt(0).expectedOf({ branch, base_branch: null }).keys()),
  ),
})

const OTHER: StoredScope = {
  ...NOTHING,
  areas: ['shop'],
  paths: ['lib/b.ts'],
  is_literal: true,
  taken: ['!8'],
}
const MOVED = outline('a', {
  ...{ branch: 'other', base_branch: 'next', weight: 1 },
  is_cut: false,
  scope: OTHER,
})

test('a set knows nothing of records that were replaced, removed or deleted', () => {
  const set = setOf(outline('b'), outline('a'), outline('c', NOTE), outline('d', { ...NOTE, scope: NOTHING }))
  set.replace(MOVED)
  for (const id of ['b', 'c', 'unknown']) set.remove(id)
  set.moveEnds([set.get('d') as LiveRecord], new Map(), 0)
  expect(known(set)).toEqual(known(setOf(MOVED)))
  const all = [MOVED, outline('b'), outline('c', NOTE)]
  expect(known(setOf(...all))).not.toEqual(known(setOf(MOVED)))
  set.replaceLinks([{ branch: 'other', base_branch: 'main' }])
  set.version = 1
  set.clear()
  expect(known(set)).toEqual(known(new LiveSet()))
  expect(set.version).toBe(-1)
  set.replace(MOVED)
  expect(known(set)).toEqual(known(setOf(MOVED)))
})

test('a record takes more memory with each text, and with its length', () => {
  const scopes = [NOTHING, { areas: ['a'] }, { taken: ['!70'] }, { files: ['ab'] }, { files: ['abcd', 'x'] }]
  const bytes = scopes.map((scope) => setOf(outline('a', { scope: { ...NOTHING, ...scope } })).bytes)
  expect(bytes[0]).toBeGreaterThan(0)
  expect(bytes).toEqual([...new Set(bytes)].sort((a, b) => a - b))
})

test.each<[string, StoredScope]>([
  ['nothing', NOTHING],
  ['globs and files', { ...ALL, paths: ['src/*', 'a.ts'], files: ['a.ts', 'src/a.ts'] }],
  ['names of files', OTHER],
  ['names of files, and other files', { ...OTHER, files: ['lib/c.ts'] }],
])('a record keeps its scope: %s', (_, scope) => {
  expect(scopeOf(setOf(outline('a', { scope })).get('a') as LiveRecord)).toEqual(scope)
})

test.each<[string, number, { activities: number; notables: number }, string[]]>([
  ['before any end', 9, { activities: 2, notables: 1 }, []],
  ['at the end of one', 10, { activities: 1, notables: 1 }, ['a']],
  ['at the end of a notable, which cannot move', 30, { activities: 0, notables: 0 }, ['a', 'b']],
])('%s, the others count, and an activity only seems to have ended', (_, now, counts, seem_ended) => {
  const set = setOf(outline('b', { ends_at: 20 }), outline('a'), outline('c', { ...NOTE, ends_at: 30 }))
  expect(set.countAt(now)).toEqual(counts)
  expect(idsOf(set.seemEnded(now))).toEqual(seem_ended)
})

test('an end moves with a heartbeat until it is final', () => {
  const set = setOf(outline('a'), outline('b', { ends_at: 50 }))
  const move = (ends_at: number, final: number) =>
    set.moveEnds([set.get('a') as LiveRecord], new Map([['a', ends_at]]), final)
  move(20, 20)
  expect([10, 19, 20].map((now) => idsOf(set.seemEnded(now)))).toEqual([[], [], ['a']])
  expect([19, 20].map((now) => idsOf(set.onBranch('work', now)))).toEqual([['a', 'b'], ['b']])
  move(20, 21)
  expect(idsOf(set.seemEnded(20))).toEqual([])
  expect(set.countAt(20)).toEqual({ activities: 1, notables: 0 })
})

test('the patterns of the heaviest records come first, then those of the newest', () => {
  const pattern = (id: string, weight: 0 | 1) =>
    outline(id, { weight, scope: { ...NOTHING, paths: [`{${id},x}*.ts`] } })
  const set = setOf(pattern('b', 0), pattern('a', 1), pattern('c', 0))
  expect([...near(set, ['*.ts']).keys()].map(({ id }) => id)).toEqual(['a', 'c', 'b'])
})
