/** The sweep: what it stores, deletes and reports, in batches, also when several run at once. */
import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { purgeRepository } from '../../src/server/operations/admin/purge-store.ts'
import { type Swept, sweep } from '../../src/server/operations/sweep.ts'
import { repositories } from '../../src/server/records/repositories/table.ts'
import { DAY_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { newId } from '../../src/vocabulary/contract/field.ts'
import { whileBroken } from '../support/broken-table.ts'
import { rowsOf } from '../support/database.ts'
import { holdStatements } from '../support/held-statements.ts'
import { connectRaw } from '../support/postgres.ts'
import { type TestRepository, useRepository } from '../support/repository.ts'
import { ACTIVITY } from '../support/routes.ts'

const RETENTION_DAYS = 3

const { service, repo, repository } = useRepository({ retention_days: RETENTION_DAYS })

afterEach(() => service.deleteRecords())

const db = () => service.db
const inMs = (ms: number) => new Date(service.clock.now.getTime() + ms)

/** Makes every repository due, as after six minutes without a sweep. */
async function makeDue() {
  await db()
    .update(repositories)
    .set({ swept_at: inMs(-6 * MINUTE_MS) })
}

/** The number of rows by stored status. */
async function storedStatuses(table = 'activities'): Promise<Record<string, number>> {
  const result = await db().execute(
    sql`select status, count(*)::int as count from ${sql.identifier(table)} group by status`,
  )
  const rows = result as unknown as { status: string; count: number }[]
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const activity = (fields: Parameters<TestRepository['insertActivities']>[0][number] | object = {}) => ({
  id: newId('act', new Date()),
  ...fields,
})

describe('a sweep', () => {
  test('stores the expiry of expired activities only', async () => {
    await repo.insertActivities([
      activity({ expires_at: inMs(0) }),
      activity({ expires_at: inMs(-DAY_MS), status: 'paused' }),
      activity({ expires_at: inMs(0), status: 'merged' }),
      activity({ expires_at: inMs(-1), status: 'abandoned' }),
      activity({ expires_at: inMs(1) }),
      activity({ expires_at: inMs(1), status: 'merged' }),
      activity({ expires_at: inMs(0), status: 'archived', archived_at: inMs(-1) }),
    ])
    await repo.create({})
    await repo.createNotable({})
    await makeDue()
    expect(await sweep(service.app)).toMatchObject({ expired: 4, purged: 0, keys: 0 })
    expect(await storedStatuses()).toEqual({ expired: 2, archived: 3, active: 2, merged: 1 })
    expect(await storedStatuses('notables')).toEqual({ active: 1 })
  })

  test('runs in batches until nothing is left', async () => {
    await repo.create({})
    // A batch has 500.
    const due = Array.from({ length: 503 }, () => activity({ expires_at: inMs(0) }))
    const old = Array.from({ length: 3 }, () =>
      activity({ status: 'archived', archived_at: inMs(-RETENTION_DAYS * DAY_MS) }),
    )
    await repo.insertActivities([...due, ...old])
    await makeDue()
    expect(await sweep(service.app)).toMatchObject({ expired: 503, purged: 3 })
    expect(await storedStatuses()).toEqual({ active: 1, expired: 503 })
  })

  test('visits every repository, however many there are', async () => {
    const now = service.clock.now
    const rows = Array.from({ length: 501 }, (_, index) => ({
      repo_id: 900_000 + index,
      owner: 'acme',
      name: `many${index}`,
      created_at: now,
      swept_at: inMs(-6 * MINUTE_MS),
    }))
    await db().insert(repositories).values(rows)
    const swept = await sweep(service.app)
    await db().delete(repositories).where(sql`repo_id >= 900000`)
    expect(swept.repositories).toBe(501)
  })

  test('skips a repository that was swept less than five minutes ago', async () => {
    await repo.insertActivities([activity({ expires_at: inMs(MINUTE_MS) })])
    await repo.create({})
    await makeDue()
    await sweep(service.app)
    service.clock.advance(5 * MINUTE_MS - 1)
    expect(await sweep(service.app)).toEqual({ repositories: 0, expired: 0, purged: 0, keys: 0 })
    service.clock.advance(1)
    expect(await sweep(service.app)).toMatchObject({ expired: 1 })
  })
})

describe('a closed record is deleted RETENTION_DAYS later, to the millisecond:', () => {
  test.each<[string, 'activity' | 'notables', number, (id: string) => Promise<unknown>]>([
    [
      'paused work',
      'activity',
      0,
      async (id) => [await repo.patch(id, { status: 'paused' }), await repo.archive(id)],
    ],
    ['an activity whose expiry no sweep had stored', 'activity', 1, async () => {}],
    ['a finished activity', 'activity', 1, (id) => repo.patch(id, { status: 'merged' })],
    ['an archived notable', 'notables', 0, (id) => repo.request('POST', `/notables/${id}/archive`)],
    ['an expired notable', 'notables', 7, async () => {}],
  ])('%s', async (_, kind, days, close) => {
    const id = kind === 'activity' ? await repo.createActivity({ branch: 'a' }) : await repo.createNotable({})
    await close(id)
    await expectPurgedAfter((days + RETENTION_DAYS) * DAY_MS, `/${kind}/${id}`)
  })

  test('an activity whose expiry a sweep stored', async () => {
    const id = await repo.createActivity({})
    service.clock.advance(DAY_MS)
    await sweep(service.app)
    await expectPurgedAfter(RETENTION_DAYS * DAY_MS, `/activity/${id}`)
  })

  test('and an open record never, however old', async () => {
    await repo.configure({ activity_ttl_ms: 30 * DAY_MS, notable_ttl_ms: 30 * DAY_MS })
    const { activity } = await repo.create({})
    const id = await repo.createNotable({})
    service.clock.advance(30 * DAY_MS - 1)
    expect(await sweep(service.app)).toMatchObject({ expired: 0, purged: 0 })
    expect((await repo.read(activity.id)).status).toBe('active')
    expect((await repo.request('GET', `/notables/${id}`)).body.status).toBe('active')
  })

  async function expectPurgedAfter(ms: number, address: string) {
    service.clock.advance(ms - 1)
    expect((await sweep(service.app)).purged).toBe(0)
    await makeDue()
    service.clock.advance(1)
    expect((await sweep(service.app)).purged).toBe(1)
    expect(await repo.request('GET', address)).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found' } },
    })
    expect(await repo.check({ branch: 'a' })).toMatchObject({
      expected_activity_ids: [],
      related_notable_ids: [],
    })
  }
})

