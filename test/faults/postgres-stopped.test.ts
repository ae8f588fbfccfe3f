/** PostgreSQL stopped abruptly under load and restarted, and a standby that is promoted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Api, apiAt } from '../support/api.ts'
import { type FaultFixture, startFaultFixture } from '../support/fault-fixture.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { connectRaw, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }

let fixture: FaultFixture

beforeAll(async () => {
  fixture = await startFaultFixture()
})
afterAll(() => fixture.close())

test('with open transactions, the process keeps running, responds with 503 and recovers', async () => {
  const cluster = await startCluster({ durable: true })
  const service = await startProcess({ ...fixture.env, DATABASE_URL: cluster.url })
  const counts = countRequests('PostgreSQL stopped (immediate) and restarted three times', '16 clients')
  const load = startLoad([service.url], counts, { clients: 16 })
  const api = apiAt(service.url, 'ada')
  for (let round = 1; round <= 3; round += 1) {
    await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(200 * round)
    await cluster.crash()
    const before = counts.refused['503'] ?? 0
    await expect.poll(() => counts.refused['503'] ?? 0).toBeGreaterThan(before + 50)
    const ready = await api('GET', '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.body.error.type).toBe('service_unavailable')
    expect((await api('GET', '/healthz')).status).toBe(200)
    expect(service.isRunning()).toBe(true)
    await cluster.restart()
    await expect.poll(async () => (await api('GET', '/readyz')).status).toBe(200)
  }
  await load.stop()
  const row = counts.report(await listTitles(service.url))
  expect(row).toMatchObject({ lost: 0, duplicated: 0 })
  expect(Object.keys(row.refused)).toEqual(['503'])
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  await cluster.remove()
})

test('a promoted standby has everything acknowledged, and the service finds it among its addresses', async ({
  skip,
}) => {
  const cluster = await startCluster({ durable: true })
  const standby = await cluster.startStandby()
  if (!standby) {
    await cluster.remove()
    return skip('pg_basebackup is missing')
  }
  const [one, two] = [new URL(cluster.url), new URL(standby.url)]
  // The standby is first in the list and is skipped because it accepts no writes.
  const DATABASE_URL = cluster.url.replace(one.host, `${two.host},${one.host}`)
  const watch = connectRaw(cluster.url)
  const states = async () =>
    (await watch`select sync_state from pg_stat_replication`).map((row) => row.sync_state)
  await expect.poll(states).toEqual(['sync'])
  await watch.end()

  const service = await startProcess({ ...fixture.env, DATABASE_URL })
  const counts = countRequests('primary stopped (immediate), synchronous standby promoted', '16 clients')
  const load = startLoad([service.url], counts, { clients: 16 })
  await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(300)
  await cluster.crash()
  const before = counts.refused['503'] ?? 0
  await expect.poll(() => counts.refused['503'] ?? 0).toBeGreaterThan(before + 50)
  const acknowledged = counts.acknowledged.size
  await standby.promote()
  await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(acknowledged + 300)
  await load.stop()
  const row = counts.report(await listTitles(service.url))
  expect(row).toMatchObject({ lost: 0, duplicated: 0 })
  expect(Object.keys(row.refused)).toEqual(['503'])
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  await standby.remove()
  await cluster.remove()
})

test('while PostgreSQL is stopped every response is 503, and service resumes when it returns', async () => {
  const cluster = await startCluster()
  const service = await startProcess({ ...fixture.env, DATABASE_URL: cluster.url })
  const api = apiAt(service.url, 'ada')
  const { activity } = (await createOnce(api, 'before')).body
  const { activity: spare } = (await createOnce(api, 'spare')).body
  const calls = () =>
    Promise.all([
      api('GET', '/activity'),
      api('GET', `/activity/${activity.id}`),
      api('POST', '/activity/check', { body: { scope: { paths: ['src/**'] } } }),
      api('POST', '/activity', { body: activityBody }),
      createOnce(api, 'during'),
      api('PATCH', `/activity/${activity.id}`, { body: { risk: 'high' } }),
      api('POST', `/activity/${activity.id}/heartbeat`),
      api('POST', `/activity/${spare.id}/archive`),
      api('GET', '/notables'),
      api('GET', '/settings'),
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
    expect(ready.status).toBe(503)
    expect(ready.body.error.type).toBe('service_unavailable')
    expect((await api('GET', '/healthz')).status).toBe(200)
    expect(service.isRunning()).toBe(true)
    await cluster.restart()
    await expect.poll(async () => (await api('GET', '/readyz')).status).toBe(200)
    await expect.poll(async () => (await calls()).every(({ status }) => status < 300)).toBe(true)
  }
  expect((await createOnce(api, 'during')).headers.get('idempotent-replayed')).toBe('true')
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })
  await cluster.remove()
})

function createOnce(api: Api, key: string): Promise<Answer> {
  return api('POST', '/activity', { body: activityBody, headers: { 'Idempotency-Key': key } })
}
