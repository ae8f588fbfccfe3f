/** Three instances on one PostgreSQL behind a round-robin load balancer, and one whose clock is wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { connectRaw } from '../support/postgres.ts'
import type { ServiceProcess } from '../support/process.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const NAMES = Array.from({ length: 5 }, (_, index) => `acme/shop-${index}`)
const [SHOP, ...OTHERS] = NAMES as [string, ...string[]]
const WAIT_OPTIONS = { timeout: 60_000, interval: 50 }

let deployment: Deployment
let database: FreshDatabase
let services: ServiceProcess[]
let balancer: RoundRobin
let api: Api

beforeAll(async () => {
  deployment = await startDeployment(NAMES)
  database = await freshDatabase()
  services = await deployment.start(3, { DATABASE_URL: database.database_url, TRUST_PROXY: '1' })
  balancer = await startRoundRobin(services.map(({ url }) => url))
  api = apiAt(balancer.url, 'ada')
})
afterAll(async () => {
  await balancer.close()
  await deployment.close()
  await database.drop()
})

const query = async (statement: string) => {
  const sql = connectRaw(database.database_url as string)
  const rows = await sql.unsafe(statement)
  await sql.end()
  return rows
}
const at = (full_name: string, path: string) => `/api/v1/repos/${full_name}${path}`
const isIdle = async () => {
  const rows = await query(
    `select 1 from jobs where state = 'pending' and (run_at <= now() or leased_until > now())`,
  )
  return rows.length === 0
}

test('every request may go to another instance and reads what the others stored', async () => {
  const clients = Array.from({ length: 6 }, async (_, client) => {
    const activities = at(SHOP, '/activity')
    const notables = at(SHOP, '/notables')
    for (let round = 0; round < 4; round += 1) {
      const headers = { 'Idempotency-Key': `${client}-${round}` }
      const body = { ...ACTIVITY, scope: { paths: [`src/${client}/${round}.ts`] } }
      const created = await api('POST', activities, { body, headers })
      expect(created.status).toBe(201)
      // Two retries go to the other two instances, unless another client's request comes in between.
      for (let retry = 0; retry < 2; retry += 1) {
        const again = await api('POST', activities, { body, headers })
        expect(again.headers.get('idempotent-replayed')).toBe('true')
        expect(again.body).toEqual(created.body)
      }
      const { id } = created.body.activity
      expect((await api('PATCH', `${activities}/${id}`, { body: { risk: 'high' } })).status).toBe(200)
      expect((await api('GET', `${activities}/${id}`)).body.risk).toBe('high')
      const { body: checked } = await api('POST', `${activities}/check`, { body: { scope: body.scope } })
      expect(checked.related_activity_ids).toEqual([id])
      const noted = await api('POST', notables, { body: NOTABLE, headers })
      expect((await api('POST', notables, { body: NOTABLE, headers })).body).toEqual(noted.body)
      await api('POST', `${activities}/${id}/archive`)
      expect((await api('GET', `${activities}/${id}`)).body.status).toBe('archived')
      await api('POST', `${notables}/${noted.body.id}/archive`)
    }
  })
  await Promise.all(clients)
  const archived = await api('GET', at(SHOP, '/activity?status=archived&limit=100'))
  expect(archived.body.items).toHaveLength(24)
  expect((await api('GET', at(SHOP, '/notables?status=archived&limit=100'))).body.items).toHaveLength(24)
  expect(Math.min(...balancer.given)).toBeGreaterThan(50)
})

test('reconciliation visits each repository once and imports missed changes once', async () => {
  const urls = OTHERS.map((full_name) => {
    const { number } = deployment.githubServer.github.at(full_name).open({ files: ['src/pay.ts'] })
    return `${deployment.githubServer.url}/${full_name}/pull/${number}`
  })
  // This registers the repositories.
  for (const full_name of OTHERS)
    expect((await api('POST', at(full_name, '/activity'), { body: ACTIVITY })).status).toBe(201)
  await expect.poll(isIdle, WAIT_OPTIONS).toBe(true)
  const listings = () =>
    OTHERS.map((name) => deployment.githubServer.github.calls(`GET /repos/${name}/pulls`, 200))
  const before = listings()
  await query(`update repositories set reconciled_at = now() - interval '2 hours'`)
  await query(`update jobs set run_at = now() where id = 'reconcile_all'`)
  const tracked = async (full_name: string) => {
    const { body } = await api('GET', at(full_name, '/activity'))
    return body.items.filter(({ source }: { source: string }) => source === 'pull_request')
  }
  const all = async () => (await Promise.all(OTHERS.map(tracked))).flat().map(({ pr_url }) => pr_url)
  await expect.poll(all, WAIT_OPTIONS).toEqual(urls)
  await expect.poll(isIdle, WAIT_OPTIONS).toBe(true)
  expect(listings()).toEqual(before.map((count) => count + 1))
  expect(await all()).toEqual(urls)
})

/** Sets the clock of a process an hour ahead. */
const AHEAD = `const Own = Date
globalThis.Date = class extends Own {
  constructor(...given) { given.length > 0 ? super(...given) : super(Own.now() + 3_600_000) }
  static now() { return Own.now() + 3_600_000 }
}`

test('an instance whose clock is an hour ahead stores the time of the others, and its record is not the newest', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`
  const [ahead] = await deployment.start(1, { DATABASE_URL: database.database_url, NODE_OPTIONS })
  const apiAhead = apiAt(ahead?.url as string, 'ada')
  const created = await apiAhead('POST', at(SHOP, '/activity'), { body: ACTIVITY })
  const off_ms = Math.abs(Date.parse(created.body.activity.created_at) - Date.now())
  expect(off_ms).toBeLessThan(60_000)
  const after = await api('POST', at(SHOP, '/activity'), { body: ACTIVITY })
  const newest = await apiAhead('GET', at(SHOP, '/activity?limit=1'))
  expect(newest.body.items[0].id).toBe(after.body.activity.id)
})
