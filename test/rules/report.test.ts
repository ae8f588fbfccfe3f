/** What the comment on a pull request contains, and in which order. */
import { describe, expect, test } from 'vitest'
import type { Conclusion } from '../../src/engine/check/source.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'
import { commentOf } from '../../src/server/tell/comment.ts'
import { buildReport, reportNothing } from '../../src/server/tell/report.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import type { PathPair } from '../../src/vocabulary/contract/overlap.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import type { TakenFinding } from '../../src/vocabulary/finding-kinds.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { NOT_COMPARED, type Verdict } from '../../src/vocabulary/verdict.ts'
import { type Collision, collision, DONE_BY, matching, SAME_NUMBER } from '../support/conclusion.ts'
import {
  at,
  elsewhere,
  factsOf,
  type Given,
  inFile,
  inLines,
  PROVED,
  pull,
  ready,
} from '../support/report-facts.ts'

function report(found: Partial<Conclusion>, given: Given = {}) {
  const facts = factsOf(found, given)
  const { report, named } = buildReport(facts.pr, facts.conclusion, facts)
  return { ...report, named, counterparts: facts.counterparts }
}

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
    const given = { min_severity, draft_min_severity, pr: { is_draft } }
    const left_out = ALL.filter((severity) => !expected.includes(severity))
    const shown = report({ collisions, emptiness: 'nothing_given' }, given)
    expect(shown.activities.map((work) => work.severity)).toEqual(expected)
    expect(shown.suppressed.activities.map((work) => work.severity)).toEqual(left_out)
    const notes = report({ notables, emptiness: 'nothing_given' }, given)
    expect(notes.notables.map((note) => note.severity)).toEqual(expected)
    expect(notes.suppressed.notables.map((note) => note.severity)).toEqual(left_out)
    expect(notes).toMatchObject({ severity: expected[0], earns_comment: true, charge: null })
    const compared = { activities: 3, notables: 1, expected: 0 }
    expect(shown).toMatchObject({ severity: 'high', earns_comment: true, compared, not_compared: null })
    expect(shown.charge).toEqual({ commented_at: at(20), is_over_budget: false })
    const again = { ...given, pr: { ...given.pr, commented_at: at(12) } }
    expect(report({ collisions }, again).charge).toBeNull()
    const severity = is_draft ? draft_min_severity : min_severity
    const threshold = { severity, is_of_draft: is_draft }
    expect(notes).toMatchObject({ threshold, not_compared: 'nothing_given' })
  },
)

test('that not all work is known is said where no overlap is shown', () => {
  expect(report({ is_importing: true }).gap).toMatch(/not all open pull requests are known/)
  expect(report({ is_importing: true, cut: 1, collisions }).gap).toBeNull()
})

test('a notable names a glob before an area, and neither if it applies to the whole repository', () => {
  const pair = { yours: 'a', theirs: 'src/**', example: 'a', ...NOT_COMPARED }
  const notables = [
    matching('a', 'high', { match: { paths: [pair], areas: ['payments'] } }),
    matching('b', 'high', { match: { areas: ['payments'] } }),
    matching('c', 'high'),
  ]
  expect(report({ notables }).notables.map(({ where }) => where)).toEqual(['src/**', 'payments', null])
})

const BRANCH = { branch: 'x' }
const ON_X = { ...pull(3), ...BRANCH }
const two = (one: Partial<Collision['record']>, other: Partial<Collision['record']>) => [
  collision('a', 'high', one),
  collision('b', 'low', other),
]

test.each<[string, Collision[], string[]]>([
  ['of one pull request', two(pull(3), pull(3)), ['Work a']],
  ['of one pull request on different branches', two(ON_X, { ...pull(3), branch: 'y' }), ['Work a']],
  ['of one branch', two(BRANCH, BRANCH), ['Work a']],
  ['of a pull request, and of its branch', two(BRANCH, ON_X), ['Work b']],
  ['of the branch of a pull request, and of that', two(ON_X, BRANCH), ['Work a']],
  ['but not of a pull request, and of no branch', two(pull(3), {}), ['Work a', 'Work b']],
  ['nor of two pull requests of one branch', two(ON_X, { ...pull(4), ...BRANCH }), ['Work a', 'Work b']],
  ['nor two without any branch', two({}, {}), ['Work a', 'Work b']],
])('activities are one row: those %s', (_, collisions, expected) => {
  expect(report({ collisions }).activities.map(({ title }) => title)).toEqual(expected)
})

const inFiles = (...verdicts: (Verdict | null)[]) => verdicts.map((verdict) => inFile(verdict))

test.each<[string, PathPair[][], string[]]>([
  ['sorted by their verdicts', [inFiles('unknown', null, 'conflict')], ['conflict', 'unknown', 'glob']],
  ['without those that need no action', [inFiles('conflict', 'far', 'agrees')], ['conflict']],
  ['also of those if there is nothing else', [inFiles('far', 'near')], ['near', 'far']],
  ['without noise', [inFiles('noise'), [inFile('far'), inFile('noise', 'b')]], ['far']],
  ['named once', [[inFile(null, 'a')], [inFile('conflict', 'a'), inFile('unknown', 'b')]], ['a', 'b']],
])('the paths of a branch or pull request are %s', (_, matches, expected) => {
  const collisions = matches.map((paths, at) => collision(String(at), 'high', BRANCH, { paths }))
  const [work] = report({ collisions }).activities
  expect(work?.paths.map(({ example }) => example)).toEqual(expected)
})

