/** Collisions by lines over HTTP: verdicts, severities, duplicates, noise and authors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { editOf } from '../support/lines.ts'
import { freshRepositories, type TestRepository } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})

afterAll(async () => {
  await service.close()
  github.close()
})

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)

/** A change of one line. Without `at`, it has no patch. */
function edit(path: string, at?: number, text = `changed()`, rest: object = {}) {
  return { path, ...(at !== undefined && { patch: editOf(FILE, at, 1, [text]) }), ...rest }
}

interface Case {
  theirs: object[]
  yours: object[]
  body?: object
}

/** The result of a check of `yours` while an activity with `theirs` is live. */
async function checked({ theirs, yours, body = {} }: Case) {
  const repo = repository()
  const id = await repo.createActivity({ scope: { changes: theirs }, ...body })
  return { repo, id, result: await repo.check({ scope: { changes: yours } }) }
}

describe('a file that both change', () => {
  const added = (text: string) => ({ path: 'a', status: 'added', patch: `@@ -0,0 +1 @@\n+${text}\n` })
  const cases: [name: string, yours: object, theirs: object, verdict: string, severity: string][] = [
    ['on the same line', edit('a', 40, 'mine()'), edit('a', 40, 'its()'), 'conflict', 'high'],
    ['in the same way', edit('a', 40), edit('a', 40), 'agrees', 'low'],
    ['one unchanged line apart', edit('a', 40), edit('a', 42), 'touching', 'low'],
    ['ten lines apart', edit('a', 40), edit('a', 50), 'near', 'low'],
    ['far apart', edit('a', 10), edit('a', 100), 'far', 'low'],
    ['without your patch', edit('a'), edit('a', 40), 'unknown', 'medium'],
    ['without their patch', edit('a', 40), edit('a'), 'unknown', 'medium'],
    ['added by both', added('one'), added('two'), 'conflict', 'high'],
    ['removed by one', { path: 'a', status: 'removed' }, edit('a', 40), 'conflict', 'high'],
    [
      'under a former name',
      edit('b', 40, 'mine()', { status: 'renamed', previous_path: 'a' }),
      edit('a', 40, 'its()'),
      'conflict',
      'high',
    ],
  ]

  test.each(cases)('%s', async (_, yours, theirs, verdict, severity) => {
    const { repo, id, result } = await checked({ yours: [yours], theirs: [theirs] })
    expect(result.matches).toMatchObject([
      {
        id,
        severity,
        lines: verdict,
        duplicate: null,
        cut: false,
        areas: [],
        paths: [{ example: 'a', verdict }],
      },
    ])
    expect(result).toMatchObject({ severity, related_activity_ids: [id], total_related: 1 })
    expect(result.checked_against.complete).toBe(true)
    const swapped = await repo.create({ scope: { changes: [yours] }, actor: 'Eve' })
    expect(swapped.overlap.matches).toEqual(result.matches)
    const { body } = await repo.request('GET', `/activity/${id}`)
    expect(body.overlap).toMatchObject({ severity, matches: [{ lines: verdict, example: 'a' }] })
  })

  test('is shown with the lines of both, and the confidence of a conflict', async () => {
    const { result } = await checked({ yours: [edit('a', 40, 'x()')], theirs: [edit('a', 40, 'y()')] })
    expect(result.matches[0]?.paths).toEqual([
      {
        yours: 'a',
        theirs: 'a',
        example: 'a',
        verdict: 'conflict',
        confidence: 'proved',
        your_lines: [40, 40],
        their_lines: [40, 40],
      },
    ])
    expect(result.reason).toMatch(/it changes line 40 of “a” too/)
  })

  test('with changes far apart needs no action', async () => {
    const { result } = await checked({ yours: [edit('a', 10)], theirs: [edit('a', 100)] })
    expect(result.recommended_action).toBe('No action is needed: the changed lines do not overlap.')
  })

  test.each([
    ['conflict', { risk: 'critical' }, edit('a', 40, 'its()'), 'high'],
    ['far', { risk: 'critical' }, edit('a', 100), 'low'],
    ['far', { blocking: true }, edit('a', 100), 'high'],
    ['unknown', { risk: 'high' }, edit('a'), 'high'],
  ])('that is %s, of work with %o', async (lines, body, theirs, severity) => {
    const { result } = await checked({ yours: [edit('a', 40, 'mine()')], theirs: [theirs], body })
    expect(result.matches).toMatchObject([{ lines, severity }])
  })

  test('among several counts with the strongest verdict, which comes first', async () => {
    const names = ['a', 'b', 'c']
    const yours = names.map((path) => edit(path, 40, 'mine()'))
    const theirs = names.map((path, at) => edit(path, [100, 40, 50][at], 'its()'))
    const { result } = await checked({ yours, theirs })
    expect(result.matches).toMatchObject([{ lines: 'conflict' }])
    expect(result.matches[0]?.paths.map(({ example, verdict }) => [example, verdict])).toEqual([
      ['b', 'conflict'],
      ['c', 'near'],
      ['a', 'far'],
    ])
  })
})

