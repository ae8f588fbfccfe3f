/** Who may send messages to `/mcp`: its OAuth metadata, the challenge that leads clients to it (RFC 9728), and `Origin`. */
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../../src/server/platform/config.ts'
import { startTestService, type TestService, useGithub } from '../support/service.ts'

const PATHS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
const PUBLIC_URL = 'https://deconflict.example.com/team'
const METADATA = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`

useGithub()
let service: TestService

/** Starts the service before the tests of a group. */
function start(config: Partial<Config> = {}): void {
  beforeAll(async () => {
    service = await startTestService({ token: 'ada', config })
  })
  afterAll(() => service.close())
}

const get = (path: string) =>
  fetch(`${service.url}${path}`, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
const answerOf = async (headers: Record<string, string>) => {
  const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body: '{}' })
  const { error } = (await response.json()) as { error: { message: string } }
  return { status: response.status, challenge: response.headers.get('www-authenticate'), ...error }
}

/** The status of a message with these headers. `fetch` sets `Host` itself. */
async function statusOf(headers: Record<string, string>): Promise<number> {
  const accept = 'application/json, text/event-stream'
  const usual = { accept, 'content-type': 'application/json', authorization: 'Bearer ada' }
  const sent = request(`${service.url}/mcp`, { method: 'POST', headers: { ...usual, ...headers } })
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }))
  const [response] = await once(sent, 'response')
  await text(response)
  return response.statusCode
}

describe('with an OAuth client', () => {
  const sign_in = { public_url: PUBLIC_URL, client_id: 'Iv1.abc', client_secret: 'hush' }
  start({ github_web_url: 'https://github.example.com', sign_in })

  test.each(PATHS)('%s names GitHub, with addresses from PUBLIC_URL', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      resource: `${PUBLIC_URL}/mcp`,
      resource_name: 'Deconflict',
      resource_documentation: `${PUBLIC_URL}/docs`,
      authorization_servers: ['https://github.example.com/login/oauth'],
      bearer_methods_supported: ['header'],
    })
  })

  test('a 401 of /mcp names the metadata', async () => {
    expect(await answerOf({})).toMatchObject({ status: 401, challenge: `Bearer ${METADATA}` })
  })
})

describe('with PUBLIC_URL, without an OAuth client', () => {
  start({ public_url: PUBLIC_URL })

  test.each(PATHS)('%s is 404, and its message names what to configure', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('send a GitHub token as Authorization: Bearer TOKEN')
  })

  test('a 401 of /mcp names the token to send', async () => {
    expect(await answerOf({})).toMatchObject({
      status: 401,
      challenge: 'Bearer',
      message: 'Authorization: send a GitHub token that can read the repository, as Bearer TOKEN',
    })
  })

  // Threat: A page that calls the service under a name of its own
  test.each([
    ['none, as programs send it', {}, 200],
    ['that of PUBLIC_URL', { origin: 'https://deconflict.example.com' }, 200],
    ['that of PUBLIC_URL without TLS', { origin: 'http://deconflict.example.com' }, 403],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['a name that was rebound to this service', { origin: 'http://evil.example', host: 'evil.example' }, 403],
    ['a subdomain', { origin: 'https://x.deconflict.example.com' }, 403],
    ['an opaque one', { origin: 'null' }, 403],
    ['something that is no origin', { origin: 'x' }, 403],
  ])('a message whose Origin is %s', async (_, headers, status) => {
    expect(await statusOf(headers)).toBe(status)
  })

  test('the answer to another Origin names the header, before the token counts', async () => {
    const headers = { origin: 'https://evil.example', authorization: 'Bearer made-up' }
    expect(await answerOf(headers)).toMatchObject({ status: 403, type: 'forbidden', param: 'Origin' })
  })
})

describe('on this machine, without PUBLIC_URL', () => {
  start()

  test('its own pages are accepted', async () => {
    expect(await statusOf({ origin: new URL(service.url).origin })).toBe(200)
  })

  test.each([
    ['another port', { origin: 'http://localhost:1' }, 403],
    ['a rebound name', { origin: 'http://evil.example', host: 'evil.example' }, 403],
  ])('%s is not', async (_, headers, status) => {
    expect(await statusOf(headers)).toBe(status)
  })
})
