/** What two records share (docs/contract/overlap.md), and how much of it is named: one row for each rule. */
import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import { editOf } from '../support/lines.ts'
import { liveRecords } from '../support/live-records.ts'

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const ALIKE = Array.from({ length: 60 }, () => 'const value = read()')

const paths = (...globs: string[]) => ({ scope: { paths: globs } })
const areas = (...labels: string[]) => ({ scope: { areas: labels } })
const changes = (...files: object[]) => ({ scope: { changes: files } })
/** A change of one line. Without `at`, it has no patch. */
function edit(path: string, at?: number, text = 'changed()', rest: object = {}) {
  return { path, ...(at !== undefined && { patch: editOf(FILE, at, 1, [text]) }), ...rest }
}
const alike = (at: number, text: string) => ({ path: 'a', patch: editOf(ALIKE, at, 1, [text]) })
const onBase = (base: string | null, file: object) => ({ ...changes(file), base_sha: base })
const [ONE, OTHER] = ['a'.repeat(40), 'b'.repeat(40)]

interface Row {
  ours: object
  theirs: object
  settings?: Partial<Settings>
  /** What the check says of theirs; null if nothing is shared. */
  expected: object | null
}
const MEDIUM = { severity: 'medium', consequence: 'possible' }
const shares = (yours: string, theirs: string, example: string) => ({
  ...MEDIUM,
  areas: [],
  paths: [{ yours, theirs, example, verdict: null, your_lines: null }],
})
const TILL: Partial<Settings> = { areas: { Till: ['src/till/**'], drawers: ['src/*/drawer.ts'] } }
/** One line each in `a`, with this verdict. */
const at = (mine: number | undefined, its: number | undefined) => ({
  ours: changes(edit('a', mine, 'mine()')),
  theirs: changes(edit('a', its, 'its()')),
})
const CONFLICT = { severity: 'high', consequence: 'conflict' }
const TWINS = { severity: 'high', consequence: 'same_work' }
const ISSUE = { kind: 'issue', issue: 7 }
const lines = (verdict: string, leads: object) => ({
  ...leads,
  findings: [{ kind: 'lines', path: 'a', verdict }],
  cut: false,
  areas: [],
  paths: [{ example: 'a', verdict }],
})

