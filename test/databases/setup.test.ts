/** Creating the GitHub App at `/setup`, from the code in the log to the first webhook (docs/install.md). */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isEmbedded } from '../support/database.ts'
import { fakeGithub } from '../support/github.ts'
import { type SetupService, startSetupService } from '../support/setup-service.ts'
import { pullRequestEvent, signedDelivery } from '../support/webhooks.ts'

const PUBLIC_URL = 'https://deconflict.example'
const DAY_MS = 86_400_000

const github = fakeGithub()
github.repository({ id: 7, full_name: 'acme/shop' })
github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
afterAll(() => github.close())
afterEach(() => github.clearFaults())

const secrets_key = new Uint8Array(32).fill(7)

describe('the App is created', () => {
  let service: SetupService
  let installation: string

  beforeAll(async () => {
    service = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key })
    const { form, cookie } = await service.open()
    const { status, location } = await service.confirm(form, cookie)
    expect(status).toBe(303)
    installation = location
  })
  afterAll(() => service.close())

  test('and GitHub’s installation page comes next', () => {
    expect(installation).toBe('https://github.com/apps/deconflict/installations/new')
  })

  test('and webhooks that it signs are accepted and handled without a restart', async () => {
    const secret = await service.webhookSecret()
    const deliver = async (with_secret: string) => {
      github.app.install({ repositories: ['acme/shop'] })
      const shop = github.at('acme/shop')
      const { number } = shop.open({ files: ['src/a.ts'], head: `branch-${with_secret.length}` })
      const event = pullRequestEvent(github, 'acme/shop', number, 'opened')
      const delivery = signedDelivery({ secret: with_secret, ...event })
      return (await fetch(`${service.url}/api/github/webhooks`, { method: 'POST', ...delivery })).status
    }
    expect(await deliver('guess')).toBe(401)
    expect(await deliver(secret)).toBe(202)
    await expect
      .poll(async () =>
        (await service.api('GET', '/activity')).body.items.map((item: { source: string }) => item.source),
      )
      .toContain('pull_request')
  })

  test('and people sign in with it', async () => {
    expect(JSON.parse((await service.get('/session')).text)).toMatchObject({ can_sign_in: true })
    const response = await fetch(`${service.url}/session/login`, { redirect: 'manual' })
    const address = new URL(response.headers.get('location') as string)
    expect(address.searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/session/callback`)
  })

  test('and its secrets are neither readable by others nor logged', async () => {
    const { client_secret, webhook_secret, private_key } = await service.stored()
    const line = private_key.split('\n')[3] as string
    if (isEmbedded) {
      const path = join(service.app.config.data_dir, 'github-app.json')
      expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
    } else {
      const rows = await service.app.database.connection().execute(sql`select credentials from created_app`)
      for (const secret of [client_secret, webhook_secret, line])
        expect(JSON.stringify(rows)).not.toContain(secret)
    }
    for (const secret of [client_secret, webhook_secret, line])
      expect(service.log.join('\n')).not.toContain(secret)
  })

  test('and the code and the page are used up', async () => {
    for (const path of ['/setup', `/setup?code=${service.code}`, '/setup/created?code=x&state=y']) {
      const { status, text } = await service.get(path)
      expect([path, status, text.includes('is configured')]).toEqual([path, 404, true])
    }
    const rows = await service.app.database.connection().execute(sql`select 1 from setup_codes`)
    expect([...((rows as unknown as { rows?: unknown[] }).rows ?? (rows as unknown as unknown[]))]).toEqual(
      [],
    )
  })

  test('and an instance that starts later has it', async () => {
    const later = await service.restart({})
    expect(later.app.github_app?.id).toBe(github.app.id)
    expect(later.setup_url).toBe(null)
    await later.close()
  })
})

describe('the page', () => {
  let service: SetupService
  beforeAll(async () => {
    service = await startSetupService(github, { public_url: PUBLIC_URL })
  })
  afterAll(() => service.close())

  test('has a manifest with the addresses of PUBLIC_URL, whatever the Host header says', async () => {
    const { form } = await service.open({ host: 'evil.example' })
    expect(form.manifest).toMatchObject({
      name: 'Deconflict deconflict.example',
      url: PUBLIC_URL,
      hook_attributes: { url: `${PUBLIC_URL}/api/github/webhooks`, active: true },
      redirect_url: `${PUBLIC_URL}/setup/created`,
      callback_urls: [`${PUBLIC_URL}/session/callback`],
      setup_url: PUBLIC_URL,
      public: false,
    })
    expect(form.action).toMatch(/^https:\/\/github\.com\/settings\/apps\/new\?state=[\w-]{20,}$/)
  })

  test('names the organization in the form and in the App', async () => {
    const { form } = await service.open({ organization: 'acme-pay' })
    expect(form.action).toMatch(
      /^https:\/\/github\.com\/organizations\/acme-pay\/settings\/apps\/new\?state=/,
    )
    expect(form.manifest).toMatchObject({ name: 'Deconflict acme-pay' })
  })

  test.each(['a/b', '"><script>', '-acme', 'acme--pay'])(
    'refuses the organization %s',
    async (organization) => {
      const { status, text } = await service.get(
        `/setup?code=${service.code}&organization=${encodeURIComponent(organization)}`,
      )
      expect(status).toBe(200)
      expect(text).toContain('This is not the name of an account on GitHub.')
      expect(text).not.toContain('/organizations/')
      expect(text).not.toContain('<script>')
    },
  )

  test('runs no scripts, and sends its forms only to itself and to GitHub', async () => {
    const { headers, text } = await service.get(`/setup?code=${service.code}`)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self' https://github.com;")
    expect(headers.get('referrer-policy')).toBe('strict-origin')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toContain('<script')
  })

  test('keeps the state in a cookie of this host that no script can read', async () => {
    const { headers } = await service.get(`/setup?code=${service.code}`)
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-deconflict_setup=[^;]+; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })
})

describe('nothing is set up', () => {
  let service: SetupService
  beforeAll(async () => {
    service = await startSetupService(github, { public_url: PUBLIC_URL })
  })
  afterAll(() => service.close())
  afterEach(() => expect(service.app.github_app).toBe(null))

  test.each(['', '?code=', '?code=guess', '?code=a&code=b'])('with the address /setup%s', async (query) => {
    const { status, text } = await service.get(`/setup${query}`)
    expect([status, text.includes('no valid code')]).toEqual([403, true])
  })

  test('with another state, or from another browser', async () => {
    const { form, cookie } = await service.open()
    const before = github.calls('POST /app-manifests/*')
    for (const [given, sent] of [
      [{ ...form, action: form.action.replace(/state=.*/, 'state=guess') }, cookie],
      [form, ''],
    ] as const) {
      const { status, text } = await service.confirm(given, sent)
      expect([status, text.includes('another browser')]).toEqual([403, true])
    }
    expect(github.calls('POST /app-manifests/*')).toBe(before)
  })

  test('with a code that GitHub does not know, and the code of the log stays valid', async () => {
    const { form, cookie } = await service.open()
    const state = new URL(form.action).searchParams.get('state')
    const { status, text } = await service.get(`/setup/created?code=made-up&state=${state}`, { cookie })
    expect([status, text.includes('does not accept the code')]).toEqual([403, true])
    expect((await service.get(`/setup?code=${service.code}`)).status).toBe(200)
  })

  test('while GitHub is unavailable, and the code of the log stays valid', async () => {
    const { form, cookie } = await service.open()
    github.fault('POST /app-manifests/*', 'unavailable')
    const { status, text } = await service.confirm(form, cookie)
    expect([status, text.includes('GitHub is unavailable')]).toEqual([503, true])
    expect((await service.get(`/setup?code=${service.code}`)).status).toBe(200)
  })

  test('by many guesses, which count as failed tokens of the address', async () => {
    const limited = await startSetupService(github, { public_url: PUBLIC_URL })
    for (let turn = 0; turn < 100; turn += 1)
      expect((await limited.get('/setup?code=guess')).status).toBe(403)
    const { status, headers } = await limited.get(`/setup?code=${limited.code}`)
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
    await limited.close()
  })

  test('a day later, until the next start', async () => {
    service.clock.advance(DAY_MS)
    expect((await service.get(`/setup?code=${service.code}`)).status).toBe(403)
  })
})

test('without PUBLIC_URL, the page says what to set', async () => {
  const service = await startSetupService(github, {})
  expect(service.setup_url).toBe(null)
  const { status, text } = await service.get('/setup?code=any')
  expect([status, text.includes('Set PUBLIC_URL')]).toEqual([503, true])
  await service.close()
})

test('webhooks go to WEBHOOK_PROXY_URL if it is set', async () => {
  const service = await startSetupService(github, {
    public_url: 'http://localhost:3000',
    webhook_proxy_url: 'https://smee.io/abc',
  })
  const { form, headers } = await service.open()
  expect(form.manifest).toMatchObject({ hook_attributes: { url: 'https://smee.io/abc' } })
  expect(headers.getSetCookie()[0]).toMatch(/^deconflict_setup=/)
  await service.close()
})

test('without WEBHOOK_PROXY_URL, the page of a laptop says that GitHub cannot reach it', async () => {
  const service = await startSetupService(github, { public_url: 'http://localhost:3000' })
  expect((await service.get(`/setup?code=${service.code}`)).text).toContain('https://smee.io/new')
  await service.close()
})

test('on GitHub Enterprise Server, the form goes to that server', async () => {
  const service = await startSetupService(github, {
    public_url: PUBLIC_URL,
    github_web_url: 'https://ghe.example',
  })
  const { form, headers } = await service.open({ organization: 'acme' })
  expect(form.action).toMatch(/^https:\/\/ghe\.example\/organizations\/acme\/settings\/apps\/new\?state=/)
  expect(headers.get('content-security-policy')).toContain("form-action 'self' https://ghe.example;")
  await service.close()
})

test('the environment wins over the stored App', async () => {
  const service = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key })
  const { form, cookie } = await service.open()
  expect((await service.confirm(form, cookie)).status).toBe(303)
  const { private_key } = await service.stored()
  const environment = { id: 99, private_key, webhook_secret: 'hush' }
  const other = await service.restart({ github_app: environment })
  expect(other.app.github_app?.id).toBe(99)
  await other.close()
})

test.skipIf(!isEmbedded)('a damaged file is named at start', async () => {
  const service = await startSetupService(github, { public_url: PUBLIC_URL })
  const path = join(service.app.config.data_dir, 'github-app.json')
  await writeFile(path, '{"id": 1')
  await expect(service.restart({})).rejects.toThrow(/github-app\.json, which is not valid/)
  await service.close()
})

describe.skipIf(isEmbedded)('with PostgreSQL', () => {
  test('another instance uses the App without a restart', async () => {
    const first = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key })
    const { database_url } = first.app.config
    const second = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key, database_url })
    // A code is valid on every instance.
    const { form, cookie } = await second.open({ code: first.code })
    expect((await first.confirm(form, cookie)).status).toBe(303)
    await expect.poll(() => second.app.github_app?.id).toBe(github.app.id)
    expect(JSON.parse((await second.get('/session')).text)).toMatchObject({ can_sign_in: true })
    await second.close()
    await first.close()
  })

  test('two people who confirm at the same time get one App', async () => {
    const first = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key })
    const { database_url } = first.app.config
    const second = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key, database_url })
    const opened = await Promise.all([first, second].map((each) => each.open()))
    const waiting = () => github.requests('POST /app-manifests/*').filter(({ status }) => !status)
    const before = waiting().length
    const release = github.holdAnswers('POST /app-manifests/*')
    const confirmed = opened.map(({ form, cookie }, at) => [first, second][at]?.confirm(form, cookie))
    await expect.poll(waiting).toHaveLength(before + 2)
    release()
    const statuses = (await Promise.all(confirmed)).map((each) => each?.status)
    expect(statuses.sort()).toEqual([303, 403])
    await second.close()
    await first.close()
  })

  test('without SECRETS_KEY, only a file holds it, and the page says so', async () => {
    const service = await startSetupService(github, { public_url: PUBLIC_URL })
    expect((await service.get(`/setup?code=${service.code}`)).text).toContain('SECRETS_KEY is not set')
    const { form, cookie } = await service.open()
    expect((await service.confirm(form, cookie)).status).toBe(303)
    const path = join(service.app.config.data_dir, 'github-app.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ id: github.app.id })
    await service.close()
  })

  test.each([
    ['no SECRETS_KEY', null, /^SECRETS_KEY is not set/],
    ['another SECRETS_KEY', new Uint8Array(32), /^SECRETS_KEY does not decrypt/],
  ])('an instance with %s does not start without the App', async (_, key, message) => {
    const service = await startSetupService(github, { public_url: PUBLIC_URL, secrets_key })
    const { form, cookie } = await service.open()
    expect((await service.confirm(form, cookie)).status).toBe(303)
    await expect(service.restart({ secrets_key: key })).rejects.toThrow(message)
    await service.close()
  })
})