describe('files beside globs', () => {
  test('count by lines, and other pairs of paths by path', async () => {
    const repo = repository()
    const id = await repo.createActivity({ scope: { paths: ['src/**'], changes: [edit('src/a.ts', 100)] } })
    const far = [edit('src/a.ts', 10)]
    const result = await repo.check({ scope: { changes: far } })
    expect(result.matches).toMatchObject([
      {
        id,
        severity: 'medium',
        lines: 'far',
        paths: [{ verdict: 'far' }, { yours: 'src/a.ts', theirs: 'src/**', verdict: null, your_lines: null }],
      },
    ])
    await repo.request('PATCH', `/activity/${id}`, { body: { scope: { changes: far, areas: ['shop'] } } })
    const byArea = await repo.check({ scope: { changes: [edit('src/a.ts', 100)], areas: ['shop'] } })
    expect(byArea.matches).toMatchObject([{ severity: 'low', lines: 'far', areas: ['shop'] }])
  })

  test('without a shared file, or without changes of one side, lines are null', async () => {
    const { repo, id, result } = await checked({ yours: [edit('b', 1)], theirs: [edit('a', 1)] })
    expect(result.matches).toEqual([])
    const globs = await repo.check({ scope: { paths: ['a'] } })
    expect(globs.matches).toMatchObject([
      { id, severity: 'medium', lines: null, duplicate: null, paths: [{ verdict: null }] },
    ])
    const both = await repo.check({ scope: { paths: ['*'], changes: [edit('b', 1)] } })
    expect(both.matches).toMatchObject([{ id, severity: 'medium', lines: null }])
  })
})

describe('noise', () => {
  const noise = { yours: [edit('CHANGELOG.md', 40, 'x')], theirs: [edit('CHANGELOG.md', 40, 'y')] }

  test('alone is not a collision', async () => {
    const { repo, id, result } = await checked(noise)
    expect(result).toMatchObject({
      overlap_detected: false,
      severity: null,
      related_activity_ids: [],
      relationships: {},
      matches: [],
      truncated: false,
      total_related: 0,
      checked_against: { activities: 0, complete: true },
    })
    const listed = await repo.check({ scope: { changes: noise.yours }, include: ['noise'] })
    expect(listed).toEqual({
      ...result,
      matches: [expect.objectContaining({ id, severity: 'low', lines: 'noise' })],
    })
    const created = await repo.create({ scope: { changes: noise.yours } })
    expect(created.overlap.matches).toEqual([])
    const { body } = await repo.request('GET', `/activity/${id}`)
    expect(body.overlap).toEqual({
      overlap_detected: false,
      severity: null,
      related_activity_ids: [],
      matches: [],
    })
  })

  test('beside another file does not count', async () => {
    const yours = [...noise.yours, edit('a', 10)]
    const { result } = await checked({ yours, theirs: [...noise.theirs, edit('a', 100)] })
    expect(result.matches).toMatchObject([{ lines: 'far', severity: 'low', paths: [{ verdict: 'far' }] }])
  })

  test('`include` accepts nothing else', async () => {
    const answer = await repository().request('POST', '/activity/check', { body: { include: ['all'] } })
    expect(answer.status).toBe(422)
    expect(answer.body.error.param).toBe('include[0]')
  })
})

