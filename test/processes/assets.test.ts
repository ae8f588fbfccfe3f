/** The files of the page as the built service sends them: cached and compressed. */
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, expect, inject, test } from 'vitest'

const service = inject('shared_service')
let script: string

beforeAll(async () => {
  const html = await (await fetch(service.url)).text()
  script = /src="\.?(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''
})

/** `fetch` would decompress the body, and always read it again. */
function get(path: string, encoding: string, more: Record<string, string> = {}) {
  return new Promise<{ status?: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(`${service.url}${path}`, { headers: { 'accept-encoding': encoding, ...more } })
        .on('error', reject)
        .on('response', async (response) => {
          const { statusCode: status, headers } = response
          resolve({ status, headers, body: await buffer(response) })
        })
        .end()
    },
  )
}

test.each<Record<string, string>>([{}, { range: 'bytes=99999999-' }, { 'if-match': '"another"' }])(
  'an asset is sent whole and cached for a year, also if the request says %j',
  async (more) => {
    const { status, headers } = await get(script, 'identity', more)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  },
)

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
])('a script is sent as %s, with less than half of its bytes', async (encoding, decompress) => {
  const { body: plain } = await get(script, 'identity')
  const { headers, body } = await get(script, encoding)
  expect(headers['content-encoding']).toBe(encoding)
  expect(headers.vary).toBe('Accept-Encoding')
  expect(body.length).toBeLessThan(plain.length / 2)
  expect(decompress(body).equals(plain)).toBe(true)
})

test('an asset that does not exist is not cached', async () => {
  const { status, headers } = await get('/assets/none.js', 'gzip')
  expect(status).toBe(404)
  expect(headers['cache-control']).toBe('no-store')
})

test('the page itself is revalidated, so that it names the newest assets', async () => {
  const { headers } = await get('/', 'gzip')
  expect(headers['cache-control']).toBe('no-cache')
  expect((await get('/', 'gzip', { 'if-modified-since': String(headers['last-modified']) })).status).toBe(304)
})
