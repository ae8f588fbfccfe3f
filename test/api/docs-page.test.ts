/** The page at /docs: complete from this service alone, and strict about what may run in it. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada' })
})
afterAll(async () => {
  await service.close()
  github.close()
})

const get = async (path: string) => {
  const response = await fetch(`${service.url}${path}`)
  return { response, text: await response.text() }
}

test('it asks for nothing of any other host, and runs no script or style of its own lines', async () => {
  const { response, text } = await get('/docs')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/default-src 'none';script-src 'self';style-src 'self'/)
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address as string)
  expect(addresses).toHaveLength(4)
  expect(addresses.every((address) => address.startsWith('/docs/'))).toBe(true)
  expect(text).not.toMatch(/<script>|<style|style=|onload/)
})

test('everything that it names is there, and the document that it shows', async () => {
  const { text } = await get('/docs')
  for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g)) {
    const { response } = await get(address as string)
    expect([address, response.status]).toEqual([address, 200])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
  const script = (await get('/docs/start.js')).text
  const document = JSON.parse(/url: ("[^"]+")/.exec(script)?.[1] ?? '""')
  expect(JSON.parse((await get(document)).text).openapi).toBe('3.1.0')
})

test('files of the library are kept by browsers for a day, and asked for again with their age', async () => {
  const { response } = await get('/docs/swagger-ui-bundle.js')
  expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
  const since = response.headers.get('last-modified') ?? ''
  // `fetch` would ask for a fresh copy of its own accord.
  const asked = request(`${service.url}/docs/swagger-ui-bundle.js`, {
    headers: { 'If-Modified-Since': since },
  }).end()
  const [again] = (await once(asked, 'response')) as [IncomingMessage]
  again.resume()
  expect(again.statusCode).toBe(304)
})

test.each([
  '/docs/../package.json',
  '/docs/package.json',
  '/docs/swagger-ui.css.map',
  '/docs/%2e%2e%2fpackage.json',
])('no other file is served: %s', async (path) => {
  expect((await get(path)).response.status).toBe(404)
})

test('other methods are refused as everywhere', async () => {
  const response = await fetch(`${service.url}/docs`, { method: 'POST' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  await response.arrayBuffer()
})