describe('a duplicate', () => {
  const rows = Array.from({ length: 8 }, (_, at) => `const fresh${at} = compute(${at})`)
  const insert = (at: number, count: number, path = 'a') => ({
    path,
    patch: editOf(FILE, at, 0, rows.slice(0, count)),
  })

  test('adds the same lines', async () => {
    const { result } = await checked({ yours: [insert(10, 8)], theirs: [insert(100, 6)] })
    expect(result.matches).toMatchObject([
      { severity: 'high', lines: 'far', duplicate: { share: 1, added_lines: 6, issue: null } },
    ])
    expect(result.reason).toMatch(/it seems to do the same as yours \(6 of 6 added lines are alike\)/)
    expect(result.recommended_action).toMatch(/which of the two to continue/)
  })

  test('adds at least five lines', async () => {
    const { result } = await checked({ yours: [insert(10, 8)], theirs: [insert(100, 4)] })
    expect(result.matches).toMatchObject([{ severity: 'low', duplicate: null }])
  })

  test('closes the same issue', async () => {
    const repo = repository()
    const body = (at: number) => ({ scope: { changes: [edit('a', at)] } })
    const id = await repo.createActivity({ ...body(10), title: 'Fix #7: retry twice' })
    const { overlap } = await repo.create({ ...body(100), summary: 'Closes #7.' })
    expect(overlap.matches).toMatchObject([{ id, severity: 'high', lines: 'far', duplicate: { issue: 7 } }])
    expect(overlap.reason).toMatch(/both close “#7”/)
  })

  test('of globs is named without a change of severity', async () => {
    const repo = repository()
    await repo.createActivity({ scope: { paths: ['a'] }, title: 'Fix #7' })
    const { overlap } = await repo.create({ scope: { paths: ['a'] }, summary: 'Resolves #7' })
    expect(overlap.matches).toMatchObject([{ severity: 'medium', lines: null, duplicate: { issue: 7 } }])
  })
})

test('one author on two branches is marked', async () => {
  const repo = repository()
  const begin = (branch: string, actor: string) =>
    repo.create({ branch, actor, scope: { changes: [edit('a', 40, branch)] } })
  await begin('one', 'agent-1')
  const same = await begin('two', 'agent-1')
  expect(same.overlap.matches.map((each) => each.same_author)).toEqual([true])
  const other = await begin('three', 'agent-2')
  expect(other.overlap.matches.map((each) => each.same_author)).toEqual([false, false])
})

test('a check is the work of its caller, but not of a declared actor', async () => {
  const repo = repository()
  await repo.createActivity({ branch: 'one', scope: { changes: [edit('a', 40)] } })
  const pr_url = `https://github.com/acme/r${repo.id - 1000}/pull/7`
  const linked = await repo.createActivity({ branch: 'two', pr_url, scope: { changes: [edit('a', 40)] } })
  const marked = async (body: object) => {
    const { matches } = await repo.check({ scope: { changes: [edit('a', 40)] }, ...body })
    return matches.filter((each) => each.same_author).map(({ id }) => id)
  }
  expect(await marked({})).toEqual([linked])
  expect(await marked({ scope: { paths: ['a'] } })).toEqual([linked])
})

const numbered = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) => edit(`f${String(index).padStart(3, '0')}`, at))

test('of more than 300 shared files the first 300 are compared', async () => {
  const { result } = await checked({ yours: numbered(301, 10), theirs: numbered(301, 100) })
  expect(result.matches).toMatchObject([{ lines: 'unknown', severity: 'low', cut: true }])
  expect(result.matches[0]?.paths).toHaveLength(20)
  const whole = await checked({ yours: numbered(300, 10), theirs: numbered(300, 100) })
  expect(whole.result.matches).toMatchObject([{ lines: 'far', severity: 'low', cut: false }])
})

/** Creates an activity for each line, in order. */
async function many(repo: TestRepository, files: object[]) {
  const ids: string[] = []
  for (const file of files) ids.push(await repo.createActivity({ scope: { changes: [file] } }))
  return ids
}

test('the most severe of more than 200 are listed, however old', async () => {
  const repo = repository()
  const [conflict, noise] = [edit('a', 40, 'its()'), edit('CHANGELOG.md', 40, 'its()')]
  const first = await many(repo, [conflict, edit('a')])
  await repo.request('GET', '/activity')
  const rest = await many(
    repo,
    Array.from({ length: 248 }, (_, at) => (at % 5 === 0 ? noise : edit('a', 100 + (at % 10)))),
  )
  const yours = [edit('a', 40, 'mine()'), edit('CHANGELOG.md', 40, 'mine()')]
  const result = await repo.check({ scope: { changes: yours } })
  const far = rest.filter((_, at) => at % 5 !== 0).reverse()
  expect(result.related_activity_ids).toEqual([...first, ...far].slice(0, 200))
  expect(result).toMatchObject({
    severity: 'high',
    total_related: 200,
    truncated: false,
    checked_against: { activities: 250, complete: true },
  })
})
