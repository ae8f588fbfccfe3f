/** The claims index: rebuilt from the records, and purged under load. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { connectRaw } from '../support/postgres.ts'
import { runAdmin } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const SHOP = 'acme/shop'
const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }
const SCOPE = { areas: ['Checkout'], paths: ['src/pay/**', 'src/{a,b}/*.ts', 'README.md'] }
const NOTHING_WRONG = /, corrected: 0, stray: 0, miscounted: 0$/

let deployment: Deployment
let database: FreshDatabase
let api: Api
let env: { DATABASE_URL: string | undefined }

beforeAll(async () => {
  deployment = await startDeployment([SHOP])
  database = await freshDatabase()
  env = { DATABASE_URL: database.database_url }
  const [service] = await deployment.start(1, env)
  api = apiAt(service?.url as string, 'ada')
})
beforeEach(async () => {
  await runAdmin(env, 'purge', SHOP)
})
afterAll(async () => {
  await deployment.close()
  await database.drop()
})

const raw = () => connectRaw(database.database_url as string)
const query = async (statement: string) => {
  const sql = raw()
  const rows = await sql.unsafe(statement)
  await sql.end()
  return rows
}
const createActivity = async (body: object = {}, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await api('POST', '/activity', { body: { ...ACTIVITY, ...body }, headers })
  expect(answer.status).toBe(201)
  return answer.body.activity.id
}
const createNotable = async (body: object = {}): Promise<string> =>
  (await api('POST', '/notables', { body: { ...NOTABLE, ...body } })).body.id
const check = async (scope: object = SCOPE) =>
  (await api('POST', '/activity/check', { body: { scope } })).body
/** Returns the exit code and what was printed. */
const reindex = async () => {
  const { code, lines, errors } = await runAdmin(env, 'reindex')
  expect(errors).toEqual([])
  return { code, lines }
}

test('reindex makes checks find what the records say', async () => {
  const [bare, full, light, gone] = [
    await createActivity({ scope: SCOPE }),
    await createActivity({ scope: SCOPE }),
    await createActivity({ scope: SCOPE, risk: 'critical' }),
    await createActivity({ scope: SCOPE }),
  ]
  const everywhere = await createNotable()
  const before = await check()
  expect(before.related_activity_ids).toHaveLength(4)
  await query(`delete from claims where record_id = '${bare}' and kind > 0`)
  await query(`insert into claims select repo_id, '/docs/', 2, '', record_id, weight from claims
    where record_id = '${full}' and kind = 0`)
  await query(`update claims set weight = 0 where record_id = '${light}' and kind = 2`)
  await query(`delete from claims where record_id = '${everywhere}'`)
  await query(`delete from activities where id = '${gone}'`)
  await query(`update tallies set count = count + 2 where counted = 'ntb'`)
  expect(await reindex()).toEqual({
    code: 0,
    // The deleted activity had five claims; it and the two notables that do not exist were counted.
    lines: ['repositories: 1, records: 4, corrected: 4, stray: 5, miscounted: 3'],
  })
  expect(await reindex()).toEqual({ code: 0, lines: [expect.stringMatching(NOTHING_WRONG)] })
  expect(await check()).toMatchObject({
    related_activity_ids: before.related_activity_ids.filter((id: string) => id !== gone),
    related_notable_ids: [everywhere],
    total_related: 4,
    checked_against: { activities: 3, notables: 1 },
  })
})

test('reindex names records whose scope is not valid, and indexes the others', async () => {
  const [broken, other] = [await createActivity({ scope: SCOPE }), await createActivity({ scope: SCOPE })]
  await query(`update activities set scope = '{"areas": [], "paths": ["src/["]}' where id = '${broken}'`)
  await query(`delete from claims where record_id = '${other}'`)
  expect(await reindex()).toEqual({
    code: 1,
    lines: [
      `${broken} of repository 1: scope is not valid; fix or delete the record`,
      'repositories: 1, records: 2, corrected: 1, stray: 0, miscounted: 0',
    ],
  })
  expect(await query(`select distinct record_id from claims where record_id = '${other}'`)).toHaveLength(1)
})

