/** Instances killed under load, on either database: what is there when they are back (contract §7). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, type Scene, startScene } from '../support/fault-scene.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { openLedger, strange } from '../support/ledger.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

test('one of two instances is killed again and again, and clients that turn to the other lose nothing', async () => {
  const cluster = await startCluster({ durable: true })
  const env = { ...scene.env, DATABASE_URL: cluster.url }
  const ports = [await freePort(), await freePort()].map(String)
  let [victim, other] = await Promise.all(ports.map((PORT) => startProcess({ ...env, PORT })))
  if (!victim || !other) throw new Error('two instances were to start')
  const ledger = openLedger('one of two instances killed (SIGKILL) three times, PostgreSQL', '16 clients')
  const load = startLoad([victim.url, other.url], ledger, { clients: 16 })
  for (let round = 1; round <= 3; round += 1) {
    await expect.poll(() => ledger.acknowledged.size, PATIENT).toBeGreaterThan(200 * round)
    await victim.kill('SIGKILL')
    victim = await startProcess({ ...env, PORT: ports[0] })
  }
  await load.stop()
  const row = ledger.close(await listTitles(other.url))
  expect(row).toMatchObject({ lost: 0, doubled: 0 })
  expect(row.refused.none).toBeGreaterThan(0)
  // 503 while it starts, and 409 for a key whose first request, broken off, is still at work on the other instance.
  expect(strange(row, ['none', '503', '409'])).toEqual([])
  for (const service of [victim, other]) expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await cluster.remove()
})

test('the only instance is killed on the embedded database, and its heir has what was acknowledged', async () => {
  const directory = await temporaryDirectory('data')
  const env = { ...scene.env, DATA_DIR: directory.path, PORT: String(await freePort()) }
  let service = await startProcess(env)
  const ledger = openLedger('the instance killed (SIGKILL) twice, embedded database', '8 clients')
  const load = startLoad([service.url], ledger)
  for (let round = 1; round <= 2; round += 1) {
    await expect.poll(() => ledger.acknowledged.size, PATIENT).toBeGreaterThan(200 * round)
    await service.kill('SIGKILL')
    service = await startProcess(env)
  }
  await load.stop()
  const row = ledger.close(await listTitles(service.url))
  expect(row).toMatchObject({ lost: 0, doubled: 0 })
  expect(row.refused.none).toBeGreaterThan(0)
  // While it starts it answers, and says that it is not ready.
  expect(strange(row, ['none', '503'])).toEqual([])
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await directory.remove()
})
