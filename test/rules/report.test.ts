/** What the comment on a pull request contains, and in which order. */
import { describe, expect, test } from 'vitest'
import type { Conclusion } from '../../src/engine/check/conclusion.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'
import { commentOf } from '../../src/server/tell/comment.ts'
import { describeCounterpart } from '../../src/server/tell/counterparts.ts'
import { buildReport, reportNothing } from '../../src/server/tell/report.ts'
import { groupOverlaps, pullRequestSubject, type Subject } from '../../src/server/tell/sides.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import { isAhead, type Stage } from '../../src/vocabulary/advice.ts'
import type { PathPair } from '../../src/vocabulary/contract/overlap.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { NOT_COMPARED, type Verdict } from '../../src/vocabulary/verdict.ts'
import { type Collision, collision, DONE_BY, matching, NOTHING_FOUND } from '../support/conclusion.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute))

const ready = {
  ...{
    number: 7,
    author: 'ada',
    branch: 'tidy',
    is_draft: false,
    is_queued: false,
    is_by_newcomer: false,
    opened_at: at(10),
  },
  ...{ pushed_at: at(10), ready_at: null, own_event_at: at(10) },
  ...{ commented_at: null, comment_deleted_at: null },
  head_sha: 'a'.repeat(40),
}
/** Both sides are shown, so that only the severity suppresses an overlap. */
const comment = { ...DEFAULT_SETTINGS.comment, min_severity: 'low', audience: 'both' } as const
const elsewhere = {
  now: at(20),
  room: 'any' as const,
  repo: { web_urls: ['https://github.com/acme/shop'], commenting_since: new Date(0) },
  page_url: null,
  next_numbers: new Map(),
  pairs: new Map(),
}

type ReportFacts = Parameters<typeof buildReport>[2]

interface Given {
  min_severity?: Severity
  draft_min_severity?: Severity
  pr?: typeof ready
  /** When #3 was opened. */
  opened_at?: Date | undefined
  pairs?: Map<string, PairRow>
  room?: 'strong'
  next_numbers?: Map<string, string>
  /** The new files of #7. */
  added?: string[]
}

function report(found: Partial<Conclusion>, given: Given = {}) {
  const { min_severity = 'low', draft_min_severity = 'high', pr = ready, opened_at, ...facts } = given
  const times = { opened_at, pushed_at: opened_at, push_received_at: opened_at }
  const other = { ...ready, number: 3, author: 'ben', branch: 'three', is_bot: false, is_push_seen: true }
  const open = opened_at && ({ ...other, ...times } as PullRequestRow)
  const all = { ...NOTHING_FOUND, ...found }
  const settings = { ...DEFAULT_SETTINGS, comment: { ...comment, min_severity, draft_min_severity } }
  const row = pr as PullRequestRow
  const files = given.added?.map((path) => ({ path, previous_path: null, status: 'added' })) ?? []
  const subject = { ...pullRequestSubject(row, []), files } as unknown as Subject
  const counterparts = groupOverlaps(all.collisions).map((group) =>
    describeCounterpart(group, open, { subject, comment: settings.comment }),
  )
  const all_facts = { ...elsewhere, ...facts, subject, settings, counterparts }
  const { report, named } = buildReport(row, all, all_facts as unknown as ReportFacts)
  return { ...report, named }
}

const pull = (number: number) => ({
  pr_number: number,
  pr_url: `https://github.com/acme/shop/pull/${number}`,
})

const ALL: Severity[] = ['high', 'medium', 'low']
const collisions = ALL.map((severity) => collision(severity, severity))
const notables = ALL.map((severity) => matching(severity, severity))

test.each<[Severity, Severity, boolean, Severity[]]>([
  ['low', 'high', false, ['high', 'medium', 'low']],
  ['medium', 'high', false, ['high', 'medium']],
  ['low', 'high', true, ['high']],
])(
  'overlaps below min_severity %s, draft_min_severity %s, draft %s are left out',
  (min_severity, draft_min_severity, is_draft, expected) => {
    const given = { min_severity, draft_min_severity, pr: { ...ready, is_draft } }
    const left_out = ALL.filter((severity) => !expected.includes(severity))
    const shown = report({ collisions }, given)
    expect(shown.activities.map((work) => work.severity)).toEqual(expected)
    expect(shown.suppressed.activities.map((work) => work.severity)).toEqual(left_out)
    const notes = report({ notables }, given)
    expect(notes.notables.map((note) => note.severity)).toEqual(expected)
    expect(notes.suppressed.notables.map((note) => note.severity)).toEqual(left_out)
    expect(notes).toMatchObject({ severity: expected[0], earns_comment: true, charge: null })
    const compared = { activities: 3, notables: 1, expected: 0 }
    expect(shown).toMatchObject({ severity: 'high', earns_comment: true, compared, not_compared: null })
    expect(shown.charge).toEqual({ commented_at: at(20), is_over_budget: false })
    const again = { ...given, pr: { ...given.pr, commented_at: at(12) as never } }
    expect(report({ collisions }, again).charge).toBeNull()
    expect(shown.threshold).toEqual({
      severity: is_draft ? draft_min_severity : min_severity,
      is_of_draft: is_draft,
    })
  },
)

