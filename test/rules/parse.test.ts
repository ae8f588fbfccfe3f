/** How refused input is told: which fault goes first, how its field is spelt, what it may have been meant to be (contract §3). */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CreateActivity, ListActivities, UpdateActivity } from '../../src/activities/activity.ts'
import { Failure } from '../../src/base/failure.ts'
import { nearest, parse } from '../../src/base/parse.ts'
import { CreateNotable } from '../../src/notables/notable.ts'
import { CheckOverlap } from '../../src/overlap/overlap.ts'

/** The failure with which `raw` is refused. */
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

const work = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const note = { title: 'Frozen', summary: 'Until Friday.', importance: 'low', category: 'warning' }

describe('an unknown name', () => {
  test.each([
    [CreateActivity, { ...work, tilte: 'x' }, 'tilte', 'title'],
    [CreateActivity, { ...work, Branch: 'x' }, 'Branch', 'branch'],
    [CreateActivity, { ...work, base: 'main' }, 'base', 'base_branch'],
    [CreateActivity, { ...work, prUrl: 'x' }, 'prUrl', 'pr_url'],
    [CreateActivity, { ...work, pr: 'x' }, 'pr', 'pr_url'],
    [CreateActivity, { ...work, scope: { path: ['a'] } }, 'scope.path', 'paths'],
    [CreateActivity, { ...work, scope: { pathes: ['a'] } }, 'scope.pathes', 'paths'],
    [CreateActivity, { ...work, scope: { area: ['a'] } }, 'scope.area', 'areas'],
    [UpdateActivity, { state: 'paused' }, 'state', 'status'],
    [UpdateActivity, { heart_beat: true }, 'heart_beat', 'heartbeat'],
    [UpdateActivity, { scope: { Paths: ['a'] } }, 'scope.Paths', 'paths'],
    [CheckOverlap, { scop: {} }, 'scop', 'scope'],
    [CheckOverlap, { tag: ['a'] }, 'tag', 'tags'],
    [CheckOverlap, { scope: { paht: ['a'] } }, 'scope.paht', 'paths'],
    [CreateNotable, { ...note, supercedes: [] }, 'supercedes', 'supersedes'],
  ])('in a body is told with the nearest known one (case %#)', (schema, raw, param, near) => {
    expect(refusal(schema, raw)).toEqual({
      status: 400,
      type: 'invalid_request',
      param,
      message: `${param}: unknown field; did you mean ${near}?`,
    })
  })

  test('in a query is called a parameter', () => {
    expect(refusal(ListActivities, { staus: 'active' }, 'parameter')).toEqual({
      status: 400,
      type: 'invalid_request',
      param: 'staus',
      message: 'staus: unknown parameter; did you mean status?',
    })
  })

  test('that is like none is told with all that are known', () => {
    expect(refusal(CheckOverlap, { xyz: 1 }).message).toBe(
      'xyz: unknown field; known are scope, branch, base_branch, tags',
    )
    expect(refusal(z.strictObject({}), { xyz: 1 }).message).toBe('xyz: unknown field; none is taken here')
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be %s', (name) => {
    const raw = JSON.parse(`{"scope": {"${name}": {}}}`)
    expect(refusal(CheckOverlap, raw)).toMatchObject({ status: 400, param: `scope.${name}` })
  })

  test('that is very long is cut, and no nearest one is sought', () => {
    const { param, message } = refusal(CheckOverlap, { [`scope${'x'.repeat(10_000)}`]: 1 })
    expect(param).toBe(`scope${'x'.repeat(55)}…`)
    expect(message).toBe(`${param}: unknown field; known are scope, branch, base_branch, tags`)
  })

  test('goes before a field that is missing: the misspelling is why it is', () => {
    const { title, ...rest } = work
    expect(refusal(CreateActivity, { ...rest, titel: title })).toMatchObject({ status: 400, param: 'titel' })
  })

  test('goes before a value that is wrong', () => {
    expect(refusal(CreateActivity, { ...work, risk: 'huge', rsik: 'low' })).toMatchObject({
      status: 400,
      param: 'rsik',
    })
  })
})

