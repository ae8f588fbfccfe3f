/** What survives when a process of the service is killed, on either database, and when PostgreSQL goes away under it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GithubStandIn, startGithubStandIn } from '../../scripts/github-stand-in.ts'
import { startCluster } from '../support/postgres.ts'
import { exitOfProcess, startProcess } from '../support/process.ts'
import { type Answer, type Api, apiAt } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

let github: GithubStandIn

/** For what happens at some time soon, also on a slow machine. */
const PATIENT = { timeout: 30_000, interval: 20 }

beforeAll(async () => {
  github = await startGithubStandIn({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [
      { token: 'ada', login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } },
      { token: 'ben', login: 'ben', id: 2, permissions: { 'acme/shop': 'write' } },
    ],
  })
})

afterAll(() => github.close())

const common = () => ({ GITHUB_API_URL: github.url, RATE_LIMIT_PER_MINUTE: '1000000' })
const work = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }

describe.each(['PostgreSQL', 'the embedded database'])('killed on %s', (kind) => {
  test('while it creates, the service has lost nothing and doubled nothing when it is back', async () => {
    const stored =
      kind === 'PostgreSQL' ? await startCluster({ durable: true }) : await temporaryDirectory('data')
    const env = {
      ...common(),
      ...('url' in stored ? { DATABASE_URL: stored.url } : { DATA_DIR: stored.path }),
    }
    const acknowledged = new Map<string, string>()
    const sent: string[] = []
    const first = await startProcess(env)
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const api = apiAt(first.url, 'ada')
      for (let count = 0; ; count += 1) {
        const key = `${client}-${count}`
        sent.push(key)
        const answer = await create(api, key).catch(() => null)
        if (!answer) return
        expect(answer.status).toBe(201)
        acknowledged.set(key, answer.body.activity.id)
      }
    })
    await expect.poll(() => acknowledged.size, PATIENT).toBeGreaterThan(100)
    await first.kill('SIGKILL')
    await Promise.all(clients)
    expect(sent.length).toBeGreaterThan(acknowledged.size)

    const second = await startProcess(env)
    const api = apiAt(second.url, 'ada')
    const listed = await listAll(api)
    expect(listed).toEqual(expect.arrayContaining([...acknowledged.values()]))
    const ids = new Set<string>()
    for (const key of sent) {
      const answer = await create(api, key)
      expect(answer.status).toBe(201)
      const { id } = answer.body.activity
      if (acknowledged.has(key)) expect(id).toBe(acknowledged.get(key))
      expect(answer.headers.has('idempotent-replayed')).toBe(listed.includes(id))
      ids.add(id)
    }
    expect(ids.size).toBe(sent.length)
    expect((await listAll(api)).sort()).toEqual([...ids].sort())
    await second.kill('SIGTERM')
    await stored.remove()
  })
})

test('a second process on the directory of a running one is refused with one line, and takes over once that is dead', async () => {
  const directory = await temporaryDirectory('data')
  const env = { ...common(), DATA_DIR: directory.path }
  const first = await startProcess(env)
  const before = await create(apiAt(first.url, 'ada'), 'before')
  const { code, errors } = await exitOfProcess(env)
  expect(code).toBe(1)
  expect(errors).toEqual([
    expect.stringMatching(
      /^deconflict: another process has the embedded database in .*DATA_DIR.*DATABASE_URL/,
    ),
  ])
  expect(first.isRunning()).toBe(true)
  const after = await create(apiAt(first.url, 'ada'), 'after')
  await first.kill('SIGKILL')
  const heir = await startProcess(env)
  const ids = [after, before].map(({ body }) => body.activity.id)
  expect(await listAll(apiAt(heir.url, 'ada'))).toEqual(ids)
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
  await directory.remove()
})

test('while PostgreSQL is away every answer is 503, and when it is back the service goes on by itself', async () => {
  const cluster = await startCluster()
  const service = await startProcess({ ...common(), DATABASE_URL: cluster.url })
  const api = apiAt(service.url, 'ada')
  const { activity } = (await create(api, 'before')).body
  const { activity: spare } = (await create(api, 'spare')).body
  const calls = () =>
    Promise.all([
      api('GET', '/activity'),
      api('GET', `/activity/${activity.id}`),
      api('POST', '/activity/check', { body: { scope: { paths: ['src/**'] } } }),
      api('POST', '/activity', { body: work }),
      create(api, 'during'),
      api('PATCH', `/activity/${activity.id}`, { body: { risk: 'high' } }),
      api('POST', `/activity/${activity.id}/heartbeat`),
      api('POST', `/activity/${spare.id}/archive`),
      api('GET', '/notables'),
      api('GET', '/settings'),
      // Of a caller who has not been seen, not even what is left of the quota is known.
      api('GET', '/settings', { token: 'ben' }),
    ])
  for (let round = 0; round < 2; round += 1) {
    await cluster.crash()
    for (const answer of [...(await calls()), ...(await calls())]) {
      expect(answer.status).toBe(503)
      expect(answer.body.error.type).toBe('service_unavailable')
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(JSON.stringify(answer.body)).not.toMatch(/select|insert|postgres|password/i)
    }
    const ready = await api('GET', '/readyz')
    expect([ready.status, ready.body.error.type]).toEqual([503, 'service_unavailable'])
    expect((await api('GET', '/healthz')).status).toBe(200)
    expect(service.isRunning()).toBe(true)
    await cluster.restart()
    await expect.poll(async () => (await api('GET', '/readyz')).status, PATIENT).toBe(200)
    await expect.poll(async () => (await calls()).every(({ status }) => status < 300), PATIENT).toBe(true)
  }
  expect((await create(api, 'during')).headers.get('idempotent-replayed')).toBe('true')
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })
  await cluster.remove()
})

function create(api: Api, key: string): Promise<Answer> {
  return api('POST', '/activity', { body: work, headers: { 'Idempotency-Key': key } })
}

/** The ids of all activities, newest first. */
async function listAll(api: Api): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await api('GET', `/activity?limit=100${cursor}`)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
}