test('a notable names a glob before an area, and neither if it applies to the whole repository', () => {
  const pair = { yours: 'a', theirs: 'src/**', example: 'a', ...NOT_COMPARED }
  const notables = [
    matching('a', 'high', { match: { paths: [pair], areas: ['payments'] } }),
    matching('b', 'high', { match: { areas: ['payments'] } }),
    matching('c', 'high'),
  ]
  expect(report({ notables }).notables.map(({ where }) => where)).toEqual(['src/**', 'payments', null])
})

describe('activities of one branch or pull request are one row', () => {
  const two = (one: Partial<Collision['record']>, other: Partial<Collision['record']>) => [
    collision('a', 'high', one),
    collision('b', 'low', other),
  ]

  test.each<[string, Collision[], string[]]>([
    ['of one pull request', two(pull(3), pull(3)), ['Work a']],
    [
      'of one pull request on different branches',
      two({ ...pull(3), branch: 'x' }, { ...pull(3), branch: 'y' }),
      ['Work a'],
    ],
    ['of one branch', two({ branch: 'x' }, { branch: 'x' }), ['Work a']],
    ['of a pull request, and of its branch', two({ branch: 'x' }, { ...pull(3), branch: 'x' }), ['Work b']],
    [
      'of the branch of a pull request, and of that',
      two({ ...pull(3), branch: 'x' }, { branch: 'x' }),
      ['Work a'],
    ],
    ['but not of a pull request, and of no branch', two(pull(3), {}), ['Work a', 'Work b']],
    [
      'nor of two pull requests of one branch',
      two({ ...pull(3), branch: 'x' }, { ...pull(4), branch: 'x' }),
      ['Work a', 'Work b'],
    ],
    ['nor two without any branch', two({}, {}), ['Work a', 'Work b']],
  ])('%s', (_, collisions, expected) => {
    expect(report({ collisions }).activities.map(({ title }) => title)).toEqual(expected)
  })

  test('with the highest severity, and each example and area once', () => {
    const one = collision('a', 'high', { branch: 'x' })
    const two = collision('b', 'low', { ...pull(3), branch: 'x' })
    one.match.areas = ['pay', 'till']
    two.match.areas = ['till', 'web']
    two.match.paths.push(...one.match.paths)
    expect(report({ collisions: [one, two] }).activities).toMatchObject([
      {
        severity: 'high',
        pull_request: { number: 3, url: 'https://github.com/acme/shop/pull/3' },
        areas: ['pay', 'till', 'web'],
        paths: [{ example: 'src/a' }, { example: 'src/b' }],
      },
    ])
  })
})

describe('the paths of a branch or pull request', () => {
  const pathOf = (verdict: Verdict | null, example: string = verdict ?? 'glob'): PathPair => ({
    ...{ yours: example, theirs: example, example, ...NOT_COMPARED },
    verdict,
    confidence: verdict === 'conflict' ? 'proved' : null,
  })

  test.each<[string, PathPair[][], string[]]>([
    [
      'are sorted by the strength of the verdict',
      [[pathOf('unknown'), pathOf(null), pathOf('conflict')]],
      ['conflict', 'unknown', 'glob'],
    ],
    ['leave out what needs no action', [[pathOf('conflict'), pathOf('far'), pathOf('agrees')]], ['conflict']],
    ['include it if there is nothing else', [[pathOf('far'), pathOf('near')]], ['near', 'far']],
    ['contain no noise', [[pathOf('noise')], [pathOf('far'), pathOf('noise', 'b')]], ['far']],
    ['are named once', [[pathOf(null, 'a')], [pathOf('conflict', 'a'), pathOf('unknown', 'b')]], ['a', 'b']],
  ])('%s', (_, matches, expected) => {
    const collisions = matches.map((paths, at) => {
      const found = collision(String(at), 'high', { branch: 'x' })
      return { ...found, match: { ...found.match, paths } }
    })
    const [work] = report({ collisions }).activities
    expect(work?.paths.map(({ example }) => example)).toEqual(expected)
  })

  test('are reported beside the findings of all of its activities, the weightiest first', () => {
    const one = collision('a', 'high', { branch: 'x' })
    const same = { consequence: 'same_work', findings: [{ kind: 'issue', issue: 7 }] } as const
    const two = collision('b', 'high', { branch: 'x' }, { ...same, findings: [...same.findings] })
    expect(report({ collisions: [one, two] }).activities).toMatchObject([
      { consequence: 'same_work', findings: [{ kind: 'issue' }, { kind: 'paths' }] },
    ])
  })
})

