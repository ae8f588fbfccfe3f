/** PostgreSQL stopped at once under load, and started again (contract §1 and §3). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GithubStandIn, startGithubStandIn } from '../../scripts/github-stand-in.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { openLedger } from '../support/ledger.ts'
import { startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { apiAt } from '../support/service.ts'

let github: GithubStandIn
const PATIENT = { timeout: 30_000, interval: 20 }

beforeAll(async () => {
  github = await startGithubStandIn({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [{ token: 'ada', login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } }],
  })
})
afterAll(() => github.close())

test('under load', async () => {
  const cluster = await startCluster({ durable: true })
  const service = await startProcess({
    DATABASE_URL: cluster.url,
    GITHUB_API_URL: github.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const ledger = openLedger('PostgreSQL stopped at once, twice, and started again', '16 clients')
  const load = startLoad([service.url], ledger, { clients: 16 })
  const api = apiAt(service.url, 'ada')
  for (let round = 1; round <= 2; round += 1) {
    await expect.poll(() => ledger.acknowledged.size, PATIENT).toBeGreaterThan(300 * round)
    await cluster.crash()
    const before = ledger.refused['503'] ?? 0
    await expect.poll(() => ledger.refused['503'] ?? 0, PATIENT).toBeGreaterThan(before + 50)
    expect((await api('GET', '/readyz')).status).toBe(503)
    expect(service.isRunning()).toBe(true)
    await cluster.restart()
    await expect.poll(async () => (await api('GET', '/readyz')).status, PATIENT).toBe(200)
  }
  await load.stop()
  const row = ledger.close(await listTitles(service.url))
  expect(row).toMatchObject({ lost: 0, doubled: 0 })
  expect(Object.keys(row.refused)).toEqual(['503'])
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0, errors: [] })
  await cluster.remove()
})
