/** PostgreSQL stopped abruptly under load and restarted, and a standby that is promoted. */
import { expect, onTestFinished, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startLoad } from '../support/keyed-load.ts'
import { connectRaw, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const fixture = useDeployment()

test('with open transactions, the process keeps running, responds with 503 and recovers', async () => {
  const cluster = await forTest(startCluster({ durable: true }))
  const service = await startProcess({ ...fixture.env, DATABASE_URL: cluster.url })
  const fault = 'PostgreSQL stopped (immediate) and restarted three times'
  const load = startLoad(fault, [service.url], { clients: 16 })
  const api = apiAt(service.url, 'ada')
  for (let round = 1; round <= 3; round += 1) {
    await load.acknowledges(200)
    await cluster.crash()
    await load.refuses(50)
    const ready = await api('GET', '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.body.error.type).toBe('service_unavailable')
    expect((await api('GET', '/healthz')).status).toBe(200)
    expect(service.isRunning()).toBe(true)
    await cluster.restart()
    await expect.poll(async () => (await api('GET', '/readyz')).status).toBe(200)
  }
  await load.settle(service.url)
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
})

test('a promoted standby has everything acknowledged, and the service finds it among its addresses', async ({
  skip,
}) => {
  const cluster = await forTest(startCluster({ durable: true }))
  const standby = await cluster.startStandby()
  if (!standby) return skip('pg_basebackup is missing')
  onTestFinished(standby.remove)
  const [one, two] = [new URL(cluster.url), new URL(standby.url)]
  // The standby is first in the list and is skipped because it accepts no writes.
  const DATABASE_URL = cluster.url.replace(one.host, `${two.host},${one.host}`)
  const watch = connectRaw(cluster.url)
  const states = async () =>
    (await watch`select sync_state from pg_stat_replication`).map((row) => row.sync_state)
  await expect.poll(states).toEqual(['sync'])
  await watch.end()

  const service = await startProcess({ ...fixture.env, DATABASE_URL })
  const fault = 'primary stopped (immediate), synchronous standby promoted'
  const load = startLoad(fault, [service.url], { clients: 16 })
  await load.acknowledges(300)
  await cluster.crash()
  await load.refuses(50)
  await standby.promote()
  await load.acknowledges(300)
  await load.settle(service.url)
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
})
