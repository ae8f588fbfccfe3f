/** Creating the GitHub App at `/setup`, from the code in the log to the first webhook (docs/install.md). */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CreatedApp } from '../../src/server/github/setup/created-app.ts'
import { isEmbedded, rowsOf } from '../support/database.ts'
import { useGithub } from '../support/service.ts'
import { startSetupService, useSetupService } from '../support/setup-service.ts'
import { forTest } from '../support/use-started.ts'
import { pullRequestEvent, signedDelivery } from '../support/webhooks.ts'

const PUBLIC_URL = 'https://deconflict.example'

const github = useGithub()

const secrets_key = new Uint8Array(32).fill(7)

describe('the App is created, and GitHub’s installation page comes next', () => {
  const service = useSetupService(github, { public_url: PUBLIC_URL, secrets_key })
  let credentials: CreatedApp

  beforeAll(async () => {
    const { form, cookie } = await service.open()
    const location = 'https://github.com/apps/deconflict/installations/new'
    expect(await service.confirm(form, cookie)).toMatchObject({ status: 303, location })
    credentials = await service.stored()
  })

  test('and webhooks that it signs are accepted and handled without a restart', async () => {
    const { webhook_secret: secret } = credentials
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
      .poll(async () => (await service.list()).map((item: { source: string }) => item.source))
      .toContain('pull_request')
  })

  test('and people sign in with it', async () => {
    expect(JSON.parse((await service.get('/session')).text)).toMatchObject({ can_sign_in: true })
    const response = await fetch(`${service.url}/session/login`, { redirect: 'manual' })
    const address = new URL(response.headers.get('location') as string)
    expect(address.searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/session/callback`)
  })

  // Threat: The stored credentials of the App
  test('and its secrets are neither readable by others nor logged', async () => {
    const { client_secret, webhook_secret, private_key } = credentials
    const line = private_key.split('\n')[3] as string
    if (isEmbedded) {
      const path = join(service.app.config.data_dir, 'github-app.json')
      expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
    } else {
      const rows = await service.db.execute(sql`select credentials from created_app`)
      for (const secret of [client_secret, webhook_secret, line])
        expect(JSON.stringify(rows)).not.toContain(secret)
    }
    for (const secret of [client_secret, webhook_secret, line])
      expect(service.log.join('\n')).not.toContain(secret)
  })

  // Threat: Somebody else creates the App, and so owns it
  test('and the code and the page cannot be used again', async () => {
    for (const path of ['/setup', `/setup?code=${service.code}`, '/setup/created?code=x&state=y']) {
      const { status, text } = await service.get(path)
      expect(status, path).toBe(404)
      expect(text, path).toContain('is configured')
    }
    const rows = await service.db.execute(sql`select 1 from setup_codes`)
    expect([...rowsOf(rows)]).toEqual([])
  })

  test('and an instance that starts later has it', async () => {
    const later = await forTest(service.restart({}))
    expect(later.app.github_app?.id).toBe(github.app.id)
    expect(later.setup_url).toBeNull()
  })

  test('and the environment takes precedence over it', async () => {
    const { private_key } = credentials
    const other = await forTest(
      service.restart({ github_app: { id: 99, private_key, webhook_secret: 'hush' } }),
    )
    expect(other.app.github_app?.id).toBe(99)
  })

  test.skipIf(!isEmbedded)('and an error at start names its file if that is damaged', async () => {
    await writeFile(join(service.app.config.data_dir, 'github-app.json'), '{"id": 1')
    await expect(service.restart({})).rejects.toThrow(/github-app\.json, which is not valid/)
  })
})

describe.skipIf(isEmbedded)('with PostgreSQL', () => {
  const start = (given: object = { secrets_key }) =>
    forTest(startSetupService(github, { public_url: PUBLIC_URL, ...given }))
  const twoInstances = async () => {
    const first = await start()
    return [first, await start({ secrets_key, database_url: first.app.config.database_url })] as const
  }

  test('another instance uses the App without a restart', async () => {
    const [first, second] = await twoInstances()
    // A code is valid on every instance.
    const { form, cookie } = await second.open({ code: first.code })
    expect((await first.confirm(form, cookie)).status).toBe(303)
    await expect.poll(() => second.app.github_app?.id).toBe(github.app.id)
    expect(JSON.parse((await second.get('/session')).text)).toMatchObject({ can_sign_in: true })
  })

  test('two people who confirm at the same time get one App', async () => {
    const [first, second] = await twoInstances()
    const opened = await Promise.all([first, second].map((each) => each.open()))
    const waiting = () => github.requests('POST /app-manifests/*').filter(({ status }) => !status)
    const before = waiting().length
    const release = github.holdAnswers('POST /app-manifests/*')
    const confirmed = opened.map(({ form, cookie }, at) => [first, second][at]?.confirm(form, cookie))
    await expect.poll(waiting).toHaveLength(before + 2)
    release()
    const statuses = (await Promise.all(confirmed)).map((each) => each?.status)
    expect(statuses.sort()).toEqual([303, 403])
  })

  test('without SECRETS_KEY, only a file contains it, and the page warns about that', async () => {
    const service = await start({})
    expect((await service.get(`/setup?code=${service.code}`)).text).toContain('SECRETS_KEY is not set')
    const { form, cookie } = await service.open()
    expect((await service.confirm(form, cookie)).status).toBe(303)
    const path = join(service.app.config.data_dir, 'github-app.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ id: github.app.id })
    await rm(path)
    // Nothing can be created there, not even by root.
    const other = await forTest(service.restart({ data_dir: '/proc/x' }))
    const { text } = await other.get(`/setup?code=${other.code}`)
    expect(text).toContain('DATA_DIR /proc/x is not writable; make it writable, or set SECRETS_KEY')
  })

  test.each([
    ['no SECRETS_KEY', null, /^SECRETS_KEY is not set/],
    ['another SECRETS_KEY', new Uint8Array(32), /^SECRETS_KEY does not decrypt/],
  ])('an instance with %s does not start without the App', async (_, key, message) => {
    const service = await start()
    const { form, cookie } = await service.open()
    expect((await service.confirm(form, cookie)).status).toBe(303)
    await expect(service.restart({ secrets_key: key })).rejects.toThrow(message)
  })
})
