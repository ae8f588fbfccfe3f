/** Notables over HTTP: each operation works, and returns and rejects the fields that it should. */
import { beforeEach, describe, expect, test } from 'vitest'
import { NOTABLE, outcome, unknownId } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const { service } = useService()

beforeEach(() => {
  service.clock.now = new Date('2026-03-02T09:00:00.000Z')
})

const post = (body: object) => service.api('POST', '/notables', { body })
const raise = async (body: object = {}) => (await post({ ...NOTABLE, ...body })).body
const get = async (id: string) => (await service.api('GET', `/notables/${id}`)).body
const patch = (id: string, body: object) => service.api('PATCH', `/notables/${id}`, { body })
const archive = (id: string) => service.api('POST', `/notables/${id}/archive`)

describe('creating a notable', () => {
  test('with the required fields applies the defaults', async () => {
    const answer = await post(NOTABLE)
    expect(answer.status).toBe(201)
    const { summary: _, ...shown } = NOTABLE
    expect(answer.body).toEqual({
      ...shown,
      id: expect.stringMatching(/^ntb_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      status: 'active',
      decision_url: null,
      supersedes: [],
      superseded_by: null,
      applies_until: null,
      scope: { areas: [], paths: [] },
      blocking: false,
      created_by: 'ada',
      expires_at: '2026-03-09T09:00:00.000Z',
      created_at: '2026-03-02T09:00:00.000Z',
      updated_at: '2026-03-02T09:00:00.000Z',
      archived_at: null,
    })
    expect(answer.headers.get('location')).toBe(`/api/v1/repos/acme/shop/notables/${answer.body.id}`)
  })

  test('stores every field', async () => {
    const sent = {
      ...NOTABLE,
      decision_url: 'https://wiki.example/adr/7?x=1#y',
      applies_until: '2026-03-04T12:00:00.000Z',
      scope: { areas: ['Checkout'], paths: ['src/pay/**', 'docs/[id].md'] },
      blocking: true,
    }
    const { id } = await raise(sent)
    expect(await get(id)).toMatchObject({ ...sent, id, type: 'notable' })
  })
})

// `test/rules/record-fields.test.ts` has every field.
test.each<[string, object, string]>([
  ['an empty title', { title: '' }, 'title'],
  ['an applies_until that is now', { applies_until: '2026-03-02T10:00:00+01:00' }, 'applies_until'],
])('%s is rejected on create, and on update, which changes nothing', async (_, field, param) => {
  const { id } = await raise()
  const before = await get(id)
  for (const answer of [
    await post({ ...NOTABLE, ...field }),
    await patch(id, { summary: 'Changed.', ...field }),
  ]) {
    expect(outcome(answer)).toBe('422 validation_error')
    expect(answer.body.error.param).toBe(param)
  }
  expect(await get(id)).toEqual(before)
})

describe('updating a notable', () => {
  test.each([
    { summary: 'Until Monday.' },
    { importance: 'critical' },
    { decision_url: 'https://wiki.example/adr/8' },
    { applies_until: '2026-03-05T00:00:00.000Z' },
    { title: 'Migrations are frozen still' },
    { scope: { areas: [], paths: ['db/**'] } },
    { blocking: true },
    { decision_url: null },
    { applies_until: null },
  ])('with %o changes nothing else', async (change) => {
    const { id } = await raise({
      decision_url: 'https://wiki.example/adr/7',
      applies_until: '2026-03-04T12:00:00Z',
      scope: { areas: ['checkout'], paths: ['src/**'] },
    })
    const before = await get(id)
    service.clock.advance(1000)
    const answer = await patch(id, change)
    const { type: _type, summary, ...brief } = { ...before, ...change }
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ ...brief, updated_at: '2026-03-02T09:00:01.000Z' })
    expect((await get(id)).summary).toBe(summary)
  })

  test('to the current values, or without fields, changes nothing', async () => {
    const applies_until = '2026-03-04T12:00:00Z'
    const scope = { areas: ['checkout'], paths: ['src/**'] }
    const { id } = await raise({ applies_until, scope })
    const before = await get(id)
    service.clock.advance(1000)
    for (const same of [{ title: before.title, applies_until, scope }, {}])
      expect(await patch(id, same)).toMatchObject({ status: 200, body: { updated_at: before.updated_at } })
    expect(await get(id)).toEqual(before)
  })
})

describe('an archived notable', () => {
  test('can be retrieved, and keeps its first instant', async () => {
    const { id } = await raise()
    service.clock.advance(1000)
    const first = await archive(id)
    expect(first).toMatchObject({ status: 200 })
    expect(first.body).toEqual({ id, status: 'archived', archived_at: '2026-03-02T09:00:01.000Z' })
    service.clock.advance(1000)
    expect((await archive(id)).body).toEqual(first.body)
    expect(await get(id)).toMatchObject({ status: 'archived', archived_at: first.body.archived_at })
  })

  test('cannot be changed', async () => {
    const { id } = await raise()
    await archive(id)
    expect(outcome(await patch(id, { summary: 'Changed.' }))).toBe('409 invalid_transition')
    expect((await get(id)).summary).toBe(NOTABLE.summary)
  })
})

describe('a notable that supersedes others', () => {
  const supersede = (supersedes: string[]) => post({ ...NOTABLE, supersedes })
  const idOf = async (): Promise<string> => (await raise()).id
  const count = async () => (await service.api('GET', '/notables?limit=100')).body.items.length

  test('superseded notables are archived and name their successor', async () => {
    const old = [await idOf(), await idOf()]
    service.clock.advance(1000)
    const answer = await supersede(old)
    expect(answer.body.supersedes).toEqual(old)
    const at = answer.body.created_at
    for (const id of old) {
      expect(await get(id)).toMatchObject({
        status: 'archived',
        archived_at: at,
        updated_at: at,
        superseded_by: answer.body.id,
      })
    }
    expect(await get(answer.body.id)).toMatchObject({
      status: 'active',
      supersedes: old,
      superseded_by: null,
    })
  })

  test('a repeated id is stored once', async () => {
    const old = await idOf()
    expect((await supersede([old, old])).body.supersedes).toEqual([old])
  })

  test('a notable archived earlier keeps its instant, and an expired one is archived', async () => {
    const [old, expired] = [await idOf(), await idOf()]
    const { archived_at } = (await archive(old)).body
    service.clock.advance(8 * 86_400_000)
    const superseded_by = (await supersede([old, expired])).body.id
    expect(await get(old)).toMatchObject({ superseded_by, archived_at })
    expect(await get(expired)).toMatchObject({ status: 'archived', superseded_by })
  })

  test('an id of no notable in this repository is rejected with its index, and nothing changes', async () => {
    const old = await idOf()
    const before = [await count(), await get(old)]
    const answer = await supersede([old, old, unknownId('ntb')])
    expect(outcome(answer)).toBe('422 validation_error')
    expect(answer.body.error.param).toBe('supersedes[2]')
    expect([await count(), await get(old)]).toEqual(before)
  })

  test('two concurrent successors are both stored, and the last one is named', async () => {
    const old = await idOf()
    const answers = await Promise.all([supersede([old]), supersede([old]), supersede([old])])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(answers.map(({ body }) => body.id)).toContain((await get(old)).superseded_by)
  })
})
