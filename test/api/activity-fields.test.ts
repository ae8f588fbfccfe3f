/** Every field of an activity over HTTP: minimum and maximum values, null, scopes, unknown names, pull requests. */
import { beforeEach, describe, expect, test } from 'vitest'
import { useRepository } from '../support/repository.ts'

const { repo } = useRepository()
let existing: string

beforeEach(async () => {
  existing = await repo.createActivity({})
})

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const create = (fields: object) => repo.request('POST', '/activity', { body: { ...activityBody, ...fields } })
const update = (fields: object) => repo.request('PATCH', `/activity/${existing}`, { body: fields })
const send = { create, update }
type Way = keyof typeof send

/** The stored field after a create or update that was accepted. */
async function stored(way: Way, fields: Record<string, unknown>) {
  const answer = await send[way](fields)
  expect(answer.status, JSON.stringify(answer.body)).toBe(way === 'create' ? 201 : 200)
  const id = way === 'create' ? answer.body.activity.id : existing
  return (await repo.request('GET', `/activity/${id}`)).body
}

async function refusal(way: Way, fields: object) {
  const { status, body } = await send[way](fields)
  return { status, type: body.error?.type, param: body.error?.param }
}
const wrong = (param: string) => ({ status: 422, type: 'validation_error', param })

const both: Way[] = ['create', 'update']
const texts: { field: string; max: number; ways: Way[] }[] = [
  { field: 'title', max: 200, ways: both },
  { field: 'summary', max: 4000, ways: both },
  { field: 'actor', max: 100, ways: ['create'] },
  { field: 'agent', max: 100, ways: ['create'] },
  { field: 'branch', max: 255, ways: both },
  { field: 'base_branch', max: 255, ways: both },
]
const cases = texts.flatMap(({ field, max, ways }) => ways.map((way) => ({ field, max, way })))

test.each(cases)('the text $field has 1 to $max characters on $way', async ({ field, max, way }) => {
  for (const value of ['x', 'x'.repeat(max), '😀'.repeat(max)])
    expect((await stored(way, { [field]: value }))[field]).toBe(value)
  for (const value of ['', 'x'.repeat(max + 1), '😀'.repeat(max + 1)])
    expect(await refusal(way, { [field]: value })).toEqual(wrong(field))
})

describe('null', () => {
  test.each(['agent', 'branch', 'base_branch', 'pr_url'])('is rejected as %s on create', async (field) => {
    expect((await stored('create', { [field]: null }))[field]).toBeNull()
  })

  test.each(['branch', 'base_branch', 'pr_url'])('clears %s on update', async (field) => {
    const value = field === 'pr_url' ? `https://github.com/acme/r${repo.id - 1000}/pull/7` : 'main'
    await stored('update', { [field]: value })
    expect((await stored('update', { [field]: null }))[field]).toBeNull()
  })

  test.each(
    [
      ...['title', 'summary', 'scope', 'risk', 'draft_pr', 'blocking'].map((field) => ({
        field,
        ways: both,
      })),
      { field: 'actor', ways: ['create'] as Way[] },
      ...['status', 'heartbeat'].map((field) => ({ field, ways: ['update'] as Way[] })),
    ].flatMap(({ field, ways }) => ways.map((way) => ({ field, way }))),
  )('is refused for $field on $way', async ({ field, way }) => {
    expect(await refusal(way, { [field]: null })).toEqual(wrong(field))
  })
})

describe('a scope', () => {
  test('is replaced as a whole; an omitted list becomes empty', async () => {
    const scope = { areas: ['checkout'], paths: ['src/pay/**'] }
    const empty = { areas: [], paths: [], changes: [] }
    expect((await stored('update', { scope })).scope).toEqual({ ...empty, ...scope })
    expect((await stored('update', { title: 'Other' })).scope).toEqual({ ...empty, ...scope })
    for (const given of [{ paths: ['docs'] }, { areas: ['till'] }, {}])
      expect((await stored('update', { scope: given })).scope).toEqual({ ...empty, ...given })
    expect((await stored('create', { scope: { areas: ['a'] } })).scope).toEqual({ ...empty, areas: ['a'] })
  })

  test.each(both)('drops duplicates and keeps the order on %s', async (way) => {
    const scope = {
      areas: ['till', 'Checkout', 'till', ' checkout ', 'TILL', 'api'],
      paths: ['b', 'a', 'b', 'B', './b', 'a'],
    }
    expect((await stored(way, { scope })).scope).toEqual({
      areas: ['till', 'Checkout', 'api'],
      paths: ['b', 'a', 'B', './b'],
      changes: [],
    })
  })
})

test.each([
  ['branch', 'refs/heads/pay', 'pay'],
  ['branch', 'origin/pay', 'origin/pay'],
  ['base_branch', 'origin/main', 'main'],
  ['base_branch', 'refs/remotes/origin/main', 'main'],
  ['base_branch', 'refs/heads/main', 'main'],
])('%s %s is stored as %s', async (field, sent, stored) => {
  const { body } = await repo.request('POST', '/activity', { body: { ...activityBody, [field]: sent } })
  expect(body.activity[field]).toBe(stored)
})

describe('an unknown field', () => {
  test.each(['id', 'type', 'source', 'expires_at', 'archived_at', 'heartbeat_at', 'created_at'])(
    '%s is read-only on create and on update',
    async (field) => {
      expect(await refusal('create', { [field]: null })).toMatchObject({ status: 400, param: field })
      expect(await refusal('update', { [field]: null })).toMatchObject({ status: 400, param: field })
    },
  )

  test.each(['status', 'heartbeat'])('%s is not a field of create', async (field) => {
    expect(await refusal('create', { [field]: 'active' })).toMatchObject({ status: 400, param: field })
  })

  test.each(['actor', 'agent'])('%s is not a field of update', async (field) => {
    expect(await refusal('update', { [field]: 'Eve' })).toMatchObject({ status: 400, param: field })
  })
})
