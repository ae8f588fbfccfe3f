/** The address with a one-time code that signs in whoever started the service at a terminal. */
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestService, useService } from '../support/service.ts'
import { forTest } from '../support/use-started.ts'

const TOKEN = 'tok-ada'
const PATH = '/#/acme/shop'
const MINUTE_MS = 60_000

const { service } = useService({ token: TOKEN })
let url: string

beforeEach(() => {
  url = service.signInUrl(TOKEN, PATH) as string
})

const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address, { method, redirect: 'manual', headers })

/** Opens the address in a browser with these cookies. Returns where it leads, and the cookie that it sets. */
async function open(cookie = ''): Promise<{ location: string | null; cookie: string; flags: string }> {
  const { headers } = await get(url, { cookie })
  const set = headers.get('set-cookie') ?? ''
  return { location: headers.get('location'), cookie: set.split(';')[0] ?? '', flags: set }
}
const asPage = (cookie: string) => ({ cookie, 'x-deconflict-page': '1' })
const statusOf = async (headers: Record<string, string>) =>
  (await get(`${service.url}/api/v1/repos/acme/shop/activity`, headers)).status

test('the address signs the browser in, and the page acts with the token', async () => {
  const { location, cookie, flags } = await open()
  expect(location).toBe(PATH)
  expect(flags).toMatch(/HttpOnly/)
  expect(flags).toMatch(/SameSite=Lax/)
  expect(flags).not.toContain(TOKEN)
  const session = await get(`${service.url}/session`, asPage(cookie))
  expect(await session.json()).toMatchObject({ is_signed_in: true, login: 'ada' })
  expect(await statusOf(asPage(cookie))).toBe(200)
})

// Threat: Somebody else uses the address that signs in
test('the address signs in once, and again only the browser that used it', async () => {
  const { cookie } = await open()
  expect(await open()).toMatchObject({ location: '/?problem=used', cookie: '' })
  expect(await open(cookie)).toMatchObject({ location: PATH, cookie: '' })
})

test('a HEAD request does not use up the address', async () => {
  expect((await get(url, {}, 'HEAD')).status).toBe(204)
  expect((await open()).location).toBe(PATH)
})

// Threat: Somebody else uses the address that signs in
test('the address expires after 15 minutes', async () => {
  service.clock.advance(15 * MINUTE_MS)
  expect((await open()).location).toBe('/?problem=used')
})

describe('the session', () => {
  // Threat: Another site uses the session of that address
  test('does not authenticate a request of another site, which cannot send the header of the page', async () => {
    const { cookie } = await open()
    expect(await statusOf({ cookie })).toBe(401)
  })

  test.each<[string, (cookie: string) => unknown]>([
    ['when the person signs out', (cookie) => get(`${service.url}/session/logout`, asPage(cookie), 'POST')],
    ['after eight hours', () => service.clock.advance(480 * MINUTE_MS)],
  ])('ends %s', async (_, end) => {
    const { cookie } = await open()
    await end(cookie)
    expect(await statusOf(asPage(cookie))).toBe(401)
  })

  test.each(['', 'x', 'a'.repeat(32)])('is not made with the code %j', async (code) => {
    url = `${service.url}/session/open?code=${code}`
    expect(await open()).toMatchObject({ location: '/?problem=used', cookie: '' })
  })
})

// Threat: Somebody else uses the address that signs in
test('neither the code nor the token is logged', async () => {
  await open()
  const code = new URL(url).searchParams.get('code') as string
  expect(service.log.join()).not.toContain(code)
  expect(service.log.join()).not.toContain(TOKEN)
})

// Threat: Somebody else uses the address that signs in
test('a service that other machines can reach has no such address', async () => {
  const open_to_all = await forTest(startTestService({ token: TOKEN, config: { host: '0.0.0.0' } }))
  expect(open_to_all.signInUrl(TOKEN, PATH)).toBeNull()
})
