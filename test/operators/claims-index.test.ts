/** The claims index: verified against the records, repaired, and purged under load. */
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
/** All areas are one claim, each path is one, and each brace alternative is one. */
const CLAIMS = 5
const NO_PROBLEM = /^problems: 0, repaired: 0, repositories: [01], rows: \d+$/

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
const verify = async (...args: string[]) => {
  const { code, lines, errors } = await runAdmin(env, 'verify', ...args)
  expect(errors).toEqual([])
  return { code, lines }
}

test('verify reports claims-index drift, and --repair removes it', async () => {
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

  const found = await verify()
  const expected = [
    [
      `claims of ${bare} of repository 1: ${CLAIMS - 1} of ${CLAIMS} are missing, so checks may miss this record`,
    ],
    [`claims of ${full} of repository 1: 1 should not exist`],
    [`claims of ${light} of repository 1: 1 have a weight other than 1`],
    [`claims of ${everywhere} of repository 1: 1 of 1 are missing, so checks may miss this record`],
    [`claims of ${gone} of repository 1: exist, but no live record has this id`],
    ['tallies of live activities of repository 1: count 4, but 3 are stored'],
    ['tallies of active notables of repository 1: count 3, but 1 are stored'],
  ]
  const sum = /, repositories: 1, rows: 4$/
  expect(found).toEqual({
    code: 1,
    lines: [...expected.map(([line]) => `${line}; run: verify --repair`), expect.stringMatching(sum)],
  })
  expect(await verify()).toEqual(found)
  const repaired = await verify('--repair')
  expect(repaired).toEqual({
    code: 0,
    lines: [...expected.map(([line]) => `${line}; repaired`), expect.stringMatching(sum)],
  })
  expect(repaired.lines.at(-1)).toMatch(/^problems: 0, repaired: 7, /)
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
  expect(await check()).toMatchObject({
    related_activity_ids: before.related_activity_ids.filter((id: string) => id !== gone),
    related_notable_ids: [everywhere],
    total_related: 4,
    checked_against: { activities: 3, notables: 1 },
  })
})

test('verify reports changed files of activities that ended, and --repair deletes them', async () => {
  const patch = '@@ -1 +1 @@\n-a\n+b\n'
  const scope = { changes: [{ path: 'src/a.ts', patch }, { path: 'src/b.ts' }] }
  const [live, ended, gone] = [
    await createActivity({ scope }),
    await createActivity({ scope }),
    await createActivity({ scope }),
  ]
  await query(`create table kept as select * from file_changes where activity_id <> '${live}'`)
  await api('POST', `/activity/${ended}/archive`)
  await api('POST', `/activity/${gone}/archive`)
  await query(`delete from activities where id = '${gone}'`)
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
  await query('insert into file_changes select * from kept')
  await query('drop table kept')
  const problem = 'of repository 1: exist, but no live activity has this id'
  const lines = [ended, gone].map((id) => `file_changes of ${id} ${problem}`)
  const sum = expect.stringMatching(/, repositories: 1, rows: 2$/)
  expect(await verify()).toEqual({
    code: 1,
    lines: [...lines.map((line) => `${line}; run: verify --repair`), sum],
  })
  expect(await verify('--repair')).toEqual({
    code: 0,
    lines: [...lines.map((line) => `${line}; repaired`), sum],
  })
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
  expect(await query('select distinct activity_id from file_changes')).toEqual([{ activity_id: live }])
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

test('records that change during verify or repair are not reported as drift', async () => {
  const people = work(4)
  for (let time = 0; time < 4; time += 1)
    expect(await verify(...(time % 2 === 0 ? [] : ['--repair']))).toEqual({
      code: 0,
      lines: [expect.stringMatching(NO_PROBLEM)],
    })
  await query('update tallies set count = count + 3')
  await query(`delete from claims where kind > 0`)
  const { code, lines } = await verify('--repair')
  expect(code).toBe(0)
  expect(lines.at(-1)).toEqual(expect.stringMatching(/^problems: 0, repaired: \d+, /))
  expect(await people.stop()).toBeGreaterThan(4)
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
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
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
})

test('purges under load leave no partial records', async () => {
  const people = work(4)
  for (let time = 0; time < 4; time += 1) expect((await runAdmin(env, 'purge', SHOP)).errors).toEqual([])
  await people.stop()
  // A create in progress may have outlived its repository, which the next create registers again.
  await createActivity()
  expect(await verify()).toEqual({ code: 0, lines: [expect.stringMatching(NO_PROBLEM)] })
  await runAdmin(env, 'purge', SHOP)
  for (const table of ['activities', 'notables', 'claims', 'tallies', 'idempotency_keys', 'repositories'])
    expect(await query(`select * from ${table}`), table).toEqual([])
})
