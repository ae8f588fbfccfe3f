/** Instances killed under load, on both databases: which records exist after the restart. */
import { expect, test } from 'vitest'
import { startLoad } from '../support/keyed-load.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const fixture = useDeployment()

test('one of two instances is killed repeatedly, and clients that switch to the other lose nothing', async () => {
  const cluster = await forTest(startCluster({ durable: true }))
  const env = { ...fixture.env, DATABASE_URL: cluster.url }
  const ports = [await freePort(), await freePort()].map(String)
  let [victim, other] = await Promise.all(ports.map((PORT) => startProcess({ ...env, PORT })))
  if (!victim || !other) throw new Error('two instances were to start')
  const fault = 'one of two instances killed (SIGKILL) three times, PostgreSQL'
  const load = startLoad(fault, [victim.url, other.url], { clients: 16 })
  for (let round = 1; round <= 3; round += 1) {
    await load.acknowledges(200)
    await victim.kill('SIGKILL')
    victim = await startProcess({ ...env, PORT: ports[0] })
  }
  // 503 while it starts, and 409 for a key whose first, aborted request is still running on the other instance.
  const row = await load.settle(other.url, ['none', '503', '409'])
  expect(row.refused.none).toBeGreaterThan(0)
  for (const service of [victim, other]) expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
})

test('the only instance is killed on the embedded database, and its successor has everything acknowledged', async () => {
  const directory = await forTest(temporaryDirectory('data'))
  const env = { ...fixture.env, DATA_DIR: directory.path, PORT: String(await freePort()) }
  let service = await startProcess(env)
  const load = startLoad('the instance killed (SIGKILL) twice, embedded database', [service.url])
  for (let round = 1; round <= 2; round += 1) {
    await load.acknowledges(200)
    await service.kill('SIGKILL')
    service = await startProcess(env)
  }
  // While it starts, it responds that it is not ready.
  const row = await load.settle(service.url, ['none', '503'])
  expect(row.refused.none).toBeGreaterThan(0)
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
})
