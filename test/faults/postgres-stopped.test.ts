/** PostgreSQL stopped abruptly under load and restarted, and a standby that is promoted. */
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { connectRaw, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { useDeployment } from '../support/use-deployment.ts'

const fixture = useDeployment()

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
  counts.report(await listTitles(service.url), ['503'])
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
  counts.report(await listTitles(service.url), ['503'])
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  await standby.remove()
  await cluster.remove()
})
