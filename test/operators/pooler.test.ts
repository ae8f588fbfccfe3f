/** The service behind PgBouncer in transaction mode, configured as in docs/operations.md. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { IGNORED_PARAMETERS, type Pooler, poolerBinary, startPooler } from '../support/pooler.ts'
import { databaseUrl } from '../support/postgres.ts'
import { exitOfProcess, type ServiceProcess } from '../support/process.ts'
import { pullRequestEvent } from '../support/webhooks.ts'
import { membershipEvent } from '../support/webhooks-access.ts'

const SHOP = 'acme/shop'
const WORK = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }

const binary = poolerBinary()

describe.skipIf(!binary)('behind a pooler in transaction mode (skipped where pgbouncer is missing)', () => {
  const name = `deconflict_pooled_${process.pid}`
  const { url } = inject('postgres')
  const direct = databaseUrl(url, name)
  let pooler: Pooler
  let deployment: Deployment
  let services: ServiceProcess[]

  beforeAll(async () => {
    // Empty, so that the instances create the schema.
    await runOn(url, `create database ${name}`)
    pooler = await startPooler(binary as string, url, [IGNORED_PARAMETERS])
    deployment = await startDeployment([SHOP])
    services = await deployment.start(2, { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: direct })
  })
  afterAll(async () => {
    await deployment.close()
    await pooler.remove()
    await runOn(url, `drop database ${name} with (force)`)
  })

  const apiOf = (turn: number) => apiAt((services[turn % 2] as ServiceProcess).url, 'ada')

  test('every operation succeeds with fewer server connections than the service’s pool', async () => {
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let round = 0; round < 5; round += 1) {
        const request = { body: WORK, headers: { 'Idempotency-Key': `${client}-${round}` } }
        const created = await apiOf(round)('POST', '/activity', request)
        expect(created.status).toBe(201)
        const again = await apiOf(round + 1)('POST', '/activity', request)
        expect(again.body).toEqual(created.body)
        const address = `/activity/${created.body.activity.id}`
        expect((await apiOf(round)('POST', `${address}/heartbeat`)).status).toBe(200)
        const changed = await apiOf(round + 1)('PATCH', address, { body: { risk: 'high' } })
        expect(changed.body.risk).toBe('high')
        expect((await apiOf(round)('POST', `${address}/archive`)).status).toBe(200)
      }
    })
    await Promise.all(clients)
    const archived = await apiOf(0)('GET', '/activity?status=archived&limit=100')
    expect(archived.body.items).toHaveLength(40)
    expect((await apiOf(1)('GET', '/activity')).body.items).toEqual([])
  })

  test('a delivery is processed, and its access change reaches every instance', async () => {
    const { number } = deployment.github.at(SHOP).open({ files: ['src/pay.ts'] })
    const [first, second] = services as [ServiceProcess, ServiceProcess]
    const opened = pullRequestEvent(deployment.github, SHOP, number, 'opened')
    expect(await deployment.deliver(first.url, opened)).toBe(202)
    const listed = async () => (await apiOf(1)('GET', '/activity')).body.items
    await expect.poll(listed).toMatchObject([{ source: 'pull_request' }])
    const status = async (service: ServiceProcess) =>
      (await apiAt(service.url, 'ada')('POST', '/activity', { body: WORK })).status
    expect(await Promise.all(services.map(status))).toEqual([201, 201])
    deployment.github.users([SHOP], { ada: 'none' })
    expect(await Promise.all(services.map(status))).toEqual([201, 201])
    await deployment.deliver(second.url, membershipEvent(deployment.github, 'acme', 'removed', 'ada'))
    await expect.poll(() => Promise.all(services.map(status))).toEqual([403, 403])
  })

  test('a pooler that rejects connection parameters ends the start with one line', async () => {
    const strict = await startPooler(binary as string, url, [])
    const { code, errors } = await exitOfProcess({ DATABASE_URL: strict.urlOf(direct) })
    await strict.remove()
    expect(code).toBe(1)
    expect(errors).toEqual([expect.stringMatching(/^deconflict: .*DATABASE_URL.*08P01/)])
  })
})
