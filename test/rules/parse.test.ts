/** Errors in input: which one is reported, how its field is named, and the suggested name. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CreateActivity, ListActivities, UpdateActivity } from '../../src/vocabulary/contract/activity.ts'
import { CreateNotable } from '../../src/vocabulary/contract/notable.ts'
import { CheckOverlap } from '../../src/vocabulary/contract/overlap.ts'
import { describeProblems, nearest, parse } from '../../src/vocabulary/contract/parse.ts'
import { Failure } from '../../src/vocabulary/failure.ts'

/** Returns the failure for `raw`. */
function refusal(schema: z.ZodType, raw: unknown, noun: 'field' | 'parameter' = 'field') {
  try {
    parse(schema, raw, noun)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { status, type, param, message } = error
    return { status, type, param, message }
  }
  throw new Error('was accepted')
}

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const notableBody = { title: 'Frozen', summary: 'Until Friday.', importance: 'low', category: 'warning' }
const invalid = (param: string, problem: string) => ({
  ...{ status: 400, type: 'invalid_request', param, message: `${param}: ${problem}` },
})
const unprocessable = (param: string, problem: string) => ({
  ...{ status: 422, type: 'validation_error', param, message: `${param}: ${problem}` },
})

test('of very many unknown names, in one object or in many, the first 20 are described', () => {
  const changes = Array.from({ length: 1000 }, (_, at) => ({ path: `a${at}`, patchs: 1, stats: 1 }))
  const raw = { ...activityBody, scope: { changes } }
  const error = CreateActivity.safeParse(raw).error as z.ZodError
  expect(describeProblems(CreateActivity, raw, { error, noun: 'field' })).toHaveLength(20)
})

describe('an unknown name', () => {
  test.each([
    [CreateActivity, { ...activityBody, tilte: 'x' }, 'tilte', 'title'],
    [CreateActivity, { ...activityBody, base: 'main' }, 'base', 'base_branch'],
    [CreateActivity, { ...activityBody, prUrl: 'x' }, 'prUrl', 'pr_url'],
    [CreateActivity, { ...activityBody, pr: 'x' }, 'pr', 'pr_url'],
    [CreateActivity, { ...activityBody, scope: { path: ['a'] } }, 'scope.path', 'paths'],
    [UpdateActivity, { state: 'paused' }, 'state', 'status'],
    [UpdateActivity, { scope: { Paths: ['a'] } }, 'scope.Paths', 'paths'],
    [CheckOverlap, { tag: ['a'] }, 'tag', 'tags'],
    [CheckOverlap, { paths: ['a'] }, 'paths', 'scope.paths'],
    [CreateNotable, { ...notableBody, supercedes: [] }, 'supercedes', 'supersedes'],
  ])('in a body is reported with the most similar known name (case %#)', (schema, raw, param, near) => {
    expect(refusal(schema, raw)).toEqual(invalid(param, `unknown field; did you mean ${near}?`))
  })

  test('in a query is called a parameter', () => {
    const found = refusal(ListActivities, { staus: 'active' }, 'parameter')
    expect(found).toEqual(invalid('staus', 'unknown parameter; did you mean status?'))
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be %s', (name) => {
    const raw = JSON.parse(`{"scope": {"${name}": {}}}`)
    expect(refusal(CheckOverlap, raw)).toMatchObject({ status: 400, param: `scope.${name}` })
  })
})

const { title, ...untitled } = activityBody
const LONG = `scope${'x'.repeat(10_000)}`
const KNOWN = 'unknown field; known: scope, base_sha, branch, base_branch, activity_id, tags'
const REQUIRED = 'this field is required'
const AREAS = Array.from({ length: 101 }, (_, index) => `a${index}`)

test.each<[string, z.ZodType, object, object]>([
  ['an unknown name that resembles none', CheckOverlap, { xyz: 1 }, invalid('xyz', KNOWN)],
  ['… that is very long, truncated', CheckOverlap, { [LONG]: 1 }, invalid(`${LONG.slice(0, 60)}…`, KNOWN)],
  ['… if none is known', z.strictObject({}), { x: 1 }, invalid('x', 'unknown field; none is accepted here')],
  [
    '… before the missing one that it may mean',
    CreateActivity,
    { ...untitled, titel: title },
    { param: 'titel' },
  ],
  ['… before a value', CreateActivity, { ...activityBody, risk: 'huge', rsik: 'low' }, { param: 'rsik' }],
  ['a missing field', CreateActivity, untitled, invalid('title', REQUIRED)],
  ['… before a value', CreateActivity, { title: 5, summary: 'x', risk: 'huge' }, invalid('actor', REQUIRED)],
  [
    'null',
    CreateActivity,
    { ...untitled, title: null },
    unprocessable('title', 'must be a string, not null'),
  ],
  ['too many items', CheckOverlap, { tags: AREAS }, unprocessable('tags', 'must contain at most 100 items')],
  ['an item', CheckOverlap, { tags: ['a', ''] }, { status: 422, param: 'tags[1]' }],
  ['a small number', ListActivities, { limit: '0' }, unprocessable('limit', 'must be at least 1')],
  ['a large number', ListActivities, { limit: '101' }, unprocessable('limit', 'must be at most 100')],
])('%s is reported', (_, schema, raw, expected) => {
  expect(refusal(schema, raw)).toMatchObject(expected)
})

