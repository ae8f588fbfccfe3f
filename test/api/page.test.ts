/** The endpoints of the page and of the API reference: sign-in with GitHub, and the session that contains a token. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listening, listen } from '../support/listen.ts'
import { startTestService, type TestService, useGithub } from '../support/service.ts'
import { forTest } from '../support/use-started.ts'

const PAGE = { 'X-Deconflict-Page': '1' }
const github = useGithub()
github.token('rita', { login: 'rita', id: 2, permissions: { 'acme/shop': 'read' } })
let service: TestService
let githubWeb: Listening
/** The request and the result of the last exchange of a code for a token. */
let exchanged: Record<string, string>
let exchanges = 0

beforeAll(async () => {
  const server = createServer(async (req, res) => {
    exchanged = (await json(req)) as Record<string, string>
    exchanges += 1
    const isKnown = exchanged.code === 'code-of-ada'
    res.setHeader('content-type', 'application/json')
    res.end(
      JSON.stringify(
        isKnown ? { access_token: 'ada', expires_in: 28800 } : { error: 'bad_verification_code' },
      ),
    )
  })
  githubWeb = await listen(server)
  const sign_in = { public_url: 'http://localhost', client_id: 'Iv1.abc', client_secret: 'hush' }
  service = await startTestService({ token: 'ada', config: { github_web_url: githubWeb.url, sign_in } })
})
afterAll(async () => {
  await service.close()
  await githubWeb.close()
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' })

/** The cookies of a response, as a browser would send them back. */
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

async function begin(return_to = '/') {
  const response = await get(`/session/login?return_to=${encodeURIComponent(return_to)}`)
  const address = new URL(response.headers.get('location') as string)
  return {
    response,
    address,
    cookie: cookiesOf(response),
    state: address.searchParams.get('state') as string,
  }
}

async function signIn(): Promise<string> {
  const { cookie, state } = await begin()
  return cookiesOf(await get(`/session/callback?code=code-of-ada&state=${state}`, { cookie }))
}

describe('signing in', () => {
  test('redirects to GitHub with a state and a PKCE challenge', async () => {
    const { response, address } = await begin()
    expect(response.status).toBe(303)
    expect(address.pathname).toBe('/login/oauth/authorize')
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'Iv1.abc',
      redirect_uri: 'http://localhost/session/callback',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{20,}$/),
    })
  })

  // Threat: A sign-in started or completed by somebody else
  test('exchanges the code with the verifier of the challenge and returns to the starting page', async () => {
    const { address, cookie, state } = await begin('/#/acme/shop')
    const response = await get(`/session/callback?code=code-of-ada&state=${state}`, { cookie })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/#/acme/shop')
    const challenge = createHash('sha256')
      .update(exchanged.code_verifier as string)
      .digest('base64url')
    expect(challenge).toBe(address.searchParams.get('code_challenge'))
    expect(exchanged).toMatchObject({ client_id: 'Iv1.abc', client_secret: 'hush', code: 'code-of-ada' })
  })

  // Threat: A stolen or forged session
  test('keeps the token in an encrypted, HttpOnly, same-site cookie', async () => {
    const { cookie, state } = await begin()
    const response = await get(`/session/callback?code=code-of-ada&state=${state}`, { cookie })
    const [session] = response.headers.getSetCookie().filter((each) => each.startsWith('deconflict_session='))
    expect(session).toMatch(/; Path=\/; .*HttpOnly; SameSite=Lax$/)
    expect(Buffer.from(session as string, 'base64url').toString('latin1')).not.toContain('"ada"')
    expect(await (await get('/session', { cookie: cookiesOf(response) })).json()).toEqual({
      can_sign_in: true,
      is_signed_in: true,
      github_url: service.app.config.github_web_url,
      login: 'ada',
    })
  })

  // Threat: A sign-in started or completed by somebody else
  test.each([
    ['another state', (state: string) => `code=code-of-ada&state=${state}x`, true],
    ['no state', () => 'code=code-of-ada', true],
    ['no sign-in begun in this browser', (state: string) => `code=code-of-ada&state=${state}`, false],
    ['a code that GitHub rejects', (state: string) => `code=guess&state=${state}`, true],
  ])('is refused with %s', async (_, query, hasCookie) => {
    const { cookie, state } = await begin()
    const response = await get(`/session/callback?${query(state)}`, hasCookie ? { cookie } : {})
    expect(response.headers.get('location')).toMatch(/^\/\?problem=(state|code)$/)
    expect(response.headers.getSetCookie().filter((each) => each.startsWith('deconflict_session='))).toEqual(
      [],
    )
  })

  // Threat: An open redirect after sign-in
  test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'never redirects to %s',
    async (elsewhere) => {
      const { cookie, state } = await begin(elsewhere)
      const response = await get(`/session/callback?code=code-of-ada&state=${state}`, { cookie })
      expect(response.headers.get('location')).toBe('/')
    },
  )

  // Threat: Guessing tokens
  test('count guessed codes as failed tokens', async () => {
    const { github_web_url, sign_in } = service.app.config
    const limited = await startTestService({ token: 'ada', config: { github_web_url, sign_in } })
    const request = (path: string, cookie = '') =>
      fetch(`${limited.url}${path}`, { headers: { cookie }, redirect: 'manual' })
    const started = await request('/session/login')
    const { searchParams } = new URL(started.headers.get('location') as string)
    const guess = () =>
      request(`/session/callback?code=guess&state=${searchParams.get('state')}`, cookiesOf(started))
    const before = exchanges
    for (let turn = 0; turn < 100; turn += 1) expect((await guess()).status).toBe(303)
    expect((await guess()).status).toBe(429)
    expect(exchanges).toBe(before + 100)
    expect((await limited.api('GET', '/activity', { token: 'made-up' })).status).toBe(429)
    await limited.close()
  })

  // Threat: Cross-site request forgery
  test('ends with a sign-out that no other site can trigger', async () => {
    const cookie = await signIn()
    expect((await get('/session/logout', { cookie }, 'POST')).status).toBe(403)
    const response = await get('/session/logout', { cookie, ...PAGE }, 'POST')
    expect(response.status).toBe(204)
    expect(response.headers.getSetCookie()[0]).toMatch(/^deconflict_session=;.*Expires=Thu, 01 Jan 1970/)
  })
})