describe('a missing field', () => {
  test.each(['title', 'summary', 'actor'] as const)('%s is told as such', (name) => {
    const { [name]: _, ...rest } = work
    expect(refusal(CreateActivity, rest)).toEqual({
      status: 400,
      type: 'invalid_request',
      param: name,
      message: `${name}: this field is required and is missing`,
    })
  })

  test.each(['importance', 'category'] as const)('%s is missing, and not a wrong value', (name) => {
    const { [name]: _, ...rest } = note
    expect(refusal(CreateNotable, rest)).toMatchObject({ status: 400, param: name })
  })

  test('goes before one that is wrong, wherever it stands', () => {
    expect(refusal(CreateActivity, { title: 5, summary: 'x', risk: 'huge' })).toMatchObject({
      status: 400,
      type: 'invalid_request',
      param: 'actor',
    })
  })

  test('is not one that is null', () => {
    expect(refusal(CreateActivity, { ...work, title: null })).toEqual({
      status: 422,
      type: 'validation_error',
      param: 'title',
      message: 'title: must be a string, not null',
    })
  })
})

describe('a wrong value', () => {
  test.each([
    [{ title: 5 }, 'title', 'title: must be a string, not a number'],
    [{ title: ['a'] }, 'title', 'title: must be a string, not an array'],
    [{ title: {} }, 'title', 'title: must be a string, not an object'],
    [{ draft_pr: 'true' }, 'draft_pr', 'draft_pr: must be a boolean, not a string'],
    [{ scope: [] }, 'scope', 'scope: must be an object, not an array'],
    [{ scope: { paths: 'a' } }, 'scope.paths', 'scope.paths: must be an array, not a string'],
    [{ scope: { paths: ['a', 5] } }, 'scope.paths[1]', 'scope.paths[1]: must be a string, not a number'],
    [{ scope: { areas: [null] } }, 'scope.areas[0]', 'scope.areas[0]: must be a string, not null'],
    [{ risk: 'hihg' }, 'risk', 'risk: must be one of low, medium, high, critical; did you mean high?'],
    [{ risk: 1 }, 'risk', 'risk: must be one of low, medium, high, critical'],
    [{ title: '' }, 'title', 'title: must have 1 to 200 characters'],
  ])('%j is told by its place and by what it has to be', (wrong, param, message) => {
    expect(refusal(CreateActivity, { ...work, ...wrong })).toEqual({
      status: 422,
      type: 'validation_error',
      param,
      message,
    })
  })

  test('counts too many entries', () => {
    const areas = Array.from({ length: 101 }, (_, index) => `a${index}`)
    expect(refusal(CheckOverlap, { tags: areas }).message).toBe('tags: must hold at most 100')
  })

  test.each([
    ['0', 'limit: must be at least 1'],
    ['101', 'limit: must be at most 100'],
  ])('bounds the number %s', (limit, message) => {
    expect(refusal(ListActivities, { limit }, 'parameter')).toMatchObject({ status: 422, message })
  })

  test.each([
    'ntb_\u0000',
    'act_01h455vb4pex5vsknk084sn02q',
    'ntb_01h455vb4pex5vsknk084sn02',
    'ntb_81h455vb4pex5vsknk084sn02q',
    '',
  ])('is an id such as %j, which no notable has', (id) => {
    expect(refusal(CreateNotable, { ...note, supersedes: [id] })).toMatchObject({
      status: 422,
      param: 'supersedes[0]',
    })
  })
})

test.each([[[]], ['text'], [null], [7]])('%j is no body at all', (raw) => {
  expect(refusal(CreateActivity, raw)).toMatchObject({ status: 400, type: 'invalid_request' })
})

describe('the nearest known name', () => {
  const known = ['title', 'summary', 'actor', 'agent', 'branch', 'base_branch', 'scope', 'risk', 'pr_url']

  test.each([
    ['tilte', 'title'],
    ['TITLE', 'title'],
    ['titles', 'title'],
    ['sumary', 'summary'],
    ['agnet', 'agent'],
    ['basebranch', 'base_branch'],
    ['pr-url', 'pr_url'],
    ['risc', 'risk'],
  ])('to %s is %s', (name, near) => {
    expect(nearest(name, known)).toBe(near)
  })

  test.each(['', 'zzzzzz', 'colour', 'x'.repeat(101)])('to %j is none', (name) => {
    expect(nearest(name, known)).toBeUndefined()
  })

  test('is none where nothing is known', () => {
    expect(nearest('title', [])).toBeUndefined()
  })
})