describe('an invalid value', () => {
  test.each([
    [{ title: 5 }, 'title', 'must be a string, not a number'],
    [{ title: ['a'] }, 'title', 'must be a string, not an array'],
    [{ draft_pr: 'true' }, 'draft_pr', 'must be a boolean, not a string'],
    [{ scope: [] }, 'scope', 'must be an object, not an array'],
    [{ scope: { paths: ['a', 5] } }, 'scope.paths[1]', 'must be a string, not a number'],
    [{ risk: 'hihg' }, 'risk', 'must be one of low, medium, high, critical; did you mean high?'],
    [{ risk: 1 }, 'risk', 'must be one of low, medium, high, critical'],
    [{ title: '' }, 'title', 'must have 1 to 200 characters'],
  ])('%j is reported with its path and what it must be', (wrong, param, message) => {
    expect(refusal(CreateActivity, { ...activityBody, ...wrong })).toEqual(unprocessable(param, message))
  })

  test('is also a parameter that is given twice', () => {
    const found = refusal(ListActivities, { limit: ['1', '2'] }, 'parameter')
    expect(found).toEqual(unprocessable('limit', 'may be given only once'))
  })

  test.each([
    ...['', 'ntb_\u0000', 'act_01h455vb4pex5vsknk084sn02q'],
    ...['ntb_01h455vb4pex5vsknk084sn02', 'ntb_81h455vb4pex5vsknk084sn02q'],
  ])("is reported for the id %j, which is not a notable's", (id) => {
    expect(refusal(CreateNotable, { ...notableBody, supersedes: [id] })).toMatchObject({
      status: 422,
      param: 'supersedes[0]',
    })
  })
})

describe('changes are rejected with', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ path: `f${index}` }))
  const large = (bytes: number) => `@@ -0,0 +1 @@\n+${'é'.repeat(bytes / 2)}\n`
  const PATH = /path of a file relative to the root/
  const twice = (...paths: string[]) => paths.map((path) => ({ path, previous_path: 'a', status: 'renamed' }))
  const patches = ['a', 'b'].map((path) => ({ path, patch: large(300_000) }))

  /** `param`: below `scope.changes`. */
  test.each<[name: string, changes: unknown, param: string, message: RegExp, status?: number]>([
    ['more than 3,000', many(3001), '', /at most 3000/],
    ['no list', {}, '', /must be an array/],
    ['no path', [{ status: 'added' }], '[0].path', /required/, 400],
    ['an unknown field', [{ path: 'a', patchs: 'x' }], '[0].patchs', /did you mean patch\?/, 400],
    ['a long path', [{ path: 'a'.repeat(1025) }], '[0].path', /1 to 1024/],
    ['NUL in a path', [{ path: 'a\u0000' }], '[0].path', /NUL/],
    ['a leading slash', [{ path: '/a' }], '[0].path', PATH],
    ['a drive', [{ path: 'C:/a.ts' }], '[0].path', /Windows machine; send the path from the root/],
    ['a directory', [{ path: 'a/' }], '[0].path', PATH],
    ['a path that leaves the root', [{ path: 'a/../b' }], '[0].path', PATH],
    ['an unknown status', [{ path: 'a', status: 'copied' }], '[0].status', /one of added, modified, rem/],
    [
      'a former path without a rename',
      [{ path: 'a', previous_path: 'b' }],
      '[0].previous_path',
      /only for the status renamed/,
    ],
    ['a rename of nothing', [{ path: 'a', status: 'renamed' }], '[0].previous_path', /required/, 400],
    ['a rename to itself', twice('a'), '[0].previous_path', /must differ/],
    ['the same path twice', ['a', 'b', 'a'].map((path) => ({ path })), '[2].path', /scope\.changes\[0\]/],
    ['the same former path twice', twice('b', 'c'), '[1].previous_path', /scope\.changes\[0\]/],
    ['no blob', [{ path: 'a', blob_sha: 'abc' }], '[0].blob_sha', /40 or 64/],
    ['a blob of zeros', [{ path: 'a', blob_sha: '0'.repeat(40) }], '[0].blob_sha', /all zeros/],
    ['patches of more than 512 KiB', patches, '', /at most 524288 bytes in total, not 600032/],
  ])('%s', (_, changes, param, message, status = 422) => {
    const error = { status, param: `scope.changes${param}`, message: expect.stringMatching(message) }
    expect(refusal(CheckOverlap, { scope: { changes } })).toMatchObject(error)
  })
})

describe('the most similar known name', () => {
  const known = ['title', 'summary', 'actor', 'agent', 'branch', 'base_branch', 'scope', 'risk', 'pr_url']

  test.each(['', 'zzzzzz', 'colour', 'x'.repeat(101)])('of %j does not exist', (name) => {
    expect(nearest(name, known)).toBeUndefined()
  })
})
