/** `/mcp` checks `Origin`, against pages that make a browser call it under a name of their own. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
github.token('ada', { login: 'ada', id: 1, permissions: {} })
let service: TestService

afterAll(() => github.close())

/** The status of a message with these headers. `fetch` sets `Host` itself. */
function statusOf(headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: 'Bearer ada',
        ...headers,
      },
    })
    sent.on('error', reject).on('response', async (response) => {
      await text(response)
      resolve(response.statusCode ?? 0)
    })
    sent.end(body)
  })
}

// Threat: A page that calls the service under a name of its own
describe('with PUBLIC_URL', () => {
  beforeAll(async () => {
    service = await startTestService({
      token: 'ada',
      config: { public_url: 'https://deconflict.example.com/team' },
    })
  })
  afterAll(() => service.close())

  test.each([
    ['none, as programs send it', {}, 200],
    ['that of PUBLIC_URL', { origin: 'https://deconflict.example.com' }, 200],
    ['that of PUBLIC_URL without TLS', { origin: 'http://deconflict.example.com' }, 403],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['a name that was rebound to this service', { origin: 'http://evil.example', host: 'evil.example' }, 403],
    ['a subdomain', { origin: 'https://x.deconflict.example.com' }, 403],
    ['an opaque one', { origin: 'null' }, 403],
    ['something that is no origin', { origin: 'x' }, 403],
  ])('%s', async (_, headers, status) => {
    expect(await statusOf(headers)).toBe(status)
  })

  test('the answer names the header, before the token counts', async () => {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', authorization: 'Bearer made-up' },
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { type: 'forbidden', param: 'Origin' } })
  })
})

describe('on this machine, without PUBLIC_URL', () => {
  beforeAll(async () => {
    service = await startTestService({ token: 'ada' })
  })
  afterAll(() => service.close())

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

// Threat: Large, deep or ambiguous bodies at `/mcp`
describe('with a rate limit', () => {
  beforeAll(async () => {
    service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 2 } })
  })
  afterAll(() => service.close())

  test('messages count against that of the caller', async () => {
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({})).toBe(429)
  })
})