test.each<[string, string[], Partial<Collision['record']>, boolean]>([
  ['a glob is not shown', ['src/**'], {}, false],
  ['… of high risk is shown', ['src/**'], { risk: 'high' }, true],
  ['a folder is not shown', ['src'], {}, false],
  ['a glob and the name of the file is shown', ['src/**', './src/pay.ts'], {}, true],
])('work that is declared by %s', (_, declared, record, isShown) => {
  const file = { yours: 'src/pay.ts', example: 'src/pay.ts', ...NOT_COMPARED }
  const paths = declared.map((theirs) => ({ ...file, theirs }))
  const { activities, suppressed } = report({ collisions: [collision('a', 'high', record, { paths })] })
  expect(activities).toHaveLength(isShown ? 1 : 0)
  expect(suppressed.activities).toMatchObject(isShown ? [] : [{ suppression: 'declared_by_glob' }])
})

describe('the order of pull requests', () => {
  const standing = (stage: Stage, minute: number, number: number | null = null) => ({
    stage,
    since: at(minute),
    number,
  })

  test.each([
    ['in the merge queue before ready', standing('queued', 9, 9), standing('ready', 1, 1)],
    ['ready before draft', standing('ready', 9, 9), standing('draft', 1, 1)],
    ['draft before none', standing('draft', 9, 9), standing('declared', 1)],
    ['of two ready ones the first opened', standing('ready', 1, 9), standing('ready', 2, 1)],
    ['of two without any the first declared', standing('declared', 1), standing('declared', 2)],
    ['of one second the lower number', standing('ready', 1, 8), standing('ready', 1, 9)],
  ])('%s', (_, ahead, behind) => {
    expect(isAhead(ahead, behind)).toBe(true)
    expect(isAhead(behind, ahead)).toBe(false)
  })

  test.each<[string, Partial<Collision['record']>, Date | undefined, boolean]>([
    ['opened before, though declared after', { created_at: at(20) }, at(5), true],
    ['opened after, though declared before', { created_at: at(0) }, at(15), false],
    ['of which no opening is known, declared before', { created_at: at(5) }, undefined, true],
    ['opened before, but a draft', { draft_pr: true }, at(5), false],
  ])('a pull request %s', (_, record, opened_at, expected) => {
    const collisions = [collision('a', 'high', { ...pull(3), ...record })]
    expect(report({ collisions }, { opened_at }).activities[0]?.is_ahead).toBe(expected)
  })
})

const pullLink = (number: number) => ({ number, url: `https://github.com/acme/shop/pull/${number}` })
/** With #3, which was merged at 9:15 after #7 was shown the pair. */
const MERGED: Partial<PairRow> = {
  ...{ a: '#3', b: '#7', merged: 'a', merged_at: at(15), a_shown_at: null, b_shown_at: at(11), sequence: [] },
  sides: { a: { author: null, active_at: '', head: 'x' }, b: { author: null, active_at: '', head: 'y' } },
}

test.each<[string, Partial<PairRow>, number[]]>([
  ['was merged after the last push', {}, [3]],
  ['was merged before', { merged_at: at(9) }, []],
  ['was merged in the same second', { merged_at: at(10) }, []],
  ['was never shown', { a_shown_at: at(11), b_shown_at: null }, []],
  ['is not merged', { merged: null, merged_at: null }, []],
  ['saw this one merged', { merged: 'b' }, []],
])('a report names to rebase over another pull request or not, which %s', (_, changes, expected) => {
  const pairs = new Map([['#3', { ...MERGED, ...changes } as PairRow]])
  const merged = expected.map(pullLink)
  expect(report({}, { pairs })).toMatchObject({ merged, severity: null, earns_comment: false, charge: null })
})

