/** What two records share (docs/contract/overlap.md): one row for each rule, asked of a check, a create, and the list. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/vocabulary/contract/field.ts'
import type { FileSettings } from '../../src/vocabulary/contract/settings.ts'
import { editOf } from '../support/lines.ts'
import { useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository, github } = fixture

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const ALIKE = Array.from({ length: 60 }, () => 'const value = read()')
const DRIFTED = [...Array.from({ length: 9 }, (_, at) => `a line of the base branch ${at}`), ...FILE]

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
  settings?: FileSettings
  /** What the check says of theirs; null if nothing is shared. */
  expected: object | null
  /** The severity of the pair in the list, where that of the check in the other direction is higher. */
  listed?: string
}

const MEDIUM = { severity: 'medium', consequence: 'possible' }
const shares = (yours: string, theirs: string, example: string) => ({
  ...MEDIUM,
  areas: [],
  paths: [{ yours, theirs, example, verdict: null, your_lines: null }],
})
const TILL: FileSettings = { areas: { Till: ['src/till/**'], drawers: ['src/*/drawer.ts'] } }
/** One line each in `a`, with this verdict. */
const at = (mine: number | undefined, its: number | undefined) => ({
  ours: changes(edit('a', mine, 'mine()')),
  theirs: changes(edit('a', its, 'its()')),
})
const CONFLICT = { severity: 'high', consequence: 'conflict' }
const TWINS = { severity: 'high', consequence: 'same_work' }
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

  'noise of ours': { ours: paths('package-lock.json'), theirs: paths('**'), expected: null },
  'other paths beside noise': {
    ours: paths('package-lock.json', 'package.json'),
    theirs: paths('package-lock.json', 'package.json'),
    expected: shares('package.json', 'package.json', 'package.json'),
  },
  'a class of noise that is off': {
    ours: paths('package-lock.json'),
    theirs: paths('package-lock.json'),
    settings: { noise_classes: { lock: false } },
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

  // `test/rules/kinds.test.ts` has every risk.
  'a path of work of critical risk': {
    ours: paths('src/**'),
    theirs: { ...paths('src/pay.ts'), risk: 'critical' },
    expected: { severity: 'high' },
  },
  'our own risk, which counts for the others': {
    ours: { ...paths('src/**'), risk: 'critical' },
    theirs: paths('src/pay.ts'),
    expected: MEDIUM,
    listed: 'high',
  },

  'the same line': { ...at(40, 40), expected: lines('conflict', CONFLICT) },
  'lines far apart': { ...at(10, 100), expected: null },
  'the same line, changed in the same way': {
    ...{ ours: changes(edit('a', 40)), theirs: changes(edit('a', 40)) },
    expected: { ...TWINS, findings: [{ kind: 'duplicate', share: 1, added_lines: 1 }, { kind: 'lines' }] },
  },
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
  test.each(Object.entries(ROWS))('%s', async (_, { ours, theirs, settings, expected, listed }) => {
    const { request, configure, create, createActivity, check } = repository()
    if (settings) await configure(settings)
    const id = await createActivity({ ...theirs, branch: 'theirs' })
    const { risk: _risk, ...proposal } = ours as { risk?: string }
    const result = await check(proposal)
    expect(result.matches).toMatchObject(expected ? [{ id, ...expected }] : [])
    expect(result).toMatchObject({
      overlap_detected: expected !== null,
      severity: result.matches[0]?.severity ?? null,
      related_activity_ids: expected ? [id] : [],
      total_related: expected ? 1 : 0,
      checked_against: { complete: true },
    })
    const { activity, overlap } = await create({ ...ours, branch: 'ours', actor: 'Eve' })
    expect(overlap.matches).toEqual(result.matches)
    expect(overlap.same_file).toEqual(result.same_file)
    const { body } = await request('GET', `/activity/${id}`)
    expect(body.overlap.related_activity_ids).toEqual(expected ? [activity.id] : [])
    const { items } = (await request('GET', '/overlaps')).body
    const severity = listed ?? result.matches[0]?.severity
    const [match] = result.matches
    expect(items).toMatchObject(
      match ? [{ activity_ids: [id, activity.id], severity, consequence: match.consequence }] : [],
    )
  })

  test('a line with the range of each on its own base and the confidence, in a check and in the list', async () => {
    const { request, create, createActivity, check } = repository()
    const ours = changes({ path: 'a', patch: editOf(DRIFTED, 49, 1, ['mine()']) })
    const older = await createActivity({ branch: 'a', ...at(40, 40).theirs })
    const result = await check(ours)
    const names = { yours: 'a', theirs: 'a', example: 'a' }
    const verdict = { verdict: 'conflict', confidence: 'proved' }
    expect(result.matches[0]?.paths).toEqual([
      { ...names, ...verdict, your_lines: [49, 49], their_lines: [40, 40] },
    ])
    expect(result.reason).toMatch(/it changes line 40 of “a” too/)
    const { activity } = await create({ branch: 'b', ...ours })
    const { body } = await request('GET', '/overlaps')
    const line_ranges = [
      [40, 40],
      [49, 49],
    ]
    expect(body).toMatchObject({
      items: [
        {
          activity_ids: [older, activity.id],
          severity: 'high',
          areas: [],
          paths: [{ globs: ['a', 'a'], example: 'a', ...verdict, line_ranges }],
          same_author: true,
          cut: false,
        },
      ],
      total: 1,
      checked_against: {
        activities: 2,
        as_of: fixture.service.clock.now.toISOString(),
        complete: true,
        reason: null,
      },
    })
  })

  test('the issue of the branch, whatever of its work is checked', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ branch: 'a', ...changes(edit('a', 10)), title: 'Fix #7' })
    await createActivity({ branch: 'b', title: 'Fixes #7', ...paths('b') })
    const kinds = async (branch: string) =>
      (await check({ branch, ...at(10, 10).ours })).matches.map(({ findings, ...match }) => [
        match.id,
        ...findings.map(({ kind }) => kind),
      ])
    expect([await kinds('b'), await kinds('c')]).toEqual([[[id, 'lines', 'issue']], [[id, 'lines']]])
  })

  test('the small changes of several others, which it collects', async () => {
    const { createActivity, check } = repository()
    const ids = await Promise.all(
      ['a', 'b'].map((path) => createActivity({ branch: path, ...changes(edit(path, 40)) })),
    )
    const { related_activity_ids, matches } = await check(changes(edit('a', 40), edit('b', 40)))
    expect(related_activity_ids.toSorted()).toEqual(ids.toSorted())
    expect(matches).toMatchObject([TWINS, TWINS])
  })

  test('only a file, with the lines apart: no overlap, but named', async () => {
    const { request, createActivity, create } = repository()
    const id = await createActivity({ branch: 'a', ...at(10, 100).theirs })
    const { activity, overlap } = await create({ branch: 'b', actor: 'Eve', ...at(10, 100).ours })
    expect(overlap).toMatchObject({
      ...{ overlap_detected: false, severity: null, total_related: 0, matches: [] },
      same_file: { total: 1, activity_ids: [id] },
    })
    const { body } = await request('GET', '/overlaps')
    expect(body).toMatchObject({ items: [], total: 0, same_file: { total: 1, pairs: [[id, activity.id]] } })
  })

  test('a tag, as an area, and an area by its globs', async () => {
    const { configure, createActivity, check } = repository()
    const id = await createActivity(areas('Checkout'))
    const byTag = await check({ ...paths('docs/**'), tags: ['CHECKOUT '] })
    expect(byTag.matches).toMatchObject([{ id, severity: 'low', paths: [] }])
    await configure(TILL)
    const drawer = await createActivity(paths('src/till/drawer.ts'))
    expect((await check({ tags: ['till'] })).related_activity_ids).toEqual([drawer])
  })

  test('the names of a pull request’s files literally, until a user sets the scope', async () => {
    const { request, check, insertActivities } = repository()
    const id = newId('act', new Date())
    const names = ['app/[id]/page.tsx', 'docs/a*.md', '!odd', '{x,y}']
    await insertActivities([
      {
        id,
        source: 'pull_request',
        pr_number: 7,
        pr_url: 'https://github.com/acme/shop/pull/7',
        scope_is_literal: true,
        scope: { areas: [], paths: names },
      },
    ])
    const related = async (path: string) => (await check(paths(path))).related_activity_ids
    for (const path of ['app/[id]/page.tsx', 'docs/a\\*.md', '\\!odd', '\\{x,y\\}', '?odd'])
      expect(await related(path), path).toEqual([id])
    for (const path of ['app/i/page.tsx', 'docs/ab.md', 'odd', 'x'])
      expect(await related(path), path).toEqual([])
    await request('PATCH', `/activity/${id}`, { body: paths('docs/a*.md') })
    expect(await related('docs/ab.md')).toEqual([id])
  })

  test('work of one author on two branches, marked as such', async () => {
    const { request, create, check } = repository()
    const begin = (branch: string, actor: string) =>
      create({ branch, actor, ...changes(edit('a', 40, branch)) })
    await begin('one', 'agent-1')
    const same = await begin('two', 'agent-1')
    expect(same.overlap.matches.map((each) => each.same_author)).toEqual([true])
    expect((await request('GET', '/overlaps')).body.items).toMatchObject([{ same_author: true }])
    const other = await begin('three', 'agent-2')
    expect(other.overlap.matches.map((each) => each.same_author)).toEqual([true, true])
    // A check is the work of its caller.
    const body = { scope: { paths: ['a'] } }
    expect((await check(body)).matches.map((each) => each.same_author)).toEqual([true, true, true])
    const asked = await request('POST', '/activity/check', { body, token: 'rita' })
    expect(asked.body.matches.map((each: { same_author: boolean }) => each.same_author)).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('a path', () => {
  // `test/rules/glob.test.ts` has every form of a glob that is refused.
  test.each([
    ['..', '../secrets'],
    ['a drive', 'C:\\work\\shop\\src\\a.ts'],
    ['a NUL', 'src/\u0000.ts'],
  ])('with %s is refused and named', async (_, path) => {
    const { request, createActivity } = repository()
    const scope = { paths: ['src/fine.ts', path] }
    const text = { title: 'Pay', summary: 'Pay.' }
    const id = await createActivity({})
    const note = { ...text, importance: 'low', category: 'warning', scope }
    const answers = [
      await request('POST', '/activity/check', { body: { scope } }),
      await request('POST', '/activity', { body: { ...text, actor: 'Ben', scope } }),
      await request('PATCH', `/activity/${id}`, { body: { scope } }),
      await request('POST', '/notables', { body: note }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(422)
      expect(body.error.type).toBe('validation_error')
      expect(body.error.param).toBe('scope.paths[1]')
    }
  })
})

describe('a check', () => {
  const empty = {
    overlap_detected: false,
    severity: null,
    related_activity_ids: [],
    related_notable_ids: [],
    expected_activity_ids: [],
    relationships: {},
    reuse_opportunities: [],
    matches: [],
    same_file: { total: 0, activity_ids: [] },
    truncated: false,
    total_related: 0,
  }

  test('without an overlap names the numbers compared, and when, and creates nothing', async () => {
    const { request, createActivity, createNotable, check } = repository()
    await createActivity(paths('docs/**'))
    await createActivity(areas('docs'))
    await createNotable(paths('docs/**'))
    expect(await check({ ...paths('src/**'), branch: 'retries', tags: ['pay'] })).toEqual({
      ...empty,
      reason: 'No overlap with 2 live activities and 1 active notable.',
      recommended_action: expect.stringMatching(/^Go ahead, and create an activity/),
      checked_against: {
        activities: 2,
        notables: 1,
        as_of: fixture.service.clock.now.toISOString(),
        complete: true,
      },
    })
    expect((await request('GET', '/activity')).body.items).toHaveLength(2)
  })

  test.each([
    ['nothing is proposed', {}, false, /nothing to compare, because no paths or areas were named\.$/],
    ['the scope is empty', { scope: { paths: [], areas: [] } }, false, /no paths or areas were named\.$/],
    ['the branch has no live activity', { branch: 'lone' }, false, /no live activity of “lone” has/],
    ['all that is proposed is ignored', paths('yarn.lock'), true, /ignore/],
  ])('says when nothing was compared: %s', async (_, body, complete, reason) => {
    const { createActivity, check } = repository()
    await createActivity(paths('src/**'))
    const result = await check(body)
    expect(result).toMatchObject({ ...empty, checked_against: { activities: 0, complete } })
    expect(result.reason).toMatch(/^No activity was compared: /)
    expect(result.reason).toMatch(reason)
    expect(result.recommended_action).toMatch(/scope\.paths/)
  })

  test('and the list need read access', async () => {
    const { request } = repository()
    github.token('eve', { login: 'eve', id: 3, permissions: {} })
    const statuses = async (token: string | null) => [
      (await request('POST', '/activity/check', { token, body: {} })).status,
      (await request('GET', '/overlaps', { token })).status,
    ]
    expect(await statuses('rita')).toEqual([200, 200])
    expect(await statuses('eve')).toEqual([403, 403])
    expect(await statuses(null)).toEqual([401, 401])
    const { error } = (await request('GET', '/overlaps?limit=5')).body
    expect(error).toMatchObject({ type: 'invalid_request', param: 'limit' })
  })
})
