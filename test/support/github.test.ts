/** The fake GitHub responds like GitHub, both inside the test's process and as a server. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from './github.ts'
import { type FakeGithubVariant, variants } from './github-variants.ts'
import type { GithubWorld } from './github-world.ts'

const ALICE = { login: 'alice', id: 11, permissions: { 'acme/shop': 'write' } } as const

describe.each(variants)('the fake GitHub %s', (_, start) => {
  let fake: FakeGithubVariant
  let github: GithubWorld

  beforeEach(async () => {
    fake = await start()
    github = fake.github
    github.repository({ id: 7, full_name: 'acme/shop' })
    github.token('tok-alice', ALICE)
  })
  afterEach(() => fake.close())

  const request = (
    path: string,
    token = 'tok-alice',
    init: RequestInit & { headers?: Record<string, string> } = {},
  ) => fetch(`${fake.url}${path}`, { ...init, headers: { authorization: `token ${token}`, ...init.headers } })
  const askJson = async (path: string, token?: string) => {
    const response = await request(path, token)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test.each([
    ['read', { admin: false, maintain: false, push: false, triage: false, pull: true }],
    ['write', { admin: false, maintain: false, push: true, triage: true, pull: true }],
    ['maintain', { admin: false, maintain: true, push: true, triage: true, pull: true }],
    ['admin', { admin: true, maintain: true, push: true, triage: true, pull: true }],
  ] as const)('returns the permissions of %s', async (permission, permissions) => {
    github.token('tok-alice', { ...ALICE, permissions: { 'Acme/Shop': permission } })
    expect(await askJson('/repos/ACME/shop')).toMatchObject({
      status: 200,
      body: { id: 7, full_name: 'acme/shop', private: true, permissions },
    })
  })

  test('hides a private repository from users without access and shows a public one to everyone', async () => {
    github.token('tok-eve', { login: 'eve', id: 12, permissions: { 'acme/shop': 'none' } })
    expect(await askJson('/repos/acme/shop', 'tok-eve')).toMatchObject({
      status: 404,
      body: { message: 'Not Found' },
    })
    github.repository({ id: 7, full_name: 'acme/shop', private: false })
    expect((await askJson('/repos/acme/shop', 'tok-eve')).body.permissions).toMatchObject({
      pull: true,
      push: false,
    })
  })

  test('returns the user of a token, unless it has none or is revoked', async () => {
    github.installation('tok-app', { 'acme/shop': 'write' })
    expect(await askJson('/user')).toMatchObject({
      status: 200,
      body: { login: 'alice', id: 11, type: 'User' },
    })
    expect(await askJson('/user', 'tok-app')).toMatchObject({
      status: 403,
      body: { message: 'Resource not accessible by integration' },
    })
    github.revoke('tok-alice')
    expect(await askJson('/user')).toMatchObject({ status: 401, body: { message: 'Bad credentials' } })
  })

  test('answers 304 to its entity tag until the content changes', async () => {
    const etag = (await request('/repos/acme/shop')).headers.get('etag') as string
    const again = () => request('/repos/acme/shop', 'tok-alice', { headers: { 'if-none-match': etag } })
    expect((await again()).status).toBe(304)
    github.token('tok-alice', { ...ALICE, permissions: { 'acme/shop': 'read' } })
    expect((await again()).status).toBe(200)
    expect(github.calls('GET /repos/acme/shop')).toBe(3)
    expect(github.calls('GET /repos/acme/shop', 304)).toBe(1)
  })

  test('redirects the former name of a repository to its id', async () => {
    github.rename('acme/shop', 'acme/store')
    const moved = await request('/repos/acme/shop', 'tok-alice', { redirect: 'manual' })
    expect(moved.status).toBe(301)
    expect(moved.headers.get('location')).toBe(`${fake.url}/repositories/7`)
    expect((await askJson('/repos/acme/shop')).body).toMatchObject({
      full_name: 'acme/store',
      permissions: { push: true },
    })
  })

  test('fails for the configured number of requests', async () => {
    github.fault('*', 'rate_limited', 1)
    const limited = await request('/repos/acme/shop')
    expect(limited.status).toBe(403)
    expect(limited.headers.get('x-ratelimit-remaining')).toBe('0')
    expect((await request('/repos/acme/shop')).status).toBe(200)
  })

  test('drops connections, does not respond, and sends invalid responses', async () => {
    github.fault('*', 'reset', 1)
    await expect(request('/user')).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: expect.any(String) },
    })
    github.fault('*', 'silent', 1)
    await expect(request('/user', 'tok-alice', { signal: AbortSignal.timeout(1000) })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    github.fault('*', 'nonsense', 1)
    await expect(askJson('/user')).rejects.toBeInstanceOf(SyntaxError)
  })

  test('keeps requests waiting while they are held', async () => {
    const release = github.hold('GET /user')
    const answers = [askJson('/user'), askJson('/user')]
    await expect.poll(() => github.calls('GET /user')).toBe(2)
    expect(github.calls('GET /user', 200)).toBe(0)
    release()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  })
})

test('only this machine can be reached while nock is active', async () => {
  const github = fakeGithub()
  try {
    await expect(fetch('https://example.com/')).rejects.toThrow(/Disallowed net connect/)
  } finally {
    github.close()
  }
})
