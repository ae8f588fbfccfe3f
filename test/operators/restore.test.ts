/** Backup, restore and rollback as described in docs/operations.md. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { databaseUrl, debianBinaries } from '../support/postgres.ts'
import type { ServiceProcess } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const NAMES = ['acme/shop', 'acme/docs']
const run = promisify(execFile)

let deployment: Deployment

beforeAll(async () => {
  deployment = await startDeployment(NAMES)
})
afterAll(() => deployment.close())

const at = (full_name: string, path: string) => `/api/v1/repos/${full_name}${path}`

/** Records of every kind and status, in both repositories, with characters that are often damaged. */
async function fill({ url }: ServiceProcess): Promise<void> {
  const api = apiAt(url, 'ada')
  for (const full_name of NAMES) {
    const createActivity = async (body: object = {}) => {
      const answer = await api('POST', at(full_name, '/activity'), { body: { ...ACTIVITY, ...body } })
      expect(answer.status).toBe(201)
      return at(full_name, `/activity/${answer.body.activity.id}`)
    }
    for (const status of ['planned', 'paused', 'blocked', 'merged', 'abandoned', 'archived'])
      await api('PATCH', await createActivity(), { body: { status } })
    const scope = { areas: ['Zahlung €', '支付'], paths: ['src/{a,b}/**', 'it\'s "quoted"\\*', 'tab\there'] }
    await createActivity({
      scope,
      title: '🚀 \u2028 line',
      summary: 'a\nb\r\nc',
      branch: 'ünïcode',
      agent: null,
    })
    const named = { ...scope, paths: [...scope.paths, 'a b'] }
    await createActivity({ scope: named, risk: 'critical', blocking: true })
    const { body } = await api('POST', at(full_name, '/notables'), { body: { ...NOTABLE, scope } })
    await api('POST', at(full_name, '/notables'), {
      body: {
        ...NOTABLE,
        supersedes: [body.id],
        applies_until: '2099-01-01T00:00:00Z',
        decision_url: 'https://a.example/é',
      },
      headers: { 'Idempotency-Key': 'kept' },
    })
    const { number } = deployment.github
      .at(full_name)
      .open({ files: ['src/[id].ts', 'a b'], head: `t${url.length}` })
    await deployment.deliver(url, pullRequestEvent(deployment.github, full_name, number, 'opened'))
    const tracked = async () =>
      (await api('GET', at(full_name, '/activity'))).body.items.filter(
        ({ source }: { source: string }) => source === 'pull_request',
      )
    await expect.poll(tracked).not.toEqual([])
    // The comment, which the budget of the settings counts, is the last thing that changes a response.
    const share = async () => (await api('GET', at(full_name, '/settings'))).body.budget.share
    await expect.poll(share).toBe(1)
  }
}

/** The exact responses of all reads over REST: every list, every record, and a replay. */
async function readAll({ url }: ServiceProcess): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  const read = async (path: string): Promise<{ items?: { id: string }[] }> => {
    const response = await fetch(url + path, { headers: { authorization: 'Bearer ada' } })
    expect(response.status).toBe(200)
    all[path] = await response.text()
    return JSON.parse(all[path])
  }
  for (const full_name of NAMES) {
    await read(at(full_name, '/settings'))
    for (const [kind, statuses] of [
      ['activity', ['', '?status=archived', '?status=expired']],
      ['notables', ['', '?status=archived']],
    ] as const)
      for (const status of statuses)
        for (const { id } of (await read(at(full_name, `/${kind}${status}`))).items ?? [])
          await read(at(full_name, `/${kind}/${id}`))
    const body = {
      ...NOTABLE,
      supersedes: JSON.parse(all[at(full_name, '/notables?status=archived')] as string).items.map(
        ({ id }: { id: string }) => id,
      ),
      applies_until: '2099-01-01T00:00:00Z',
      decision_url: 'https://a.example/é',
    }
    const headers = { 'Idempotency-Key': 'kept' }
    const replay = await apiAt(url, 'ada')('POST', at(full_name, '/notables'), { body, headers })
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    all[`replay ${full_name}`] = JSON.stringify(replay.body)
  }
  return all
}

/** Without the App, because catching up with GitHub at the start would change the restored data. */
const ALONE = { APP_ID: undefined, PRIVATE_KEY: undefined, WEBHOOK_SECRET: undefined }

const bin = process.env.TEST_DATABASE_URL ? undefined : debianBinaries()
const canDump = bin !== undefined && existsSync(join(bin, 'pg_dump'))

describe.skipIf(!canDump)('on PostgreSQL (skipped where pg_dump of the server is missing)', () => {
  test('pg_restore restores a pg_dump byte for byte', async () => {
    const { url } = inject('postgres')
    const original = await freshDatabase()
    const [first] = (await deployment.start(1, { DATABASE_URL: original.database_url })) as [ServiceProcess]
    await fill(first)
    const before = await readAll(first)
    expect(Object.keys(before).length).toBeGreaterThan(30)
    const directory = await temporaryDirectory('backup')
    const file = join(directory.path, 'deconflict.dump')
    // The service keeps running.
    await run(join(bin as string, 'pg_dump'), [
      '--format=custom',
      `--file=${file}`,
      original.database_url as string,
    ])
    await first.kill('SIGTERM')

    const name = `deconflict_restored_${process.pid}`
    const restored = databaseUrl(url, name)
    await runOn(url, `create database ${name}`)
    await run(join(bin as string, 'pg_restore'), [
      '--no-owner',
      '--exit-on-error',
      `--dbname=${restored}`,
      file,
    ])
    const [second] = (await deployment.start(1, { DATABASE_URL: restored, ...ALONE })) as [ServiceProcess]
    expect(await readAll(second)).toEqual(before)
    await second.kill('SIGTERM')
    await runOn(url, `drop database ${name} with (force)`)
    await original.drop()
    await directory.remove()
  })
})

test('a copy of the embedded database, made while the service is stopped, is identical', async () => {
  const directory = await temporaryDirectory('data')
  const original = join(directory.path, 'original')
  const [first] = (await deployment.start(1, { DATA_DIR: original })) as [ServiceProcess]
  await fill(first)
  const before = await readAll(first)
  expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 })
  const copy = join(directory.path, 'copy')
  await cp(original, copy, { recursive: true })
  const [second] = (await deployment.start(1, { DATA_DIR: copy, ...ALONE })) as [ServiceProcess]
  expect(await readAll(second)).toEqual(before)
  await second.kill('SIGTERM')
  await directory.remove()
})

test('an instance runs and starts on a schema with additions of a newer version', async () => {
  const database = await freshDatabase()
  const env = { DATABASE_URL: database.database_url }
  const [running] = (await deployment.start(1, env)) as [ServiceProcess]
  const url = database.database_url as string
  await runOn(url, 'alter table activities add column mood text')
  await runOn(url, 'create table moods (repo_id bigint primary key)')
  await runOn(
    url,
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 4102444800000)`,
  )
  const [started] = (await deployment.start(1, env)) as [ServiceProcess]
  for (const service of [running, started]) {
    const api = apiAt(service.url, 'ada')
    expect((await api('POST', at('acme/shop', '/activity'), { body: ACTIVITY })).status).toBe(201)
  }
  expect((await apiAt(running.url, 'ada')('GET', at('acme/shop', '/activity'))).body.items).toHaveLength(2)
  await Promise.all([running.kill('SIGTERM'), started.kill('SIGTERM')])
  await database.drop()
})