test.each<[string, object, boolean]>([
  ['after an event of its own', {}, true],
  ['not without one', { own_event_at: null }, false],
  ['not after somebody deleted it', { comment_deleted_at: at(30) }, false],
  ['for a pair that was found since', { comment_deleted_at: at(5) }, true],
])('work, also if it is done already, earns a comment %s', (_, changes, earns_comment) => {
  const pairs = new Map([['#40', { ...MERGED, a: '#40', seen_at: at(11) } as PairRow]])
  const given = { pairs, pr: { ...ready, ...changes } }
  const live = report({ collisions: [collision('a', 'high', pull(40))] }, given)
  expect(live.earns_comment).toBe(earns_comment)
  const found = report({ done_by: DONE_BY }, { ...given, room: 'strong' })
  const done = { number: 40, shared: 9, lines: 10 }
  expect(found).toMatchObject({ earns_comment, severity: 'high', done, merged: [], may_merge: true })
  expect(found.charge?.is_over_budget).toBe(true)
})

describe('a number that a merge took', () => {
  const name = (name: string) => ({ name, own: null })
  const sequence = [
    {
      ...{ kind: 'number' as const, directory: 'db/migrations', value: '0042' },
      ...{ a: name('0042_carts.sql'), b: name('0042_orders.sql') },
    },
  ]
  const withMerged = (merged: PairRow['merged']) =>
    new Map([['#3', { ...MERGED, merged, sequence } as PairRow]])
  const given = {
    pairs: withMerged('a'),
    next_numbers: new Map([['db/migrations', '0043']]),
    added: ['db/migrations/0042_orders.sql'],
  }

  test('is said at once, with the next free one, instead of the rebase', () => {
    const found = report({}, { ...given, pr: { ...ready, own_event_at: null as never } })
    expect(found).toMatchObject({ severity: 'high', earns_comment: true, charge: null, merged: [] })
    const fixes = ['git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql']
    const taken = [{ number: '0042', next: '0043', yours: '0042_orders.sql', theirs: '0042_carts.sql' }]
    expect(found.taken).toMatchObject([{ ...pullLink(3), taken, fixes }])
  })

  test.each([
    ['not again after somebody deleted the comment', 30, false],
    ['after a comment was deleted before the merge', 5, true],
  ])('earns a comment %s', (_, deleted_at, earns_comment) => {
    const pr = { ...ready, comment_deleted_at: at(deleted_at) as never }
    expect(report({}, { ...given, pr })).toMatchObject({ taken: [{}], earns_comment })
  })

  test.each<[string, Given]>([
    ['once it is renumbered', { added: ['db/migrations/0043_orders.sql'] }],
    ['on a stale pull request', { pr: { ...ready, pushed_at: new Date(0) } }],
    ['before the merge', { pairs: withMerged(null) }],
    ['on the merged one', { pairs: withMerged('b') }],
    ['by a branch', { pairs: new Map([['branch:x', { ...MERGED, sequence } as PairRow]]) }],
  ])('is not said %s', (_, changes) => {
    expect(report({}, { ...given, ...changes }).taken).toEqual([])
  })
})

test('a comment names the merged pull request that has the work, and three others', () => {
  const pairs = new Map([['#40', { ...MERGED, a: '#40' } as PairRow]])
  const collisions = [3, 4, 5, 6].map((number) => collision(`${number}`, 'high', pull(number)))
  expect(report({ collisions, done_by: DONE_BY }, { pairs }).named).toEqual(['#40', '#3', '#4', '#5'])
})

test.each([
  [true, 'the activity of this pull request is archived, finished or expired.'],
  [false, 'this repository does not track pull requests'],
])('without a live activity nothing was compared, if it is tracked: %s', (track_pull_requests, why) => {
  const settings = { ...DEFAULT_SETTINGS, track_pull_requests }
  const facts = { ...elsewhere, settings } as unknown as Parameters<typeof reportNothing>[1]
  const [, said, cause, ...rest] = commentOf(reportNothing(ready as PullRequestRow, facts)).split('\n\n')
  expect(said).toBe('**Not compared.** It is unknown whether other activities overlap.')
  expect(cause).toContain(`Other activities were not compared: ${why}`)
  expect(rest).toHaveLength(1)
  expect(reportNothing({ ...ready, branch: 'eve:tidy' } as PullRequestRow, facts).may_merge).toBe(false)
})
