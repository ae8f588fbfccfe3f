/** What the page shows of the overlaps of a repository, and what it hides. */
import { expect, test } from 'vitest'
import type { View } from '../../src/page/address.ts'
import { groupsOf } from '../../src/page/encounters.ts'
import { liveWork } from '../../src/page/live-work.ts'
import { headline, modelOf } from '../../src/page/repository-model.ts'
import { HOUR_MS, NO_VIEW, NOW_MS, pageActivity, pageOverlap } from '../support/page-records.ts'

const by = (id: string, login: string, given: object = {}) =>
  pageActivity(id, { actor: login, created_by: login, ...given })
const at = (example: string) => ({
  paths: [{ globs: [], example, verdict: null, confidence: null, line_ranges: null }],
})
const ago = (days: number) => new Date(NOW_MS - days * 24 * HOUR_MS).toISOString()

const ACTIVITIES = [
  by('a', 'ada', { title: 'Retry', pr_url: 'https://github.com/acme/shop/pull/7' }),
  by('b', 'ben', { branch: 'tidy', scope: { areas: ['Docs'], paths: ['lib/**'], changes: [] } }),
  by('c', 'cy', { agent: 'cursor', pushed_at: ago(15) }),
  by('d', 'renovate', { is_bot: true, pushed_at: ago(13) }),
  by('e', 'ada', { draft_pr: true }),
]
const OVERLAPS = [
  { ...pageOverlap('a', 'b', 'high'), ...at('src/x.ts'), consequence: 'conflict' as const },
  pageOverlap('a', 'c', 'high'),
  pageOverlap('b', 'd'),
  pageOverlap('a', 'e', 'low'),
]
const modelFor = (view: Partial<View>, login: string | null = 'ADA', complete = true) =>
  modelOf(
    {
      activities: { items: ACTIVITIES, is_complete: true, as_of_ms: NOW_MS },
      overlaps: {
        items: OVERLAPS,
        total: 4,
        same_file: { total: 9, pairs: [['a', 'd']] },
        checked_against: { activities: 5, as_of: '', complete, reason: null },
      },
    },
    { ...NO_VIEW, ...view },
    login,
  )
const ids = (groups: { overlaps: readonly { activity_ids: string[] }[] }[]) =>
  groups.flatMap(({ overlaps }) => overlaps.map(({ activity_ids }) => activity_ids.join('')))

test.each<[Partial<View>, string[], string[]]>([
  [{}, ['ab'], ['ae']],
  [{ idle: true }, ['ab', 'ac'], ['ae']],
  [{ bots: true }, ['ab', 'bd'], ['ae']],
  [{ drafts: false }, ['ab'], []],
  [{ pull_request: 7 }, ['ab', 'ac'], ['ae']],
  [{ mine: true, idle: true, bots: true }, ['ab', 'ac'], ['ae']],
  [{ person: 'ben' }, ['ab'], []],
  [{ only: 'conflict' }, ['ab'], []],
  [{ path: 'src/x.ts' }, ['ab'], []],
  [{ path: 'src/y.ts' }, [], []],
  [{ text: ' RETRY ' }, ['ab'], ['ae']],
  [{ text: 'tidy' }, ['ab'], []],
  [{ text: 'docs' }, ['ab'], []],
  [{ text: 'cursor', idle: true }, ['ac'], []],
  [{ text: '/7' }, ['ab'], ['ae']],
  [{ text: 'nobody' }, [], []],
])('with %j the page shows %j, and of the reader’s own %j', (view, needs, own) => {
  const model = modelFor(view)
  expect([ids(model.needs), ids(model.own)]).toEqual([needs, own])
})

test('the page counts what is hidden, by its reason', () => {
  const { hidden, hideable } = modelFor({})
  expect({ hidden, ...hideable }).toEqual({ hidden: 2, idle: 1, bots: 1, drafts: 1 })
})

test('work is in the order of its last push, and what stands beside the overlaps has what is seen', () => {
  const { shown, seen } = modelFor({ bots: true })
  expect(shown.map(({ id }) => id).join('')).toBe('abed')
  expect([...modelFor({}).seen.activities.keys()].join('')).toBe('abe')
  expect([...seen.activities.keys()].join('')).toBe('abde')
})

test('overlaps within the work of somebody else are only counted', () => {
  expect(modelFor({}, 'ben')).toMatchObject({ own: [], others_own: 1 })
})

test('pairs that share a file are those of the chosen work', () => {
  expect(modelFor({}).same_file.total).toBe(9)
  expect(modelFor({ person: 'ben' }).same_file.total).toBe(0)
})

test('the page says that a chosen pull request has no live work', () => {
  expect([7, 8].map((pull_request) => modelFor({ pull_request }).is_gone)).toEqual([false, true])
})

test.each([
  [{}, true, 'No pair needs anybody.'],
  [{ conflict: 1 }, true, '1 pair will conflict.'],
  [
    { conflict: 54, same_work: 6, same_number: 3, possible: 1 },
    true,
    '54 pairs will conflict, 6 do the same work, 3 share a number, 1 may overlap.',
  ],
  [{ same_work: 1 }, false, 'At least 1 pair does the same work.'],
])('the headline of %j is a sentence', (counts, isExact, text) => {
  const none = { conflict: 0, same_work: 0, same_number: 0, possible: 0, same_file: 5 }
  expect(headline({ ...none, ...counts }, { is_exact: isExact })).toBe(text)
})

const FILE = at('CHANGES.md')
test.each([
  ['of one activity are one card', ['ab', 'cd', 'be'], {}, null, { b: 2, c: 1 }],
  ['of the reader come first', ['cd', 'ba'], {}, 'ada', { a: 1, c: 1 }],
  ['at one file are one card', ['ab', 'cd', 'be'], FILE, null, { 'file CHANGES.md': 3 }],
])('overlaps %s', (_, pairs, given, reader, cards) => {
  const overlaps = pairs.map((pair) => ({ ...pageOverlap(pair.charAt(0), pair.charAt(1)), ...given }))
  const groups = groupsOf(overlaps, liveWork(ACTIVITIES, overlaps), reader)
  expect(groups.map(({ key, overlaps: { length } }) => [key, length])).toEqual(Object.entries(cards))
})
