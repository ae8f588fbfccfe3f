/** The service as a process: configurations that it rejects, several concurrent starts, and responses before it is ready. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { emptyDatabase, freshDatabase, runOn } from '../support/database.ts'
import { connectRaw, databaseUrl, freePort } from '../support/postgres.ts'
import { exitOfProcess, launch, type ServiceProcess, startProcess } from '../support/process.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const github = useDeployment()

const environment = (database_url: string | undefined) => ({ DATABASE_URL: database_url, ...github.env })

const LATIN1 = `encoding 'LATIN1' template template0`

async function untilHealthy(api: Api): Promise<void> {
  const status = async () => (await api('GET', '/healthz').catch(() => null))?.status
  await expect.poll(status).toBe(200)
}

describe('an invalid value in the environment', () => {
  // `test/rules/config.test.ts` has every variable and bound.
  test.each([
    ['DATA_DIR', { DATA_DIR: '/dev/null/data' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/db' }],
  ])('of %s ends the process with one line that names it: %o', async (name, env) => {
    const { code, errors } = await exitOfProcess(env)
    expect(code).toBe(1)
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^deconflict: .*\\b${name}\\b`))])
    expect(errors.join()).not.toContain('secret')
  })

  test.each([
    ['HOST', () => ({ HOST: 'host.invalid' })],
    ['PORT', () => ({ PORT: new URL(github.url).port })],
    ['DATABASE_URL .*exist', () => ({ DATABASE_URL: databaseUrl(inject('postgres').url, 'absent') })],
    ['DATABASE_URL .*UTF8', async () => ({ DATABASE_URL: (await emptyDatabase(LATIN1)).url })],
  ])('of %s that is detected only later does so too', async (name, env) => {
    const database = await freshDatabase()
    const { code, errors } = await exitOfProcess({ ...environment(database.database_url), ...(await env()) })
    expect(code).toBe(1)
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^deconflict: .*\\b${name}\\b`))])
    await database.drop()
  })
})

/** See `lockSchema`. */
const SCHEMA_LOCK = 7_046_031_415

test('four instances that start at once on an empty database all become ready', async () => {
  const { url, name } = await emptyDatabase()
  // A server may be set up to write values in another way.
  await runOn(url, `alter database ${name} set datestyle = 'German'`)
  await runOn(url, `alter database ${name} set bytea_output = 'escape'`)
  const env = environment(url)
  // Every instance takes this lock before it migrates, so the first ones wait here until the last one has started.
  const [gate, watch] = [connectRaw(url), connectRaw(url)]
  const starting: Promise<ServiceProcess>[] = []
  await gate.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`
    starting.push(...[1, 2, 3, 4].map(() => startProcess(env)))
    const waiting = () =>
      watch`select pid from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting()).length).toBe(4)
  })
  await Promise.all([gate.end(), watch.end()])
  const services = await Promise.all(starting)
  const changes = [{ path: 'src/pay.ts', patch: '@@ -1 +1 @@\n-pay()\n+payTwice()' }]
  const activityBody = { title: 'Retry payments', summary: 'Twice.', actor: 'Ada', scope: { changes } }
  for (const service of services) {
    const { status } = await apiAt(service.url, 'ada')('POST', '/activity', { body: activityBody })
    expect(status).toBe(201)
  }
  const listed = await apiAt(services[0]?.url as string, 'ada')('GET', '/activity')
  expect(listed.body.items).toHaveLength(4)
  await Promise.all(services.map((service) => service.kill('SIGTERM')))
})

test('while migrations wait, /healthz is 200 and everything else is 503 service_unavailable', async () => {
  const { url } = await emptyDatabase()
  const PORT = String(await freePort())
  const address = `http://127.0.0.1:${PORT}`
  const gate = connectRaw(url)
  const api = apiAt(address, 'ada')
  let starting: Promise<ServiceProcess> | undefined
  await gate
    .begin(async (sql) => {
      await sql`create schema drizzle`
      starting = startProcess({ ...environment(url), PORT })
      await untilHealthy(api)
      for (const path of ['/readyz', '/activity']) {
        const { status, body } = await api('GET', path)
        expect(status).toBe(503)
        expect(body.error.type).toBe('service_unavailable')
      }
      throw new Error('enough')
    })
    .catch((error: Error) => expect(error.message).toBe('enough'))
  await gate.end()
  const service = await starting
  expect((await api('GET', '/readyz')).status).toBe(200)
  expect((await api('GET', '/activity')).status).toBe(200)
  const errors = service
    ?.output()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
  expect(errors).toEqual([])
  await service?.kill('SIGTERM')
})

test('SIGTERM before it is ready ends the process with 0', async () => {
  const proxy = await forTest(startTcpProxy(inject('postgres').url))
  proxy.blackhole()
  const PORT = String(await freePort())
  const starting = launch({ ...environment(proxy.url), PORT })
  const api = apiAt(`http://127.0.0.1:${PORT}`, 'ada')
  await untilHealthy(api)
  expect(await starting.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
})

test('a damaged embedded database ends the process with one line that names it', async () => {
  const directory = await forTest(temporaryDirectory('data'))
  await mkdir(join(directory.path, 'pglite'), { recursive: true })
  await writeFile(join(directory.path, 'pglite', 'PG_VERSION'), '11')
  const { code, errors } = await exitOfProcess({ ...environment(undefined), DATA_DIR: directory.path })
  expect(code).toBe(1)
  expect(errors).toEqual([
    expect.stringMatching(/^deconflict: the embedded database in .* cannot be opened.*DATA_DIR/),
  ])
})

test('a second process on a data directory in use is rejected with one line, and starts once the first is dead', async () => {
  const directory = await forTest(temporaryDirectory('data'))
  const env = { ...environment(undefined), DATA_DIR: directory.path }
  const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
  const first = await startProcess(env)
  const before = await apiAt(first.url, 'ada')('POST', '/activity', { body: activityBody })
  const { code, errors } = await exitOfProcess(env)
  expect(code).toBe(1)
  expect(errors).toEqual([
    expect.stringMatching(
      /^deconflict: another process is using the embedded database in .*DATA_DIR.*DATABASE_URL/,
    ),
  ])
  expect(first.isRunning()).toBe(true)
  const after = await apiAt(first.url, 'ada')('POST', '/activity', { body: activityBody })
  await first.kill('SIGKILL')
  const heir = await startProcess(env)
  const { body } = await apiAt(heir.url, 'ada')('GET', '/activity')
  const ids = [after, before].map((answer) => answer.body.activity.id)
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
})
