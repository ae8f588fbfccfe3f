/** The service as a process: what it refuses to start with, how several start at once, and how it stops under load. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type GithubStandIn, startGithubStandIn } from '../../scripts/github-stand-in.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { connectRaw, databaseUrl } from '../support/postgres.ts'
import { exitOfProcess, type ServiceProcess, startProcess } from '../support/process.ts'
import { apiAt } from '../support/service.ts'

let github: GithubStandIn

/** For what happens at some time soon, also on a slow machine. */
const PATIENT = { timeout: 30_000, interval: 10 }

beforeAll(async () => {
  github = await startGithubStandIn({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [{ token: 'ada', login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } }],
  })
})

afterAll(() => github.close())

const environment = (database_url: string | undefined) => ({
  DATABASE_URL: database_url,
  GITHUB_API_URL: github.url,
  RATE_LIMIT_PER_MINUTE: '1000000',
})

describe('a bad value in the environment', () => {
  const app = { APP_ID: '7', PRIVATE_KEY: 'key', WEBHOOK_SECRET: 'secret' }
  test.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '65536' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://ada:secret@localhost/db' }],
    ['GITHUB_API_URL', { GITHUB_API_URL: 'api.github.com' }],
    ['GITHUB_WEB_URL', { GITHUB_WEB_URL: 'ftp://github.com' }],
    ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: '0' }],
    ['PERMISSION_TTL_MS', { PERMISSION_TTL_MS: '-1' }],
    ['RETENTION_DAYS', { RETENTION_DAYS: '1.5' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['APP_ID', { ...app, APP_ID: 'seven' }],
    ['PRIVATE_KEY', { ...app, PRIVATE_KEY: undefined }],
    ['WEBHOOK_SECRET', { ...app, WEBHOOK_SECRET: '' }],
    ['DATA_DIR', { DATA_DIR: '/dev/null/data' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/db' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://ada:secret@host.invalid/db' }],
  ])('of %s ends the process with one line that names it: %o', async (name, env) => {
    const { code, errors } = await exitOfProcess(env)
    expect(code).toBe(1)
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^deconflict: .*\\b${name}\\b`))])
    expect(errors.join()).not.toContain('secret')
  })

  test.each([
    ['HOST', () => ({ HOST: '192.0.2.1' })],
    ['HOST', () => ({ HOST: 'host.invalid' })],
    ['PORT', () => ({ PORT: new URL(github.url).port })],
  ])('of %s that shows only when the service listens does so too', async (name, env) => {
    const database = await freshDatabase()
    const { code, errors } = await exitOfProcess({ ...environment(database.database_url), ...env() })
    expect(code).toBe(1)
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^deconflict: .*\\b${name}\\b`))])
    await database.drop()
  })
})

test('four that start at once on an empty database all become ready', async () => {
  const { url } = inject('postgres')
  const name = `deconflict_empty_${process.pid}`
  await runOn(url, `create database ${name}`)
  const env = environment(databaseUrl(url, name))
  // Migrations begin with this schema. Whoever wants to make it, or waits for its turn, has to wait here for the others.
  const gate = connectRaw(databaseUrl(url, name))
  const watch = connectRaw(url)
  const starting: Promise<ServiceProcess>[] = []
  await gate
    .begin(async (sql) => {
      await sql`create schema drizzle`
      starting.push(...[1, 2, 3, 4].map(() => startProcess(env)))
      const waiting = () =>
        watch`select pid from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting()).length, PATIENT).toBe(4)
      throw new Error('enough')
    })
    .catch((error: Error) => expect(error.message).toBe('enough'))
  await Promise.all([gate.end(), watch.end()])
  const services = await Promise.all(starting)
  const work = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
  for (const service of services) {
    const { status } = await apiAt(service.url, 'ada')('POST', '/activity', { body: work })
    expect(status).toBe(201)
  }
  const listed = await apiAt(services[0]?.url as string, 'ada')('GET', '/activity')
  expect(listed.body.items).toHaveLength(4)
  await Promise.all(services.map((service) => service.kill('SIGTERM')))
  await runOn(url, `drop database ${name} with (force)`)
})

describe('SIGTERM', () => {
  test('breaks no request off, and ends the process with 0', async () => {
    const database = await freshDatabase()
    const service = await startProcess(environment(database.database_url))
    const api = apiAt(service.url, 'ada')
    const work = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
    expect((await api('POST', '/activity', { body: work })).status).toBe(201)
    // Eight clients send one request after the other, on connections that they keep, until they find the service gone.
    let answered = 0
    const ends: unknown[] = []
    const clients = Array.from({ length: 8 }, async () => {
      for (;;) {
        try {
          expect((await api('POST', '/activity', { body: work })).status).toBe(201)
          answered += 1
        } catch (error) {
          ends.push(((error as Error).cause as { code?: string } | undefined)?.code ?? error)
          return
        }
      }
    })
    await expect.poll(() => answered, PATIENT).toBeGreaterThan(50)
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
    await Promise.all(clients)
    // Who connects while the port is being closed is reset, without having been heard.
    expect(ends).toEqual(clients.map(() => expect.stringMatching(/^ECONN(REFUSED|RESET)$/)))
    await expectStored(database.database_url as string, answered + 1)
    await database.drop()
  })

  test('waits for a request that waits for GitHub', async () => {
    const database = await freshDatabase()
    const service = await startProcess(environment(database.database_url))
    const release = github.github.hold('GET /repos/acme/shop')
    const asked = github.github.calls('GET /repos/acme/shop')
    const answer = apiAt(service.url, 'ada')('GET', '/activity')
    await expect.poll(() => github.github.calls('GET /repos/acme/shop'), PATIENT).toBe(asked + 1)
    const ended = service.kill('SIGTERM')
    await expect
      .poll(() =>
        fetch(`${service.url}/healthz`).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed')
    release()
    expect((await answer).status).toBe(200)
    expect((await ended).code).toBe(0)
    await database.drop()
  })
})

/** What a new process finds is what clients were told of, and nothing else. */
async function expectStored(database_url: string, acknowledged: number): Promise<void> {
  const service: ServiceProcess = await startProcess(environment(database_url))
  const api = apiAt(service.url, 'ada')
  let stored = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await api('GET', `/activity?limit=100${cursor && `&cursor=${cursor}`}`)
    stored += body.items.length
    cursor = body.next_cursor
  }
  expect(stored).toBe(acknowledged)
  await service.kill('SIGTERM')
}