const ROWS: Record<string, Row> = {
  'globs that share a path': {
    ours: paths('./src/pay/**'),
    theirs: paths('src/*/retry.ts'),
    expected: shares('./src/pay/**', 'src/*/retry.ts', 'src/pay/retry.ts'),
  },

  'labels without blanks and case': {
    ours: areas('  ChecKout '),
    theirs: areas('Checkout', 'till'),
    expected: { severity: 'low', areas: [expect.stringMatching(/checkout/i)], paths: [] },
  },
  'an area of ours by its globs': {
    ours: areas('TILL'),
    theirs: paths('src/till/drawer.ts'),
    settings: TILL,
    expected: { severity: 'medium', paths: [{ example: 'src/till/drawer.ts' }] },
  },

  'other paths beside noise': {
    ours: paths('package-lock.json', 'package.json'),
    theirs: paths('package-lock.json', 'package.json'),
    expected: shares('package.json', 'package.json', 'package.json'),
  },
  'a class of noise that is off': {
    ours: paths('package-lock.json'),
    theirs: paths('package-lock.json'),
    settings: { noise_classes: { lock: false }, ignore_paths: ['docs'] },
    expected: MEDIUM,
  },
  'noise that the settings name, in its case': {
    ours: paths('testdata/a.txt'),
    theirs: paths('testdata/a.txt'),
    settings: { noise_paths: { snapshot: ['testdata/**'] } },
    expected: null,
  },
  'an ignored path': {
    ours: paths('docs/a.md'),
    theirs: paths('docs/**'),
    settings: { ignore_paths: ['docs'] },
    expected: null,
  },

  'the same line': { ...at(40, 40), expected: lines('conflict', CONFLICT) },
  'a file under a former name': {
    ours: changes(edit('b', 40, 'mine()', { status: 'renamed', previous_path: 'a' })),
    theirs: changes(edit('a', 40, 'its()')),
    expected: lines('conflict', CONFLICT),
  },
  'several files, the strongest first': {
    ours: changes(...['a', 'b', 'c'].map((path) => edit(path, 40, 'mine()'))),
    theirs: changes(edit('a', 100), edit('b', 40, 'its()'), edit('c', 50)),
    expected: {
      ...CONFLICT,
      paths: [
        { example: 'b', verdict: 'conflict' },
        { example: 'c', verdict: 'near' },
        { example: 'a', verdict: 'far' },
      ],
    },
  },
  'files by lines, and globs by path': {
    ours: changes(edit('src/a.ts', 10)),
    theirs: { scope: { paths: ['src/**'], changes: [edit('src/a.ts', 100)] } },
    expected: null,
  },
  'another file by a glob': {
    ours: changes(edit('src/a.ts', 10), edit('src/b.ts', 10)),
    theirs: { scope: { paths: ['src/**'], changes: [edit('src/a.ts', 100)] } },
    expected: {
      ...MEDIUM,
      findings: [
        { kind: 'paths', yours: 'src/b.ts', theirs: 'src/**', path: 'src/b.ts' },
        { verdict: 'far' },
      ],
      paths: [{ verdict: 'far' }, { yours: 'src/b.ts', theirs: 'src/**', verdict: null, your_lines: null }],
    },
  },
  'an area of work without files': {
    ours: { scope: { changes: [edit('a', 100)], areas: ['shop'] } },
    theirs: areas('shop'),
    expected: { severity: 'low', consequence: 'possible', findings: [{ kind: 'areas', areas: ['shop'] }] },
  },
  'globs with the files of the other side': {
    ours: { scope: { paths: ['*'], changes: [edit('b', 1)] } },
    theirs: changes(edit('a', 1)),
    expected: MEDIUM,
  },
  'a number': {
    ours: changes({ path: 'db/migrations/0042_orders.sql', status: 'added' }),
    theirs: changes({ path: 'db/migrations/0042_carts.sql', status: 'added' }),
    expected: { severity: 'high', consequence: 'same_number', findings: [{ kind: 'number', next: '0043' }] },
  },
  'a number in a directory that the settings do not number': {
    ours: changes({ path: 'db/0042_orders.sql', status: 'added' }),
    theirs: changes({ path: 'db/0042_carts.sql', status: 'added' }),
    settings: { number_directories: { 'd*': false } },
    expected: null,
  },
  '… by its longest glob': {
    ours: changes({ path: 'db/0042_orders.sql', status: 'added' }),
    theirs: changes({ path: 'db/0042_carts.sql', status: 'added' }),
    settings: { number_directories: { 'd*': false, 'd[b]': true } },
    expected: { consequence: 'same_number' },
  },
  'a number in a directory of which the other side changes the journal': {
    ours: changes({ path: 'drizzle/0003_a.sql', status: 'added' }),
    theirs: changes({ path: 'drizzle/0003_b.sql', status: 'added' }, { path: 'drizzle/meta/_journal.json' }),
    expected: { consequence: 'same_number' },
  },
  'the same change of a manifest': {
    ours: changes(edit('go.mod', 40)),
    theirs: changes(edit('go.mod', 40)),
    expected: TWINS,
  },
  'another change of a manifest': {
    ours: changes(edit('go.mod', 40, 'mine()')),
    theirs: changes(edit('go.mod', 40)),
    expected: null,
  },
  'the same change of a manifest that is ignored': {
    ours: changes(edit('go.mod', 40)),
    theirs: changes(edit('go.mod', 40)),
    settings: { ignore_paths: ['go.*'] },
    expected: null,
  },
  'another area': { ours: areas('till'), theirs: areas('shop'), expected: null },
  'an area of work with other files': {
    ours: { scope: { changes: [edit('a', 1)], areas: ['shop'] } },
    theirs: { scope: { changes: [edit('b', 1)], areas: ['shop'] } },
    expected: null,
  },
  'the name of a file, and nothing beneath it': {
    ours: paths('a/b', '**/README.md'),
    theirs: changes({ path: 'a' }),
    expected: null,
  },
  'a file beneath a declared path': {
    ours: changes({ path: 'lib/b' }),
    theirs: paths('lib'),
    expected: shares('lib/b', 'lib', 'lib/b'),
  },
  'no file': { ours: changes(edit('b', 1)), theirs: changes(edit('a', 1)), expected: null },
  'repeated lines, told apart on one base': {
    ours: onBase(ONE, alike(10, 'mine()')),
    theirs: onBase(ONE, alike(50, 'its()')),
    expected: null,
  },
  '… but not on two': {
    ours: onBase(ONE, alike(10, 'mine()')),
    theirs: onBase(OTHER, alike(50, 'its()')),
    expected: { consequence: 'conflict' },
  },
}