const LIKELY = { ...PROVED, confidence: 'likely', example: 'b.ts' } as const
const declared = (given: object = {}) => collision('b', 'low', { ...BRANCH, ...given })
const far = inLines(BRANCH, inFile('far'))
const unsigned = (same_author: boolean) => collision('a', 'low', { created_by: null }, { same_author })
const taking = (finding: TakenFinding, ...changed_files: object[]) =>
  collision('a', 'high', { changed_files: changed_files as never }, { findings: [finding] })
const PARENT = { ...SAME_NUMBER, kind: 'parent', parent: '1a2b' } as const
const MIGRATION = { path: `db/migrations/${PARENT.theirs}`, previous_path: null, migration: { own: '9f' } }
const RENAMED = 'git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql'
const inGlob = (yours: string, theirs: string, example = 'a.ts') =>
  collision('a', 'low', BRANCH, { paths: [{ yours, theirs, example, ...NOT_COMPARED }] })
const [globbed, theirs] = [inGlob('*.ts', 'a.ts'), inGlob('a.ts', '*.ts')]
const onBranch: Given = { subject: { pr: null } }
const open = (other: Partial<PullRequestRow>, minute = 5): Given => ({ opened_at: at(minute), other })
const RISKY = { risk: 'high' as const, blocking: true, updated_at: at(3) }
const DRAFT = { ...pull(3), draft_pr: true }
const LATE = { ...pull(3), created_at: at(20) }
const ONE_RISKY: Given = { subject: { activities: [RISKY, { assignee: null }] } }
const BLOCKING = { is_blocking: true, updated_at: at(3) }
const RECORDED = { is_recorded: true, confidence: 'proved', conflicts: [PROVED, LIKELY] }
const THREE = { pull_request: { number: 3, url: pull(3).pr_url } }
const mapped = (...areas: string[]) => collision('a', 'high', pull(3), { areas })
const MAPPED = { ...{ severity: 'high', areas: ['pay', 'till', 'web'], paths: [{}] }, ...THREE }
const ISSUE = { paths: [], findings: [{ kind: 'issue' as const, issue: 7 }] }
const SAME_WORK = {
  breadth: null,
  consequence: 'same_work',
  findings: [{ kind: 'issue' }, { kind: 'paths' }],
}
const SEQUENCE = { taken: PARENT, your_own: null, their_own: '9f' }
const byAgent = (assignee: string) => collision('a', 'low', { created_by: 'claude', assignee })
const ofAgent = { subject: { author: 'claude', activities: [{ assignee: null }, { assignee: 'ada' }] } }
const [three, unnamed] = [[declared(pull(3))], { title: null, branch: null }]

