/** The list of notables: its contents, filters and pages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { NOTABLE, outcome } from '../support/routes.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
let service: TestService

beforeAll(async () => {
  github.repository({ id: 7, full_name: 'acme/shop' })
  github.repository({ id: 8, full_name: 'acme/pages' })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write', 'acme/pages': 'write' } })
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 100_000 } })
})
afterAll(async () => {
  await service.close()
  github.close()
})

const SHOP = '/api/v1/repos/acme/shop/notables'
const PAGES = '/api/v1/repos/acme/pages/notables'
const raise = async (title: string, body: object = {}, at = SHOP): Promise<string> =>
  (await service.api('POST', at, { body: { ...NOTABLE, title, ...body } })).body.id
const archive = (id: string, at = SHOP) => service.api('POST', `${at}/${id}/archive`)

describe('filters', () => {
  beforeAll(async () => {
    await raise('expired')
    service.clock.advance(7 * 86_400_000)
    await raise('plain')
    await raise('low', { importance: 'low' })
    await raise('security', { category: 'security' })
    await raise('area', { scope: { areas: ['Check Out', 'api'] } })
    await raise('both', { importance: 'low', category: 'security', scope: { areas: ['API'] } })
    await archive(await raise('archived'))
    await archive(await raise('archived low', { importance: 'low' }))
  })

  test.each([
    ['', ['both', 'area', 'security', 'low', 'plain']],
    ['?status=active', ['both', 'area', 'security', 'low', 'plain']],
    ['?status=archived', ['archived low', 'archived']],
    ['?status=expired', ['expired']],
    ['?importance=low', ['both', 'low']],
    ['?importance=critical', []],
    ['?category=security', ['both', 'security']],
    ['?area=api', ['both', 'area']],
    ['?area=check%20out', ['area']],
    ['?area=%20Check%20Out%20', ['area']],
    ['?area=check', []],
    ['?importance=low&category=security', ['both']],
    ['?importance=low&status=archived', ['archived low']],
    ['?limit=2', ['both', 'area']],
  ])('%s', async (query, titles) => {
    const { status, body } = await service.api('GET', `${SHOP}${query}`)
    expect(status).toBe(200)
    expect(body.items.map((item: { title: string }) => item.title)).toEqual(titles)
  })
})

test.each([
  ['status', 'merged', '422 validation_error'],
  ['importance', 'urgent', '422 validation_error'],
  ['category', 'gossip', '422 validation_error'],
  ['area', '', '422 validation_error'],
  ['area', 'x'.repeat(101), '422 validation_error'],
  ['area', 'a%00b', '422 validation_error'],
  ['limit', '0', '422 validation_error'],
  ['limit', '101', '422 validation_error'],
  ['limit', '1.5', '422 validation_error'],
  ['limit', 'all', '422 validation_error'],
  ['limit', '', '422 validation_error'],
  ['cursor', '', '400 invalid_request'],
  ['cursor', 'nonsense', '400 invalid_request'],
  // Base64 of an activity's id, which is a position in another list.
  ['cursor', Buffer.from('act_01h455vb4pex5vsknk084sn02q').toString('base64url'), '400 invalid_request'],
  ['catgory', 'security', '400 invalid_request'],
])('%s=%s is refused', async (name, value, expected) => {
  const answer = await service.api('GET', `${SHOP}?${name}=${value}`)
  expect(outcome(answer)).toEqual(expected)
  expect(answer.body.error.param).toEqual(name)
})

test('a repeated parameter is rejected', async () => {
  expect(outcome(await service.api('GET', `${SHOP}?status=active&status=archived`))).toBe(
    '422 validation_error',
  )
})

test('a misspelt parameter is answered with a suggestion', async () => {
  const { body } = await service.api('GET', `${SHOP}?catgory=security`)
  expect(body.error.message).toContain('category')
})

test('items are notables without type and summary', async () => {
  const id = await raise('shown', { scope: { paths: ['src'] } })
  const { type, summary, ...brief } = (await service.api('GET', `${SHOP}/${id}`)).body
  expect(type).toBe('notable')
  expect(summary).toEqual(NOTABLE.summary)
  expect((await service.api('GET', `${SHOP}?limit=1`)).body.items).toEqual([brief])
})

test('a page has fifty items by default', async () => {
  for (let turn = 0; turn < 51; turn += 1) await raise(`turn ${turn}`)
  const { body } = await service.api('GET', SHOP)
  expect(body.items).toHaveLength(50)
  expect(body.next_cursor).toEqual(expect.any(String))
})

describe('paging', () => {
  /** Reads pages of two; `meanwhile` runs after each page. */
  async function walk(meanwhile: (turn: number) => Promise<unknown> = async () => {}): Promise<string[]> {
    const ids: string[] = []
    let cursor = ''
    for (let turn = 0; ; turn += 1) {
      const { body } = await service.api('GET', `${PAGES}?limit=2${cursor}`)
      ids.push(...body.items.map((item: { id: string }) => item.id))
      if (body.next_cursor === null) return ids
      cursor = `&cursor=${body.next_cursor}`
      await meanwhile(turn)
    }
  }
  const stay: string[] = []
  const go: string[] = []

  beforeAll(async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      stay.unshift(await raise('stays', {}, PAGES))
      go.unshift(await raise('goes', {}, PAGES))
    }
  })

  test('returns each notable once, newest first, and ends', async () => {
    const all = await walk()
    expect(all).toEqual(stay.flatMap((id, place) => [go[place], id]))
  })

  test('ends with a full page when there are no more', async () => {
    const { body } = await service.api('GET', `${PAGES}?limit=8`)
    expect(body.items.length).toBe(8)
    expect(body.next_cursor).toBeNull()
  })

  test('returns unchanged notables once while others are created and deleted, even the one at the cursor', async () => {
    const seen = await walk(async (turn) => {
      await raise('comes', {}, PAGES)
      const id = go[turn]
      if (id) await archive(id, PAGES)
    })
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => stay.includes(id))).toEqual(stay)
  })
})
