/** The fake GitHub accepts the App: Probot authenticates with its own key and tokens. */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { pino } from 'pino'
import { Probot } from 'probot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeGithubVariant, variants } from './github-variants.ts'
import type { GithubWorld } from './github-world.ts'

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string

let nextInstallation = 501

describe.each(variants)('the App on the fake GitHub %s', (_, start) => {
  let fake: FakeGithubVariant
  let github: GithubWorld
  let probot: Probot

  beforeEach(async () => {
    fake = await start()
    github = fake.github
    github.repository({ id: 7, full_name: 'acme/shop' })
    github.repository({ id: 8, full_name: 'acme/docs' })
    github.repository({ id: 9, full_name: 'globex/site', private: false })
    probot = probotWith(github.app.key())
  })
  afterEach(() => fake.close())

  const probotWith = (privateKey: string) =>
    new Probot({
      appId: github.app.id,
      privateKey,
      secret: 'hush',
      baseUrl: fake.url,
      log: pino({ level: 'silent' }),
    })
  const request = async (path: string, token: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${fake.url}${path}`, { ...init, headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const jwt = (claims: Record<string, unknown> = {}, key = github.app.key(), alg = 'RS256') => {
    const now_s = Math.floor(Date.now() / 1000)
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const whole = { iat: now_s - 60, exp: now_s + 540, iss: String(github.app.id), ...claims }
    const signed = `${encode({ alg, typ: 'JWT' })}.${encode(whole)}`
    const signature =
      alg === 'RS256'
        ? createSign('RSA-SHA256').update(signed).sign(key, 'base64url')
        : createHmac('sha256', key).update(signed).digest('base64url')
    return `${signed}.${signature}`
  }

  test('lets Probot sign in, comment as the bot and read the comment back', async () => {
    // Probot spaces the writes of one installation by seconds, across all its instances.
    const { id } = github.app.install({ repositories: ['acme/shop'], id: nextInstallation++ })
    github.at('acme/shop').open({ number: 3 })
    const octokit = await probot.auth(id)
    const at = { owner: 'acme', repo: 'shop', issue_number: 3 }
    const { data: made } = await octokit.rest.issues.createComment({ ...at, body: 'Hello' })
    const { data: listed } = await octokit.rest.issues.listComments(at)
    expect(listed).toMatchObject([
      {
        id: made.id,
        body: 'Hello',
        user: { login: 'deconflict[bot]', type: 'Bot' },
        performed_via_github_app: { id: github.app.id, slug: 'deconflict' },
      },
    ])
    expect(github.at('acme/shop').comments(3)).toMatchObject([{ body: 'Hello', app: 'deconflict' }])
    expect(github.calls('POST /app/installations/*/access_tokens', 201)).toBe(1)
    expect(github.requests('POST *comments')).toMatchObject([
      {
        body: { body: 'Hello' },
        status: 201,
        accepted: 'issues=write; pull_requests=write',
        token: expect.stringMatching(/^ghs_/),
      },
    ])
  })

  const UNREADABLE = 'A JSON web token could not be decoded'
  test.each<[string, () => string, string]>([
    ['signed with another key', () => jwt({}, stranger), UNREADABLE],
    ['of another app', () => jwt({ iss: '1' }), UNREADABLE],
    ['signed by a shared secret', () => jwt({}, github.app.key(), 'HS256'), UNREADABLE],
    ['that is not a JWT', () => 'tok-alice', UNREADABLE],
    ['that has expired', () => jwt({ exp: 1 }), "'Expiration time' claim ('exp') must be a numeric value"],
    [
      'that lasts too long',
      () => jwt({ exp: Date.now() / 1000 + 3_600 }),
      "'Expiration time' claim ('exp') is too far",
    ],
    [
      'from the future',
      () => jwt({ iat: Math.floor(Date.now() / 1000) + 600 }),
      "'Issued at' claim ('iat') must be",
    ],
  ])('rejects a token %s', async (_name, token, message) => {
    expect((await request('/app', jwt())).body).toMatchObject({ id: github.app.id, slug: 'deconflict' })
    expect(await request('/app', token())).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining(message) },
    })
  })

  test('rejects Probot with a wrong key', async () => {
    const { id } = github.app.install({ repositories: ['acme/shop'] })
    const octokit = await probotWith(stranger).auth(id)
    await expect(octokit.rest.apps.listReposAccessibleToInstallation()).rejects.toMatchObject({ status: 401 })
  })

  test('lists installations page by page, and each one by id and by repository', async () => {
    const first = github.app.install({ repositories: ['acme/shop'] })
    const second = github.app.install({ account: 'globex' })
    const octokit = await probot.auth()
    expect(await octokit.paginate('GET /app/installations', { per_page: 1 })).toMatchObject([
      { id: first.id, account: { login: 'acme', type: 'Organization' }, repository_selection: 'selected' },
      { id: second.id, account: { login: 'globex' }, repository_selection: 'all', app_id: github.app.id },
    ])
    const one = await octokit.rest.apps.getInstallation({ installation_id: first.id })
    expect(one.data).toMatchObject({ id: first.id, permissions: { metadata: 'read' }, suspended_at: null })
    const of = (owner: string, repo: string) => octokit.rest.apps.getRepoInstallation({ owner, repo })
    expect((await of('acme', 'shop')).data.id).toBe(first.id)
    expect((await of('globex', 'site')).data.id).toBe(second.id)
    await expect(of('acme', 'docs')).rejects.toMatchObject({ status: 404 })
  })

  test('shows an installation only its own repositories as they change', async () => {
    const { id } = github.app.install({ repositories: ['acme/shop'] })
    const octokit = await probot.auth(id)
    const names = async () => {
      const repositories = await octokit.paginate('GET /installation/repositories', { per_page: 1 })
      return repositories.map(({ full_name }) => full_name)
    }
    const status = (owner: string, repo: string) =>
      octokit.rest.repos.get({ owner, repo }).then(
        (answer) => answer.status,
        (error) => error.status,
      )
    expect(await names()).toEqual(['acme/shop'])
    expect(await status('acme', 'shop')).toBe(200)
    expect(await status('acme', 'docs')).toBe(404)
    expect(await status('globex', 'site')).toBe(404)
    github.app.addRepositories(id, ['acme/docs'])
    expect(await names()).toEqual(['acme/shop', 'acme/docs'])
    github.app.removeRepositories(id, ['acme/shop'])
    expect(await status('acme', 'shop')).toBe(404)
  })

  test('gives an installation no more than it was granted', async () => {
    const { id } = github.app.install({
      id: nextInstallation++,
      repositories: ['acme/shop'],
      permissions: { pull_requests: 'read', contents: 'read' },
    })
    github.at('acme/shop').open({ number: 3 })
    const octokit = await probot.auth(id)
    const at = { owner: 'acme', repo: 'shop', issue_number: 3 }
    expect((await octokit.rest.issues.listComments(at)).status).toBe(200)
    await expect(octokit.rest.issues.createComment({ ...at, body: 'Hello' })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
      response: { headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' } },
    })
    const refs = '/repos/acme/shop/commits/main/check-runs'
    expect((await request(refs, github.requests('GET *comments')[0]?.token as string)).status).toBe(403)
    github.app.grant(id, { checks: 'read' })
    expect((await request(refs, github.requests('GET *comments')[0]?.token as string)).status).toBe(403)
    const later = await request(`/app/installations/${id}/access_tokens`, jwt(), { method: 'POST' })
    expect((await request(refs, later.body.token as string)).status).toBe(200)
  })

  test('creates tokens for some repositories and permissions, never for others', async () => {
    const { id } = github.app.install({ account: 'acme', permissions: { contents: 'read' } })
    const token = (body: unknown) =>
      request(`/app/installations/${id}/access_tokens`, jwt(), { method: 'POST', body: JSON.stringify(body) })
    const made = await token({ repositories: ['docs'], permissions: { contents: 'read' } })
    expect(made).toMatchObject({
      status: 201,
      body: {
        repository_selection: 'selected',
        repositories: [{ id: 8 }],
        permissions: { contents: 'read' },
      },
    })
    const secret = made.body.token as string
    expect((await request('/repos/acme/docs', secret)).status).toBe(200)
    expect((await request('/repos/acme/shop', secret)).status).toBe(404)
    expect((await token({ repositories: ['attic'] })).status).toBe(422)
    expect((await token({ permissions: { contents: 'write' } })).status).toBe(422)
    expect((await request('/app/installations/1/access_tokens', jwt(), { method: 'POST' })).status).toBe(404)
  })

  test('rejects tokens of suspended and deleted installations and expired tokens', async () => {
    const { id } = github.app.install({ repositories: ['acme/shop'] })
    const made = await request(`/app/installations/${id}/access_tokens`, jwt(), { method: 'POST' })
    const look = async () => (await request('/repos/acme/shop', made.body.token as string)).status
    expect(await look()).toBe(200)
    github.app.suspend(id)
    expect(await look()).toBe(403)
    expect((await request(`/app/installations/${id}/access_tokens`, jwt(), { method: 'POST' })).status).toBe(
      403,
    )
    github.app.unsuspend(id)
    expect(await look()).toBe(200)
    github.app.expireTokens()
    expect(await look()).toBe(401)
    const again = await request(`/app/installations/${id}/access_tokens`, jwt(), { method: 'POST' })
    github.app.uninstall(id)
    expect((await request('/repos/acme/shop', again.body.token as string)).status).toBe(401)
  })

  test('lists deliveries newest first by cursor, and records redelivery requests', async () => {
    github.app.install({ repositories: ['acme/shop'] })
    const ids = [202, 500, 503].map(
      (status_code) => github.app.addDelivery({ event: 'push', status_code, payload: { ref: 'x' } }).id,
    )
    const octokit = await probot.auth()
    const all = await octokit.paginate('GET /app/hook/deliveries', { per_page: 1 })
    expect(all.map(({ id }) => id)).toEqual([...ids].reverse())
    expect(all[0]).toMatchObject({ event: 'push', status_code: 503, redelivery: false, action: null })
    expect(github.calls('GET /app/hook/deliveries')).toBe(3)
    const failed = await octokit.request('GET /app/hook/deliveries', { status: 'failure' })
    expect(failed.data.map(({ status_code }) => status_code)).toEqual([503, 500])

    const delivery_id = ids[1] as number
    const one = await octokit.rest.apps.getWebhookDelivery({ delivery_id })
    expect(one.data.request.payload).toEqual({ ref: 'x' })
    expect((await octokit.rest.apps.redeliverWebhookDelivery({ delivery_id })).status).toBe(202)
    expect(github.app.redelivered()).toEqual([delivery_id])
    const unknown = await request('/app/hook/deliveries/1/attempts', jwt(), { method: 'POST' })
    expect(unknown.status).toBe(404)
  })
})
