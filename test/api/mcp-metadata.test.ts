/** The OAuth metadata of `/mcp`, and the challenge that leads clients to it (RFC 9728). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { startTestService, type TestService } from '../support/service.ts'

const PATHS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
const PUBLIC_URL = 'https://deconflict.example.com/team'
const METADATA = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`

const github = fakeGithub()
let service: TestService

afterAll(() => github.close())

const get = (path: string) =>
  fetch(`${service.url}${path}`, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
const challengeOf = async (headers: Record<string, string>) => {
  const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body: '{}' })
  const { error } = (await response.json()) as { error: { message: string } }
  return { status: response.status, challenge: response.headers.get('www-authenticate'), ...error }
}

describe('with an OAuth client', () => {
  beforeAll(async () => {
    const sign_in = { public_url: PUBLIC_URL, client_id: 'Iv1.abc', client_secret: 'hush' }
    const github_web_url = 'https://github.example.com'
    service = await startTestService({ token: 'ada', config: { github_web_url, sign_in } })
  })
  afterAll(() => service.close())

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
    expect(await challengeOf({})).toMatchObject({ status: 401, challenge: `Bearer ${METADATA}` })
  })
})

describe('without an OAuth client', () => {
  beforeAll(async () => {
    service = await startTestService({ token: 'ada', config: { public_url: PUBLIC_URL } })
  })
  afterAll(() => service.close())

  test.each(PATHS)('%s is 404, and its message names what to configure', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('send a GitHub token as Authorization: Bearer TOKEN')
  })

  test('a 401 of /mcp names the token to send', async () => {
    expect(await challengeOf({})).toMatchObject({
      status: 401,
      challenge: 'Bearer',
      message: 'Authorization: send a GitHub token that can read the repository, as Bearer TOKEN',
    })
  })
})