test('an idempotency key is kept for 24 hours, and then deleted', async () => {
  await repo.request('POST', '/activity', { body: ACTIVITY, headers: { 'Idempotency-Key': 'the-same' } })
  service.clock.advance(DAY_MS - 1)
  expect((await sweep(service.app)).keys).toBe(0)
  await makeDue()
  service.clock.advance(1)
  expect((await sweep(service.app)).keys).toBe(1)
})

test('a repository that fails is logged and skipped, and swept later', async () => {
  const others = [repo, repository(), repository()]
  for (const each of others) {
    await each.create({})
    await each.insertActivities(Array.from({ length: 20 }, () => activity({ expires_at: inMs(0) })))
  }
  await makeDue()
  const from = service.log.length
  const broken = {
    trigger: 'before update on activities for each row',
    condition: `new.repo_id = ${others[1]?.id}`,
  }
  const swept = await whileBroken(db(), broken, () => sweep(service.app))
  expect(swept.expired).toBe(40)
  const errors = service.log.slice(from).map((line) => JSON.parse(line))
  expect(errors.filter(({ level }) => level >= 50)).toMatchObject([
    { msg: 'repository not swept', repo_id: others[1]?.id, code: 'XX001' },
  ])
  await makeDue()
  expect((await sweep(service.app)).expired).toBe(20)
})

describe('concurrent sweeps', () => {
  const add = (all: Swept[], name: keyof Swept) => all.reduce((sum, swept) => sum + swept[name], 0)

  test('do everything once', async () => {
    const repos = Array.from({ length: 6 }, repository)
    for (const each of repos) {
      await each.create({})
      const old = inMs(-RETENTION_DAYS * DAY_MS)
      await each.insertActivities([
        ...Array.from({ length: 30 }, () => activity({ expires_at: inMs(0) })),
        ...Array.from({ length: 20 }, () => activity({ status: 'archived', archived_at: old })),
      ])
    }
    await makeDue()
    const all = await Promise.all(Array.from({ length: 4 }, () => sweep(service.app)))
    expect(add(all, 'expired')).toBe(180)
    expect(add(all, 'purged')).toBe(120)
    expect(await storedStatuses()).toEqual({ active: 6, expired: 180 })
    const known = await db().select().from(repositories)
    expect(add(all, 'repositories')).toBe(known.length)
  })

  test('skip a record that is being changed instead of waiting', async () => {
    const ids = [1, 2, 3].map(() => newId('act', new Date())) as [string, string, string]
    await repo.create({})
    await repo.insertActivities(ids.map((id) => activity({ id, expires_at: inMs(0) })))
    await makeDue()
    const other = connectRaw(service.app.config.database_url as string)
    await other.begin(async (tx) => {
      await tx`select 1 from activities where repo_id = ${repo.id} and id = ${ids[1]} for update`
      expect((await sweep(service.app)).expired).toBe(2)
    })
    await other.end()
    expect((await repo.read(ids[1])).status).toBe('expired')
    await makeDue()
    expect((await sweep(service.app)).expired).toBe(1)
  })
})

test('a purge waits for a change that has begun, and the change for nothing', async () => {
  const id = await repo.createActivity({})
  const held = holdStatements(/insert into "live_sets"/, 1)
  const changed = repo.patch(id, { risk: 'high' })
  await expect.poll(held.executed).toBe(1)
  const purged = purgeRepository(db(), repo.id)
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => rowsOf(await db().execute(waiting)).length).toBe(1)
  held.restore()
  expect((await changed).status).toBe(200)
  expect(await purged).toBeGreaterThan(0)
})