describe('a session', () => {
  const list = '/api/v1/repos/acme/shop/activity'

  // Threat: Cross-site request forgery
  test('authenticates only requests of the page', async () => {
    const cookie = await signIn()
    expect((await get(list, { cookie, ...PAGE })).status).toBe(200)
    expect((await get(list, { cookie })).status).toBe(401)
  })

  test('is ignored when a token is sent', async () => {
    const cookie = await signIn()
    expect((await get(list, { cookie, ...PAGE, authorization: 'Bearer nobody' })).status).toBe(401)
  })

  // Threat: A stolen or forged session
  test('that is forged authenticates nobody', async () => {
    for (const made of ['x', 'a.b.c.d.e', (await signIn()).slice('deconflict_session='.length, -3)])
      expect((await get(list, { cookie: `deconflict_session=${made}`, ...PAGE })).status).toBe(401)
  })
})

describe('the collisions that the page polls', () => {
  const poll = (token: string, version?: string, path = '/overlaps') =>
    get(`/api/v1/repos/acme/shop${path}`, {
      authorization: `Bearer ${token}`,
      ...(version && { 'if-none-match': version }),
    })
  const versionOf = async (token = 'ada') => (await poll(token)).headers.get('etag') as string

  test('have a version, and are not sent again while it is the same', async () => {
    const version = await versionOf()
    expect(await versionOf()).toBe(version)
    const unchanged = await poll('ada', version)
    expect(unchanged.status).toBe(304)
    expect(unchanged.headers.get('etag')).toBe(version)
    expect(await unchanged.text()).toBe('')
    expect((await poll('ada', `"other", ${version}`)).status).toBe(304)
    expect((await poll('ada', '*')).status).toBe(304)
    expect((await poll('ada', 'W/"other"')).status).toBe(200)
  })

  test('of one activity have another version after its heartbeat, when somebody comes or goes, and as it ends', async () => {
    const body = { title: 'Retry', summary: 'Some.', actor: 'Ada' }
    const { activity } = (await service.api('POST', '/activity', { body })).body
    const path = `/activity/${activity.id}`
    const changes = [
      () => service.api('POST', `${path}/heartbeat`),
      () => service.api('POST', '/activity', { body: { ...body, ttl_ms: 60_000 } }),
      async () => service.clock.advance(60_000),
      () => service.api('PATCH', path, { body: { status: 'merged' } }),
      async () => service.clock.advance(86_400_000),
    ]
    for (const change of changes) {
      const version = (await poll('ada', undefined, path)).headers.get('etag') as string
      expect((await poll('ada', version, path)).status).toBe(304)
      await change()
      expect((await poll('ada', version, path)).status).toBe(200)
    }
  })

  // Threat: Learning of changes in a repository without access
  test('are refused without access, whatever version is sent', async () => {
    const version = await versionOf('rita')
    expect((await poll('nobody', version)).status).toBe(401)
    const other = await get('/api/v1/repos/acme/other/overlaps', {
      authorization: 'Bearer ada',
      'if-none-match': version,
    })
    expect(other.status).toBe(403)
  })
})

test('the session names the login of a token that a tab uses, and no login for a rejected one', async () => {
  const loginOf = async (token: string) =>
    (
      (await (await get('/session', { ...PAGE, authorization: `Bearer ${token}` })).json()) as {
        login: string | null
      }
    ).login
  expect(await loginOf('rita')).toBe('rita')
  expect(await loginOf('unknown')).toBeNull()
})

test('the session is unavailable while GitHub cannot name the login of a token, so that the page asks again', async () => {
  github.fault('GET /user', 'unavailable')
  const response = await get('/session', { ...PAGE, authorization: 'Bearer ben' })
  expect(response.status).toBe(503)
  github.clearFaults()
})

test('the page may load nothing from elsewhere except pictures of people from GitHub', async () => {
  const { headers } = await get('/')
  expect(headers.get('content-security-policy')).toContain(
    `img-src 'self' data: ${service.app.config.github_web_url} http://avatars.127.0.0.1`,
  )
  expect(headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self';")
})

// Threat: Markup in responses and in `/docs`
test('the API reference may load nothing from elsewhere, and run no inline script', async () => {
  const { headers } = await get('/docs')
  const policy = headers.get('content-security-policy')?.split('; ') ?? []
  expect(policy.filter((directive) => !directive.startsWith('style-src'))).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
  expect(policy[2]).toMatch(/^style-src 'self'( 'sha256-[^']+'){2}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('without an OAuth client there is no sign-in, and the page shows that', async () => {
  const plain = await forTest(startTestService({ token: 'ada' }))
  const shown = await fetch(`${plain.url}/session`)
  expect(await shown.json()).toEqual({
    can_sign_in: false,
    is_signed_in: false,
    login: null,
    github_url: 'https://github.com',
  })
  expect((await fetch(`${plain.url}/session/login`)).status).toBe(404)
})

test.each(['/docs/../package.json', '/docs/package.json', '/docs/%2e%2e%2fpackage.json'])(
  'the API reference serves no other file: %s',
  async (path) => {
    expect((await get(path)).status).toBe(404)
  },
)
