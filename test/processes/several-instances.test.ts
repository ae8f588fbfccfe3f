/** Three instances on one PostgreSQL, and one whose clock is wrong. */
import { beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { runOn } from '../support/database.ts'
import { ACTIVITY } from '../support/routes.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'

const NAMES = Array.from({ length: 5 }, (_, index) => `acme/shop-${index}`)
const [SHOP, ...OTHERS] = NAMES as [string, ...string[]]

const database = useDatabase()
const deployment = useDeployment(NAMES)
let api: Api

beforeAll(async () => {
  const [first] = await deployment.start(3, { DATABASE_URL: database.database_url })
  api = apiAt(first?.url as string, 'ada')
})

const query = (statement: string) => runOn(database.database_url as string, statement)
const at = (full_name: string, path: string) => `/api/v1/repos/${full_name}${path}`
const isIdle = async () => {
  const rows = await query(
    `select 1 from jobs where state = 'pending' and (run_at <= now() or leased_until > now())`,
  )
  return rows.length === 0
}

test('reconciliation visits each repository once and imports missed changes once', async () => {
  const urls = OTHERS.map((full_name) => {
    const { number } = deployment.github.at(full_name).open({ files: ['src/pay.ts'] })
    return `${deployment.url}/${full_name}/pull/${number}`
  })
  // This registers the repositories.
  for (const full_name of OTHERS)
    expect((await api('POST', at(full_name, '/activity'), { body: ACTIVITY })).status).toBe(201)
  await expect.poll(isIdle).toBe(true)
  const listings = () => OTHERS.map((name) => deployment.github.calls(`GET /repos/${name}/pulls`, 200))
  const before = listings()
  await query(`update repositories set reconciled_at = now() - interval '2 hours'`)
  await query(`update jobs set run_at = now() where id = 'reconcile_all'`)
  const tracked = async (full_name: string) => {
    const { body } = await api('GET', at(full_name, '/activity'))
    return body.items.filter(({ source }: { source: string }) => source === 'pull_request')
  }
  const all = async () => (await Promise.all(OTHERS.map(tracked))).flat().map(({ pr_url }) => pr_url)
  await expect.poll(all).toEqual(urls)
  await expect.poll(isIdle).toBe(true)
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
