/** Instances killed under load, on both databases: which records exist after the restart. */
import { expect, test } from 'vitest'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'

const fixture = useDeployment()

test('one of two instances is killed repeatedly, and clients that switch to the other lose nothing', async () => {
  const cluster = await startCluster({ durable: true })
  const env = { ...fixture.env, DATABASE_URL: cluster.url }
  const ports = [await freePort(), await freePort()].map(String)
  let [victim, other] = await Promise.all(ports.map((PORT) => startProcess({ ...env, PORT })))
  if (!victim || !other) throw new Error('two instances were to start')
  const counts = countRequests('one of two instances killed (SIGKILL) three times, PostgreSQL', '16 clients')
  const load = startLoad([victim.url, other.url], counts, { clients: 16 })
  for (let round = 1; round <= 3; round += 1) {
    await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(200 * round)
    await victim.kill('SIGKILL')
    victim = await startProcess({ ...env, PORT: ports[0] })
  }
  await load.stop()
  // 503 while it starts, and 409 for a key whose first, aborted request is still running on the other instance.
  const row = counts.report(await listTitles(other.url), ['none', '503', '409'])
  expect(row.refused.none).toBeGreaterThan(0)
  for (const service of [victim, other]) expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await cluster.remove()
})

test('the only instance is killed on the embedded database, and its successor has everything acknowledged', async () => {
  const directory = await temporaryDirectory('data')
  const env = { ...fixture.env, DATA_DIR: directory.path, PORT: String(await freePort()) }
  let service = await startProcess(env)
  const counts = countRequests('the instance killed (SIGKILL) twice, embedded database', '8 clients')
  const load = startLoad([service.url], counts)
  for (let round = 1; round <= 2; round += 1) {
    await expect.poll(() => counts.acknowledged.size).toBeGreaterThan(200 * round)
    await service.kill('SIGKILL')
    service = await startProcess(env)
  }
  await load.stop()
  // While it starts, it responds that it is not ready.
  const row = counts.report(await listTitles(service.url), ['none', '503'])
  expect(row.refused.none).toBeGreaterThan(0)
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await directory.remove()
})