test('reindex reads more records than one batch', async () => {
  for (let count = 0; count < 45; count += 1) await createActivity({ scope: SCOPE })
  await query('delete from claims')
  expect((await reindex()).lines).toEqual([
    expect.stringMatching(/^repositories: 1, records: 45, corrected: 45, /),
  ])
  expect((await check()).checked_against.activities).toBe(45)
})

/** Clients that create, change, archive and supersede records until they are stopped. */
function work(clients: number): { stop(): Promise<number> } {
  let isOver = false
  const client = async (name: number): Promise<number> => {
    let done = 0
    for (; !isOver; done += 1) {
      const scope = { ...SCOPE, paths: [`src/${name}/${done}/**`, 'src/{c,d}/*'] }
      const id = await createActivity({ scope }, { 'Idempotency-Key': `${name}-${done}` })
      await api('PATCH', `/activity/${id}`, { body: { scope: SCOPE, risk: 'high' } })
      const old = await createNotable({ scope })
      await createNotable({ supersedes: [old], scope })
      if (done % 2 === 0) await api('POST', `/activity/${id}/archive`)
    }
    return done
  }
  const all = Promise.all(Array.from({ length: clients }, (_, name) => client(name)))
  return {
    async stop() {
      isOver = true
      return (await all).reduce((sum, each) => sum + each, 0)
    },
  }
}

test('reindex finds nothing wrong in records that change meanwhile, and corrects the rest', async () => {
  const people = work(4)
  for (let time = 0; time < 4; time += 1)
    expect(await reindex()).toEqual({ code: 0, lines: [expect.stringMatching(NOTHING_WRONG)] })
  await query('update tallies set count = count + 3')
  await query(`delete from claims where kind > 0`)
  expect((await reindex()).code).toBe(0)
  expect(await people.stop()).toBeGreaterThan(4)
  expect(await reindex()).toEqual({ code: 0, lines: [expect.stringMatching(NOTHING_WRONG)] })
})

test('a record that is created during a purge is stored completely', async () => {
  const old = await createActivity({ scope: SCOPE })
  await createNotable()
  const [other, watch] = [raw(), raw()]
  let purging: ReturnType<typeof runAdmin> | undefined
  let id = ''
  await other.begin(async (tx) => {
    // The purge waits here: it has deleted the activities and nothing else.
    await tx`select 1 from notables for update`
    purging = runAdmin(env, 'purge', SHOP)
    const waiting = () =>
      watch`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting()).length, WAIT_OPTIONS).toBe(1)
    id = await createActivity({ scope: SCOPE }, { 'Idempotency-Key': 'new' })
  })
  expect((await purging)?.code).toBe(0)
  await Promise.all([other.end(), watch.end()])
  // Read before the next request, which would register the repository again.
  expect(await query('select repo_id from repositories')).toHaveLength(1)
  expect((await api('GET', `/activity/${old}`)).status).toBe(404)
  expect(await check()).toMatchObject({
    related_activity_ids: [id],
    checked_against: { activities: 1, notables: 0 },
  })
  expect(await createActivity({ scope: SCOPE }, { 'Idempotency-Key': 'new' })).toBe(id)
  expect(await reindex()).toEqual({ code: 0, lines: [expect.stringMatching(NOTHING_WRONG)] })
})

test('purges under load leave no partial records', async () => {
  const people = work(4)
  for (let time = 0; time < 4; time += 1) expect((await runAdmin(env, 'purge', SHOP)).errors).toEqual([])
  await people.stop()
  // A create in progress may have outlived its repository, which the next create registers again.
  await createActivity()
  expect(await reindex()).toEqual({ code: 0, lines: [expect.stringMatching(NOTHING_WRONG)] })
  await runAdmin(env, 'purge', SHOP)
  for (const table of ['activities', 'notables', 'claims', 'tallies', 'idempotency_keys', 'repositories'])
    expect(await query(`select * from ${table}`), table).toEqual([])
})
