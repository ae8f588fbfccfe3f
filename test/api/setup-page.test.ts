/** The page `/setup`: its form, what it refuses, and what it says for each configuration (docs/install.md). */
import { afterEach, describe, expect, test } from 'vitest'
import { useGithub } from '../support/service.ts'
import { startSetupService, useSetupService } from '../support/setup-service.ts'
import { forTest } from '../support/use-started.ts'

const PUBLIC_URL = 'https://deconflict.example'
const DAY_MS = 86_400_000

const github = useGithub()
const service = useSetupService(github, { public_url: PUBLIC_URL })

describe('the page', () => {
  // Threat: A forged `Host` header in the addresses of the App
  test('has a manifest with the addresses of PUBLIC_URL, whatever the Host header says', async () => {
    const { form } = await service.open({ host: 'evil.example' })
    expect(form.manifest).toMatchObject({
      name: 'Deconflict deconflict.example',
      url: PUBLIC_URL,
      hook_attributes: { url: `${PUBLIC_URL}/api/github/webhooks`, active: true },
      redirect_url: `${PUBLIC_URL}/setup/created`,
      callback_urls: expect.arrayContaining([`${PUBLIC_URL}/session/callback`, 'http://localhost/callback']),
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

  test('offers an App that may only read', async () => {
    const all = await service.open()
    expect(all.form.manifest).toMatchObject({ default_permissions: { pull_requests: 'write' } })
    const { form, text } = await service.open({ read_only: 'on' })
    expect(text).toContain('Create the read-only App for your own account')
    expect(form.manifest).toMatchObject({ default_permissions: { pull_requests: 'read', metadata: 'read' } })
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
    // The state is in a cookie of this host that no script can read.
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-deconflict_setup=[^;]+; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })
})

describe('nothing is set up', () => {
  afterEach(() => expect(service.app.github_app).toBeNull())

  // Threat: Somebody else creates the App, and so owns it
  test.each(['', '?code=', '?code=guess', '?code=a&code=b'])('with the address /setup%s', async (query) => {
    const { status, text } = await service.get(`/setup${query}`)
    expect(status).toBe(403)
    expect(text).toContain('no valid code')
  })

  // Threat: A link that makes the service use a stranger’s App
  test('with another state, or from another browser', async () => {
    const { form, cookie } = await service.open()
    const before = github.calls('POST /app-manifests/*')
    for (const [given, sent] of [
      [{ ...form, action: form.action.replace(/state=.*/, 'state=guess') }, cookie],
      [form, ''],
    ] as const) {
      const { status, text } = await service.confirm(given, sent)
      expect(status).toBe(403)
      expect(text).toContain('another browser')
    }
    expect(github.calls('POST /app-manifests/*')).toBe(before)
  })

  test.each([
    ['with a code that GitHub rejects', 403, 'does not accept the code'],
    ['while GitHub is unavailable', 503, 'GitHub is unavailable'],
  ])('%s, and the code of the log stays valid', async (_, status, text) => {
    const { form, cookie } = await service.open()
    if (status === 503) github.fault('POST /app-manifests/*', 'unavailable')
    const state = new URL(form.action).searchParams.get('state')
    const refused = await service.get(`/setup/created?code=made-up&state=${state}`, { cookie })
    expect(refused).toMatchObject({ status, text: expect.stringContaining(text) })
    expect((await service.get(`/setup?code=${service.code}`)).status).toBe(200)
  })

  // Threat: Somebody else creates the App, and so owns it
  test('by many guesses, which count as failed tokens of the address', async () => {
    const limited = await forTest(startSetupService(github, { public_url: PUBLIC_URL }))
    for (let turn = 0; turn < 100; turn += 1)
      expect((await limited.get('/setup?code=guess')).status).toBe(403)
    const { status, headers } = await limited.get(`/setup?code=${limited.code}`)
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('a day later, until the next start', async () => {
    service.clock.advance(DAY_MS)
    expect((await service.get(`/setup?code=${service.code}`)).status).toBe(403)
  })
})

test('without PUBLIC_URL, the page names what to set', async () => {
  const service = await forTest(startSetupService(github, {}))
  expect(service.setup_url).toBeNull()
  const { status, text } = await service.get('/setup?code=any')
  expect(status).toBe(503)
  expect(text).toContain('Set PUBLIC_URL')
})

test('webhooks go to WEBHOOK_PROXY_URL if it is set', async () => {
  const config = { public_url: 'http://localhost:3000', webhook_proxy_url: 'https://smee.io/abc' }
  const service = await forTest(startSetupService(github, config))
  const { form, headers } = await service.open()
  expect(form.manifest).toMatchObject({ hook_attributes: { url: 'https://smee.io/abc' } })
  expect(headers.getSetCookie()[0]).toMatch(/^deconflict_setup=/)
})

test('without WEBHOOK_PROXY_URL, the page on a laptop warns that GitHub cannot reach it', async () => {
  const service = await forTest(startSetupService(github, { public_url: 'http://localhost:3000' }))
  expect((await service.get(`/setup?code=${service.code}`)).text).toContain('https://smee.io/new')
})

test('on GitHub Enterprise Server, the form goes to that server', async () => {
  const config = { public_url: PUBLIC_URL, github_web_url: 'https://ghe.example' }
  const service = await forTest(startSetupService(github, config))
  const { form, headers } = await service.open({ organization: 'acme' })
  expect(form.action).toMatch(/^https:\/\/ghe\.example\/organizations\/acme\/settings\/apps\/new\?state=/)
  expect(headers.get('content-security-policy')).toContain("form-action 'self' https://ghe.example;")
})