describe('two records share', () => {
  test.each(Object.entries(ROWS))('%s', async (_, { ours, theirs, settings, expected }) => {
    const { activity, check, checkActivity, overlaps } = liveRecords(settings)
    const id = await activity({ ...theirs, branch: 'theirs' })
    const result = await check(ours)
    expect(result.matches).toMatchObject(expected ? [{ id, ...expected }] : [])
    const [match] = result.matches
    expect(result).toMatchObject({
      overlap_detected: expected !== null,
      severity: match?.severity ?? null,
      related_activity_ids: expected ? [id] : [],
      total_related: expected ? 1 : 0,
      checked_against: { complete: true, ...(expected && { activities: 1 }) },
    })
    const own = await activity({ ...ours, branch: 'ours' })
    expect((await checkActivity(id)).related_activity_ids).toEqual(expected ? [own] : [])
    const { items, total } = await overlaps()
    expect(total).toBe(items.length)
    expect(items).toMatchObject(
      match ? [{ activity_ids: [id, own], severity: match.severity, consequence: match.consequence }] : [],
    )
  })

  test('an issue, although no path', async () => {
    const { activity, checkActivity, overlaps } = liveRecords()
    const id = await activity({ issue: 7, branch: 'a', ...paths('a.ts') })
    const own = await activity({ issue: 7, branch: 'b', ...paths('b.ts') })
    const match = { ...TWINS, findings: [ISSUE], paths: [], cut: false }
    expect(await checkActivity(own)).toMatchObject({ severity: 'high', matches: [{ id, ...match }] })
    expect((await checkActivity(id)).related_activity_ids).toEqual([own])
    expect((await overlaps()).items).toMatchObject([{ activity_ids: [id, own], ...match }])
  })

  test('the issue of the branch, whatever of its work is checked', async () => {
    const { activity, check } = liveRecords()
    const id = await activity({ branch: 'a', ...changes(edit('a', 10)), title: 'Fix #7' })
    await activity({ branch: 'b', title: 'Fixes #7', ...paths('b') })
    const found = async (branch: string) => (await check({ branch, ...at(10, 10).ours })).matches
    expect(await found('b')).toMatchObject([{ id, findings: [{ kind: 'lines' }, ISSUE] }])
    expect(await found('c')).toMatchObject([{ id, findings: [{ kind: 'lines' }] }])
  })

  test('the issue that both name in their titles, before what is newer and shares only a path', async () => {
    const { activity, check, checkActivity, overlaps } = liveRecords()
    const found = { kind: 'paths', path: 'a', yours: 'a', theirs: 'a' }
    const id = await activity({ branch: 'a', title: 'Fixes #7', ...paths('a') })
    const newer = await activity({ branch: 'b', ...paths('a') })
    const own = await activity({ branch: 'c', title: 'Fix #7', ...paths('a') })
    const { matches } = await checkActivity(own)
    const first = { id, ...TWINS, findings: [ISSUE, found] }
    expect(matches).toMatchObject([first, { id: newer, ...MEDIUM }])
    expect((await check({ branch: 'c' })).related_activity_ids).toEqual([id, newer])
    expect((await overlaps()).items[0]).toMatchObject({ ...TWINS, activity_ids: [id, own] })
  })

  test('what both changed since they parted, and not the commits that both have', async () => {
    const { activity, parted, checkActivity, overlaps } = liveRecords()
    const id = await activity({ branch: 'a', ...changes(edit('a', 40), edit('b', 10)) })
    const own = await activity({ branch: 'b', ...changes(edit('a', 40, 'its()'), edit('b', 10, 'its()')) })
    const conflictIn = (path: string) => ({ items: [{ ...CONFLICT, findings: [{ path }] }] })
    await parted(id, own, [edit('b', 10)])
    expect(await overlaps()).toMatchObject(conflictIn('a'))
    await parted(own, id, [edit('b', 10, 'its()')])
    expect(await overlaps()).toMatchObject(conflictIn('b'))
    await parted(own, id, [edit('b', 100)])
    expect(await overlaps()).toMatchObject({ items: [], same_file: { pairs: [[id, own]] } })
    expect(await checkActivity(own)).toMatchObject({ matches: [], same_file: { activity_ids: [id] } })
  })

  test('lines, with the range of each on its own base and the confidence', async () => {
    const { activity, check, overlaps } = liveRecords()
    const drifted = [...Array.from({ length: 9 }, (_, at) => `a line of the base branch ${at}`), ...FILE]
    const ours = changes({ path: 'a', patch: editOf(drifted, 49, 1, ['mine()']) }, { path: 'b' })
    const id = await activity({ branch: 'a', ...changes(edit('a', 40, 'its()'), edit('b', 9)) })
    const proved = { verdict: 'conflict', confidence: 'proved' }
    const unknown = { verdict: 'unknown', confidence: null }
    const { matches, reason } = await check(ours)
    expect(matches[0]?.paths).toEqual([
      { yours: 'a', theirs: 'a', example: 'a', ...proved, your_lines: [49, 49], their_lines: [40, 40] },
      { yours: 'b', theirs: 'b', example: 'b', ...unknown, your_lines: null, their_lines: [9, 9] },
    ])
    expect(reason).toMatch(/it changes line 40 of “a” too/)
    const own = await activity({ branch: 'b', ...ours })
    const [item] = (await overlaps()).items
    const lineAt = (line: number) => [line, line]
    expect(item).toMatchObject({ activity_ids: [id, own], areas: [], same_author: true, cut: false })
    expect(item?.paths).toEqual([
      { globs: ['a', 'a'], example: 'a', ...proved, line_ranges: [lineAt(40), lineAt(49)] },
      { globs: ['b', 'b'], example: 'b', ...unknown, line_ranges: [lineAt(9), null] },
    ])
  })

  test('a notable, with the path and its decision', async () => {
    const { notable, check, overlaps } = liveRecords()
    const note = { severity: 'low', consequence: null, same_author: false, is_bot: false, cut: false }
    const everywhere = notable({})
    const url = 'https://github.com/acme/shop/pull/7'
    const id = notable({ importance: 'medium', decision_url: url, ...paths('src/**') })
    const { matches } = await check(paths('src/a.ts'))
    expect(matches).toMatchObject([
      { id, ...note, severity: 'medium', paths: [{ theirs: 'src/**' }] },
      { id: everywhere, ...note, paths: [] },
    ])
    expect((await overlaps()).checked_against.activities).toBe(0)
    expect(matches.map(({ findings }) => findings)).toEqual([
      [{ kind: 'notable', path: 'src/a.ts', url }],
      [{ kind: 'notable', path: null, url: null }],
    ])
  })

  test.each([
    ['ada', true, false],
    ['ben', false, false],
    ['renovate[bot]', false, true],
  ])(
    'a path with the work of %s, marked as of one author or a bot',
    async (created_by, same_author, is_bot) => {
      const { activity, check } = liveRecords()
      await activity(paths('a'), { created_by })
      expect((await check(paths('a'))).matches).toMatchObject([{ same_author, is_bot }])
    },
  )

  test('nothing with work that ended', async () => {
    const { activity, check, overlaps, copies } = liveRecords()
    const ended = await activity({ branch: 'a', ...paths('a') }, { ends_in: 0 })
    const live = await activity({ branch: 'b', ...paths('a') })
    const found = { related_activity_ids: [live], checked_against: { activities: 1 } }
    expect(await check(paths('a'))).toMatchObject(found)
    expect(await check({ activity_id: ended, ...paths('a') })).toMatchObject(found)
    const itself = { related_activity_ids: [], checked_against: { activities: 0 } }
    expect(await check({ activity_id: live, ...paths('a') })).toMatchObject(itself)
    expect(await overlaps()).toMatchObject({ items: [], checked_against: { activities: 1, complete: true } })
    copies(live, 1) // A live record whose activity was deleted meanwhile.
    expect((await overlaps()).checked_against.as_of).toBe('2026-03-02T12:00:00.000Z')
  })

  test('a number beside lines in conflict, and hides neither', async () => {
    const { activity, check } = liveRecords()
    const taking = (text: string) =>
      changes(edit('a', 10, text), { path: `db/migrations/0042_${text}.sql`, status: 'added' })
    await activity({ branch: 'a', ...taking('x') }, { created_by: 'ben' })
    const { reason, recommended_action } = await check(taking('y'))
    expect(reason).toContain('is “0043”; it changes line 10 of “a” too. To give way: “git mv')
    expect(recommended_action).toContain(': wait, split the work')
  })

  test('the small changes of several others, which it collects', async () => {
    const { activities, check } = liveRecords()
    const ids = await activities(2, (n) => ({ branch: `b${n}`, ...changes(edit(`${n}`, 40)) }))
    const { related_activity_ids, matches } = await check(changes(edit('0', 40), edit('1', 40)))
    expect(related_activity_ids).toEqual(ids.toReversed())
    expect(matches).toMatchObject([TWINS, TWINS])
  })

  test('only a file, with the lines apart: no overlap, but named', async () => {
    const { activity, check, overlaps } = liveRecords()
    const id = await activity({ branch: 'a', ...at(10, 100).theirs })
    const newer = await activity({ branch: 'b', ...changes(edit('a', 60)) })
    expect((await check(at(10, 100).ours)).same_file).toEqual({ total: 2, activity_ids: [newer, id] })
    const own = await activity({ branch: 'c', ...at(10, 100).ours })
    const { total, same_file } = await overlaps()
    expect(`${[total, same_file.total, same_file.pairs]}`).toBe(`0,3,${[newer, own, id, own, id, newer]}`)
  })

  test.each([
    ['app/[id]/page.tsx', true],
    ['docs/a\\*.md', true],
    ['\\!odd', true],
    ['\\{x,y\\}', true],
    ['?odd', true],
    ['app/i/page.tsx', false],
    ['docs/ab.md', false],
    ['odd', false],
    ['x', false],
  ])('the name of a pull request’s file literally: %s %s', async (path, isShared) => {
    const { activity, check } = liveRecords()
    const names = ['app/[id]/page.tsx', 'docs/a*.md', '!odd', '{x,y}']
    const id = await activity({}, { scope_is_literal: true, scope: { areas: [], paths: names } })
    expect((await check(paths(path))).related_activity_ids).toEqual(isShared ? [id] : [])
  })
})

