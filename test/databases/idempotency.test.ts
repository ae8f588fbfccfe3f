/** Repeated creates with the same Idempotency-Key. */
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../support/api.ts'
import { ACTIVITY, NOTABLE, outcome, unknownId } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const DAY_MS = 86_400_000
const SHOP = '/api/v1/repos/acme/shop'
const OTHER = '/api/v1/repos/acme/other'

const { github, service } = useService()
/** A key that only the current test uses. */
let key: string
let tests = 0

beforeAll(async () => {
  const permissions = { 'acme/shop': 'write', 'acme/other': 'write' } as const
  github.repository({ id: 8, full_name: 'acme/other' })
  github.token('ada', { login: 'ada', id: 1, permissions })
  github.token('ada-2', { login: 'ada', id: 1, permissions })
  github.token('bob', { login: 'bob', id: 2, permissions })
  github.installation('app', permissions)
  github.installation('app-2', permissions)
})
beforeEach(() => {
  key = `key-${++tests}`
})

interface Sent {
  token?: string
  base?: string
  key?: string
}
const send = (path: string, body: unknown, sent: Sent = {}): Promise<Answer> =>
  service.api('POST', `${sent.base ?? SHOP}${path}`, {
    body,
    token: sent.token,
    headers: { 'Idempotency-Key': sent.key ?? key },
  })
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'
const idOf = ({ body }: Answer): string => body.activity?.id ?? body.id

const creates: [string, object][] = [
  ['/activity', ACTIVITY],
  ['/notables', NOTABLE],
]

describe.each(creates)('POST %s', (path, body) => {
  const count = async () => (await service.api('GET', `${SHOP}${path}?limit=100`)).body.items.length

  test('that is repeated returns the first response, also after a change of the record, and creates no second one', async () => {
    const before = await count()
    const first = await send(path, body)
    expect(first.status).toBe(201)
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    service.clock.advance(5000)
    await service.api('PATCH', `${SHOP}${path}/${idOf(first)}`, { body: { title: 'Another title' } })
    const again = await send(path, body)
    expect(again.status).toBe(201)
    expect(isReplay(again)).toBe(true)
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(await count()).toBe(before + 1)
  })

  test('with another body is rejected and creates nothing', async () => {
    await send(path, body)
    const before = await count()
    const answer = await send(path, { ...body, title: 'Another title' })
    expect(outcome(answer)).toBe('422 idempotency_mismatch')
    expect(answer.body.error.param).toBe('Idempotency-Key')
    expect(await count()).toBe(before)
  })

  const reversed = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2)
  // Threat: Another repository's record through an idempotency key
  test.each<[string, boolean, Sent, unknown?]>([
    ['of another caller', false, { token: 'bob' }],
    ['of another repository', false, { base: OTHER }],
    ['of an installation', false, { token: 'app' }],
    ['with the body in another notation', true, {}, reversed],
    ['of another token of the same user', true, { token: 'ada-2' }],
    ['under /v1', true, { base: '/v1/repos/acme/shop' }],
    ['with a key of one character', true, { key: 'k' }],
    ['with a key of 255 characters', true, { key: 'k'.repeat(255) }],
    ['with every kind of character', true, { key: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ aZ09' }],
  ])('%s is the same: %s', async (_, isSame, sent, repeated = body) => {
    const first = await send(path, body, { key: sent.key })
    const again = await send(path, repeated, sent)
    expect(again.status).toBe(201)
    expect(isReplay(again)).toBe(isSame)
    expect(idOf(again) === idOf(first)).toBe(isSame)
  })

  // Threat: Another repository's record through an idempotency key
  test('of installations is separate for each token', async () => {
    const first = await send(path, body, { token: 'app' })
    const second = await send(path, body, { token: 'app-2' })
    const again = await send(path, body, { token: 'app' })
    expect([first, second, again].map(isReplay)).toEqual([false, false, true])
    expect(idOf(second)).not.toBe(idOf(first))
    expect(idOf(again)).toBe(idOf(first))
  })

  test('is new after 24 hours, and not before', async () => {
    const first = await send(path, body)
    service.clock.advance(DAY_MS - 1)
    expect(idOf(await send(path, body))).toBe(idOf(first))
    service.clock.advance(1)
    const second = await send(path, { ...body, title: 'The next day' })
    expect(second.status).toBe(201)
    expect(isReplay(second)).toBe(false)
    const again = await send(path, { ...body, title: 'The next day' })
    expect(isReplay(again)).toBe(true)
    expect(idOf(again)).toEqual(idOf(second))
  })

  test('that crashed before its response was stored is completed', async () => {
    const before = await count()
    const first = await send(path, body)
    await service.db.execute(sql`update idempotency_keys set answer = null where key = ${key}`)
    const completed = await send(path, body)
    expect(completed.status).toBe(201)
    expect(isReplay(completed)).toBe(true)
    expect(completed.body).toEqual(first.body)
    expect((await send(path, body)).body).toEqual(first.body)
    expect(await count()).toBe(before + 1)
  })
})

test('a key of one route does not apply to the other', async () => {
  const activity = await send('/activity', ACTIVITY)
  const notable = await send('/notables', NOTABLE)
  expect([activity, notable].map(({ status }) => status)).toEqual([201, 201])
  expect([activity, notable].map(isReplay)).toEqual([false, false])
})

describe('failures are not stored:', () => {
  test.each<[string, unknown, string]>([
    ['/notables', { title: 'a field is missing' }, '400 invalid_request'],
    ['/activity', { ...ACTIVITY, risk: 'huge' }, '422 validation_error'],
    // Inside the transaction.
    ['/notables', { ...NOTABLE, supersedes: [unknownId('ntb')] }, '422 validation_error'],
  ])('to %s: %j', async (path, bad, refusal) => {
    expect(outcome(await send(path, bad))).toBe(refusal)
    const good = await send(path, path === '/activity' ? ACTIVITY : NOTABLE)
    expect(good.status).toBe(201)
    expect(isReplay(good)).toBe(false)
  })
})

test.each([
  ['that is empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['with characters outside of ASCII', 'clé'],
  ['with a tab', 'a\tb'],
])('a key %s is rejected with 400, before invalid values of the body', async (_, given) => {
  for (const [path, body] of creates) {
    const answer = await send(path, { ...body, title: 7 }, { key: given })
    expect(outcome(answer)).toBe('400 invalid_request')
    expect(answer.body.error.param).toBe('Idempotency-Key')
  }
})

test('operations that create nothing ignore the header, even an invalid key', async () => {
  const { activity } = (await service.api('POST', `${SHOP}/activity`, { body: ACTIVITY })).body
  const headers = { 'Idempotency-Key': 'k'.repeat(300) }
  for (const risk of ['high', 'critical']) {
    const sent = { body: { risk }, headers }
    const { status, body } = await service.api('PATCH', `${SHOP}/activity/${activity.id}`, sent)
    expect([status, body.risk]).toEqual([200, risk])
  }
})