test.each<[string, Collision[], object, Given?]>([
  ['a conflict', [inLines(pull(3), LIKELY)], { confidence: 'likely', is_recorded: false }],
  ['a proved one', [inLines({}, inFile('far', 'c.ts'), PROVED, PROVED)], { conflicts: [PROVED] }],
  ['… of branches', [far, inLines(BRANCH, PROVED, LIKELY)], RECORDED, onBranch],
  ['changes apart', [far], { confidence: null, conflicts: [], is_recorded: false, breadth: null }],
  ['changes in unknown lines', [inLines(BRANCH, inFile('unknown'))], { is_recorded: false }],
  ['declared work', [declared()], { is_recorded: true, is_ahead: false, updated_at: at(0) }],
  ['… and changes apart', [far, declared()], { is_recorded: true }],
  ['… of two branches', [declared()], { is_recorded: false, is_ahead: false, is_earlier: false }, onBranch],
  ['… of a branch and an open one', three, { is_recorded: true }, { ...onBranch, ...open({}) }],
  ['… and a closed one', three, { is_recorded: false, former_key: null }],
  ['… on no branch', [collision('a', 'low')], { is_recorded: false, key: null, pull_request: null }],
  ['… without a URL', [declared({ pr_number: 3 })], { pull_request: null }],
  ['a number that both take', [taking(SAME_NUMBER)], { fixes: [RENAMED] }],
  ['a parent', [taking(PARENT, MIGRATION)], { fixes: ['down_revision = "9f"'], sequence: [SEQUENCE] }],
  ['a parent without a known name', [taking(PARENT)], { fixes: [] }],
  ['a glob of theirs', [theirs], { breadth: 'plain' }],
  [
    '… of risky work',
    [globbed, collision('a', 'low', { ...BRANCH, ...RISKY }, theirs.match)],
    { breadth: 'risky' },
  ],
  ['a folder', [inGlob('src/a.ts', 'src', 'src/a.ts')], { breadth: 'plain' }],
  ['a glob, and the name of the file', [theirs, inGlob('a.ts', './a.ts')], { breadth: null }],
  ['a glob of mine', [globbed], { breadth: 'plain' }],
  ['… of risky work', [globbed], { breadth: 'risky' }, ONE_RISKY],
  ['… and a file of risky work', [collision('a', 'low', RISKY, globbed.match)], { breadth: 'plain' }],
  ['… and changes in unknown lines', [globbed, inLines(BRANCH, inFile('unknown'))], { breadth: null }],
  ['… and changes apart', [far, globbed], { breadth: 'plain' }],
  ['a file, as risky work writes it', [inGlob('/./a.ts', '//a.ts')], { breadth: null }, ONE_RISKY],
  ['shared areas', [collision('a', 'low', {}, { paths: [], findings: [] })], { consequence: 'possible' }],
  ['areas and files, each once', [mapped('pay', 'till'), mapped('till', 'web')], MAPPED],
  ['the same work, said first', [globbed, collision('a', 'low', BRANCH, ISSUE)], SAME_WORK],
  ['work, and a risky one that blocks later', [declared(), declared(RISKY)], { ...BLOCKING, is_risky: true }],
  ['work beside one that blocks', [declared()], { is_blocking: true }, ONE_RISKY],
  ['work of a bot', three, { is_bot: true }, open({ is_bot: true })],
  ['work of a user', three, { is_bot: false, is_same_author: false, former_key: 'branch:three' }, open({})],
  ['a newcomer', three, unnamed, open({ is_by_newcomer: true })],
  ['… known by the work', [declared({ is_by_newcomer: true })], unnamed],
  ['the merge queue', three, { stage: 'queued', is_ahead: true }, open({ is_queued: true }, 15)],
  ['the same author', [declared(), declared({ created_by: 'Ada' })], { is_same_author: true }],
  ['… of the pull request', three, { is_same_author: true }, open({ author: 'ada' })],
  ['an unknown author', [unsigned(false)], { is_same_author: false }],
  ['… that the comparison knows', [unsigned(true)], { is_same_author: true }],
  ['an agent for the same person', [byAgent('ada')], { is_same_author: true }, ofAgent],
  ['… for another', [byAgent('ben')], { is_same_author: false }, ofAgent],
  ['a draft', [declared(DRAFT)], { is_earlier: true, is_ahead: false }, open({})],
  ['opened before, declared after', [declared(LATE)], { is_ahead: true }, open({})],
  ['declared before', [declared({ ...pull(3), created_at: at(5) })], { is_earlier: true, is_ahead: true }],
  ['opened in the same second', three, { is_earlier: true, is_ahead: true }, open({}, 10)],
  ['… as a lower number', [declared(pull(9))], { is_earlier: false, is_ahead: false }, open({}, 10)],
  ['opened later', three, { is_earlier: false, is_ahead: false }, open({}, 15)],
])('a counterpart: %s', (_, collisions, expected, given) => {
  expect(report({ collisions }, given).counterparts).toMatchObject([expected])
})

const pullLink = (number: number) => ({ number, url: `https://github.com/acme/shop/pull/${number}` })
/** With #3, which was merged at 9:15 after #7 was shown the pair. */
const MERGED: Partial<PairRow> = {
  ...{ a: '#3', b: '#7', merged: 'a', merged_at: at(15), a_shown_at: null, b_shown_at: at(11), sequence: [] },
  sides: { a: { author: null, active_at: '', head: 'x' }, b: { author: null, active_at: '', head: 'y' } },
}

test.each<[string, Partial<PairRow>, number[]]>([
  ['was merged after the last push', {}, [3]],
  ['was merged at this head', { merged_at: at(9), sides: { b: { head: ready.head_sha } } as never }, [3]],
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
  const given = { pairs, pr: changes }
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
    new Map(
      Object.entries({ '#3': { ...MERGED, merged, sequence }, '#4': MERGED } as Record<string, PairRow>),
    )
  const given = {
    pairs: withMerged('a'),
    next_numbers: new Map([['db/migrations', '0043']]),
    added: ['db/migrations/0042_orders.sql'],
  }

  test('is said at once, with the next free one, instead of its rebase', () => {
    const found = report({}, { ...given, pr: { own_event_at: null } })
    expect(found).toMatchObject({ severity: 'high', earns_comment: true, charge: null })
    expect(found.merged).toEqual([pullLink(4)])
    const fixes = ['git mv db/migrations/0042_orders.sql db/migrations/0043_orders.sql']
    const taken = [{ number: '0042', next: '0043', yours: '0042_orders.sql', theirs: '0042_carts.sql' }]
    expect(found.taken).toMatchObject([{ ...pullLink(3), taken, fixes }])
  })

  test.each([
    ['not again after somebody deleted the comment', 30, false],
    ['after a comment was deleted before the merge', 5, true],
  ])('earns a comment %s', (_, deleted_at, earns_comment) => {
    const pr = { comment_deleted_at: at(deleted_at) }
    expect(report({}, { ...given, pr })).toMatchObject({ taken: [{}], earns_comment })
  })

  test.each<[string, Given]>([
    ['once it is renumbered', { added: ['db/migrations/0043_orders.sql'] }],
    ['on a stale pull request', { pr: { pushed_at: new Date(0) } }],
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
