/** The hot folders and the shared issues of a repository, and the strips of files. */
import { describe, expect, test } from 'vitest'
import { hotFolders, stripOf } from '../../src/page/hot-spots.ts'
import { liveWork, sharedIssues, touches } from '../../src/page/live-work.ts'
import { pageActivity, pageOverlap } from '../support/page-records.ts'

const by = (id: string, actor: string, scope: { changes?: string[]; paths?: string[] }) =>
  pageActivity(id, {
    actor,
    scope: { areas: [], paths: scope.paths ?? [], changes: (scope.changes ?? []).map((path) => ({ path })) },
  })

/** A file in which two activities overlap. */
const place = (example: string) => ({
  ...{ globs: [], example, verdict: null, confidence: null, line_ranges: null },
})

const shown = (activities: ReturnType<typeof by>[], overlaps: ReturnType<typeof pageOverlap>[] = []) =>
  hotFolders(liveWork(activities, overlaps)).map(
    ({ path, people, severity }) => `${path} ${people.length} ${severity}`,
  )

describe('hot folders', () => {
  test('are those with the most people, each person once', () => {
    expect(
      shown([
        by('a', 'Ada', { changes: ['src/a.ts', 'src/b.ts', 'docs/x.md'] }),
        by('b', 'Ben', { changes: ['src/a.ts', 'lib/z.ts'] }),
        by('c', 'Cy', { changes: ['src/b.ts', 'lib/y.ts'] }),
        by('d', 'Ada', { changes: ['src/b.ts'] }),
      ]),
    ).toEqual(['src/ 3 null', 'lib/ 2 null'])
  })

  test('count globs for the folder that holds all of their matches, and overlaps for the folder of their file', () => {
    const overlap = { ...pageOverlap('a', 'b', 'high'), paths: [place('src/pay/retry.ts')] }
    expect(
      shown(
        [by('a', 'Ada', { paths: ['src/pay/**'] }), by('b', 'Ben', { paths: ['src/**/retry.ts'] })],
        [overlap],
      ),
    ).toEqual(['src/pay/ 2 high'])
  })
})

test('a strip shows all ranges with some lines around them', () => {
  const strip = stripOf([[[11, 20]], [], [[15, 30]]])
  expect(strip?.map((each) => each.map(({ start, end }) => [start * 26, end * 26].map(Math.round)))).toEqual([
    [[3, 13]],
    [],
    [[7, 23]],
  ])
  expect(stripOf([[], []])).toBe(null)
})

test.each([
  ['src/pay.ts', true],
  ['src/', true],
  ['src/pay', false],
  ['lib/deep/file.ts', true],
  ['lib/', true],
  ['docs/', false],
  ['web/a.css', false],
])('work on src/pay.ts, lib/** and web/*.tsx touches %s: %s', (path, expected) => {
  expect(touches(by('a', 'Ada', { changes: ['src/pay.ts'], paths: ['lib/**', 'web/*.tsx'] }), path)).toBe(
    expected,
  )
})

test('an issue is shown if two or more are on it or close it beside others, those with the most first', () => {
  const given = { d: 8, c: 8, b: 7, a: 9, e: 8, f: 9, g: null, h: null }
  const work = Object.entries(given).map(([id, issue]) => pageActivity(id, { issue }))
  const findings = [{ kind: 'issue' as const, issue: 5 }]
  const issues = sharedIssues(liveWork(work, [{ ...pageOverlap('b', 'g', 'high'), findings }]))
  const texts = issues.map(({ number, activities }) => `${number} ${activities.map(({ id }) => id)}`)
  expect(texts).toEqual(['8 c,d,e', '5 b,g', '9 a,f'])
})