test.each([
  ['nothing is proposed', {}, false],
  ['the scope is empty', { scope: { paths: [], areas: [] } }, false],
  ['the branch has no live activity', { branch: 'lone' }, false],
  ['all that is proposed is ignored', paths('yarn.lock'), true],
])('nothing is compared if %s', async (_, body, complete) => {
  const { activity, check } = liveRecords()
  await activity(paths('**'))
  expect((await check(body)).checked_against).toMatchObject({ activities: 0, complete })
})

test.each([
  ['that it does not match', paths('c.ts'), false],
  ['of its own branch', { branch: 'large' }, false],
  ['that matches one of its files', paths('a.ts'), true],
  ['that matches one by a glob', paths('[a-b].ts'), true],
  ['of its stack', { ...paths('c.ts'), branch: 'upper', base_branch: 'large' }, true],
  ['for another base branch', { ...paths('c.ts'), base_branch: 'release-1' }, true],
  ['of an area', areas('shop'), true],
])(
  'work whose list of files GitHub cut leaves a check complete or not: one %s',
  async (_, body, complete) => {
    const { activity, check } = liveRecords()
    await activity({ branch: 'large', base_branch: 'main', ...paths('a.ts') }, { changes_complete: false })
    const { checked_against, reason } = await check(body)
    expect(checked_against).toMatchObject({ activities: 1, complete })
    expect(reason.includes('Only the first changed files of 1 live activity')).toBe(!complete)
  },
)

test.each([
  ['one author', [], true],
  ['two authors', ['acme-agent'], false],
])(
  'work that one account declares for two people is that of %s with the agents %j',
  async (_, agents, same_author) => {
    const { activity, overlaps } = liveRecords({ comment: { ...DEFAULT_SETTINGS.comment, agents } })
    for (const actor of ['Ada', 'Ben'])
      await activity({ branch: actor, actor, ...paths('a') }, { created_by: 'acme-agent' })
    expect((await overlaps()).items).toMatchObject([{ same_author }])
  },
)
