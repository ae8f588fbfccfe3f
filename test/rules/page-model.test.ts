/** What the page shows of the overlaps of a repository, and what it hides; hot folders, shared issues, and the strips of files. */
import { describe, expect, test } from 'vitest'
import type { View } from '../../src/page/address.ts'
import { groupsOf } from '../../src/page/encounters.ts'
import { hotFolders, stripOf } from '../../src/page/hot-spots.ts'
import { chosenAt, liveWork, sharedIssues, touches } from '../../src/page/live-work.ts'
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
        same_file: {
          total: 9,
          pairs: [
            ['a', 'd'],
            ['a', 'gone'],
          ],
        },
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
  [{ path: '/' }, ['ab'], []],
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
  const { hidden, hideable } = modelFor({ person: 'cy' })
  expect(hideable).toEqual({ idle: 1, bots: 0, drafts: 0 })
  expect(hidden).toEqual({ pairs: 1, activities: 1, kinds: ['idle'] })
  expect(modelFor({}).hidden).toEqual({ pairs: 2, activities: 2, kinds: ['idle', 'bots'] })
  const alone = modelFor({ person: 'cy', only: 'conflict' })
  expect(alone.hidden).toEqual({ pairs: 0, activities: 1, kinds: ['idle'] })
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

test.each<[Partial<View>, object]>([
  [{}, { total: 9, among: null }],
  [{ person: 'ada' }, { total: 2, among: 2 }],
  [{ person: 'ben' }, { total: 0, among: 2 }],
  [{ path: 'src/x.ts' }, { total: 0, among: 2 }],
])('with %j the pairs that share a file are those of the chosen work: %j', (view, counts) => {
  expect(modelFor(view).same_file).toMatchObject(counts)
})

test('the page says that a chosen pull request has no live work', () => {
  const isGone = (pull_request: number, text = '') => modelFor({ pull_request, text }).is_gone
  expect([isGone(7), isGone(7, 'nobody'), isGone(8)]).toEqual([false, false, true])
})

test.each([
  [{}, true, 'No pair needs anybody.'],
  [{}, false, 'No pair is known to need anybody.'],
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

const on = (id: string, login: string, { changes = [], paths = [] }: Record<string, string[]>) =>
  by(id, login, { scope: { areas: [], paths, changes: changes.map((path) => ({ path })) } })
const foldersOf = (activities: ReturnType<typeof on>[], overlaps: ReturnType<typeof pageOverlap>[] = []) =>
  hotFolders(liveWork(activities, overlaps)).map(
    ({ path, people, severity }) => `${path} ${people.length} ${severity}`,
  )

describe('hot folders', () => {
  test('are those with the most people, each person once', () => {
    expect(
      foldersOf([
        on('a', 'Ada', { changes: ['src/a.ts', 'src/b.ts', 'docs/x.md', 'app/[id]/a.ts'] }),
        on('b', 'Ben', { changes: ['src/a.ts', 'lib/z.ts', 'app/[id]/b.ts'] }),
        on('c', 'Cy', { changes: ['src/b.ts', 'lib/y.ts'] }),
        on('d', 'Ada', { changes: ['src/b.ts'] }),
      ]),
    ).toEqual(['src/ 3 null', 'app/[id]/ 2 null', 'lib/ 2 null'])
  })

  test('count globs for the folder that holds all of their matches, and overlaps for the folder of their file', () => {
    const overlap = { ...pageOverlap('a', 'b', 'high'), ...at('src/pay/retry.ts') }
    expect(
      foldersOf(
        [on('a', 'Ada', { paths: ['src/pay/**'] }), on('b', 'Ben', { paths: ['src/**/retry.ts'] })],
        [overlap],
      ),
    ).toEqual(['src/pay/ 2 high'])
  })
})

test('a strip shows the lines of all sides with some lines around them', () => {
  const strip = stripOf([[11, 20], null, [15, 30]])
  expect(strip.map((each) => each && [each.start * 26, each.end * 26].map(Math.round))).toEqual([
    [3, 13],
    null,
    [7, 23],
  ])
})

test.each([
  ['src/pay.ts', true],
  ['src/', true],
  ['src/pay', false],
  ['lib/deep/file.ts', true],
  ['lib/deep/', true],
  ['/', true],
  ['web/a.css', false],
  ['web/a.tsx', true],
  ['api/', true],
  ['api', true],
  ['api/v1/', true],
  ['api2/', false],
  ['app/[id]/page.ts', true],
  ['app/i/page.ts', false],
])('work on src/pay.ts, app/[id]/page.ts, lib/**, web/*.tsx and api touches %s: %s', (path, expected) => {
  const given = { changes: ['src/pay.ts', 'app/[id]/page.ts'], paths: ['lib/**', 'web/*.tsx', 'api'] }
  expect(touches(on('a', 'Ada', given), chosenAt(path))).toBe(expected)
  const pull = { ...on('b', 'Ben', { paths: ['src/pay.ts', 'a[b.ts'] }), source: 'pull_request' as const }
  expect(touches(pull, chosenAt(path))).toBe(['src/pay.ts', 'src/', '/'].includes(path))
})

test('an issue is shown if two or more are on it or close it beside others, those with the most first', () => {
  const given = { d: 8, c: 8, b: 7, a: 9, e: 8, f: 9, g: null, h: null }
  const work = Object.entries(given).map(([id, issue]) => pageActivity(id, { issue }))
  const findings = [{ kind: 'issue' as const, issue: 5 }]
  const issues = sharedIssues(liveWork(work, [{ ...pageOverlap('b', 'g', 'high'), findings }]))
  const texts = issues.map(({ number, activities }) => `${number} ${activities.map(({ id }) => id)}`)
  expect(texts).toEqual(['8 c,d,e', '5 b,g', '9 a,f'])
})
