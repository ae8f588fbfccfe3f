/** What two instances that share a PostgreSQL database agree on: keys, numbers and issues. What meets what: `overlap-shared.test.ts` and `test/faults/histories.test.ts`. */
import type { Sql, TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/api.ts'
import { connectRaw } from '../support/postgres.ts'
import { ACTIVITY, NOTABLE, outcome } from '../support/routes.ts'
import { type TestService, useInstances } from '../support/service.ts'

const CLIENTS = 12
const turns = Array.from({ length: CLIENTS }, (_, turn) => turn)

const instances = useInstances()
const on = (turn: number) => instances[turn % 2] as TestService

test(`${CLIENTS} clients at once get ${CLIENTS} numbers in a row, each its own`, async () => {
  const ids = await Promise.all(
    turns.map(async (turn) => {
      const body = { ...ACTIVITY, branch: `work-${turn}` }
      return (await on(turn).api('POST', '/activity', { body })).body.activity.id as string
    }),
  )
  const reserve = (turn: number) =>
    on(turn).api('POST', `/activity/${ids[turn]}/number`, { body: { directory: 'db/migrations' } })
  const answers = await Promise.all(turns.map(reserve))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const expected = turns.map((turn) => String(turn + 1).padStart(4, '0'))
  expect(answers.map(({ body }) => body.number).sort()).toEqual(expected)
  const again = await Promise.all(turns.map((turn) => reserve(turn + 1 === CLIENTS ? 0 : turn + 1)))
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
})

const create = (turn: number, issue: number | null, clock_ms = 0) => {
  // The clocks of the instances differ, so the order of the timestamps is not that of the commits.
  instances[1]?.clock.advance(-clock_ms)
  const body = { ...ACTIVITY, branch: `work-${turn}`, issue }
  return on(turn).api('POST', '/activity', { body })
}
const idsOf = (answers: Answer[]) => answers.map(({ body }) => body.activity.id as string)
/** What the activities say: the ids of those that hold the issue, and of those that are named as its holder. */
const holders = async (ids: string[]) => {
  const read = await Promise.all(
    ids.map(async (id, turn) => (await on(turn).api('GET', `/activity/${id}`)).body),
  )
  return {
    claimed: read.filter(({ issue }) => issue.claimed).map(({ id }) => id),
    named: [...new Set(read.map(({ issue }) => issue.holder?.activity_id))],
  }
}

test(`of ${CLIENTS} clients that create at once, one claims the issue, and all are told of it`, async () => {
  const answers = await Promise.all(turns.map((turn) => create(turn, 7, 10)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const claimed = answers.filter(({ body }) => body.issue.claimed)
  expect(claimed).toHaveLength(1)
  const [holder] = idsOf(claimed)
  expect(new Set(answers.map(({ body }) => body.issue.holder.activity_id))).toEqual(new Set([holder]))
  expect(await holders(idsOf(answers))).toEqual({ claimed: [holder], named: [holder] })
})

test('of those that are put on an issue by updates at once, one holds it', async () => {
  const ids = idsOf(await Promise.all(turns.map((turn) => create(turn, null))))
  await Promise.all(ids.map((id, turn) => on(turn).api('PATCH', `/activity/${id}`, { body: { issue: 8 } })))
  const { claimed, named } = await holders(ids)
  expect(claimed).toHaveLength(1)
  expect(named).toEqual(claimed)
})

test('after a failover that lost commits, every instance knows what was committed since', async () => {
  const scope = { paths: ['src/late.ts'] }
  const check = async () =>
    (await on(0).api('POST', '/activity/check', { body: { scope } })).body.overlap_detected
  await create(0, null)
  expect(await check()).toBe(false)
  await raw`update live_sets set version = version - 1`
  await on(1).api('POST', '/activity', { body: { ...ACTIVITY, scope } })
  await raw`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await expect.poll(check).toBe(true)
})

let raw: Sql

beforeAll(() => {
  raw = connectRaw(instances[0]?.app.config.database_url as string)
})
afterAll(() => raw.end())

/** The number of locked keys: on one server as on a cluster, a create locks its key first. */
const keysInUse = async (tx: TransactionSql): Promise<number> => {
  const [row] = await tx<{ n: number }[]>`select count(*)::int as n from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`
  return row?.n ?? 0
}

const send = (turn: number, path: string, body: object, key: string) =>
  on(turn).api('POST', path, { body, headers: { 'Idempotency-Key': key } })

describe.each([
  ['activities', '/activity', ACTIVITY],
  ['notables', '/notables', NOTABLE],
])('a create in %s', (table, path, body) => {
  const count = async () => (await raw`select count(*)::int as n from ${raw(table)}`)[0]?.n

  test('is 409 while the first one is running, and is replayed afterwards', async () => {
    const key = `held ${table}`
    const before = await count()
    let first: ReturnType<typeof send> | undefined
    // The first create inserts its record and then waits.
    await raw.begin(async (tx) => {
      await tx`lock table ${tx(table)} in exclusive mode`
      first = send(0, path, body, key)
      // Citus has advisory locks of its own besides.
      await expect.poll(() => keysInUse(tx)).toBeGreaterThan(0)
      for (const turn of [0, 1]) {
        const second = await send(turn, path, body, key)
        expect(outcome(second)).toBe('409 idempotency_conflict')
        expect(second.body.error.param).toBe('Idempotency-Key')
        expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    })
    const created = await first
    expect(created?.status).toBe(201)
    const again = await send(1, path, body, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(created?.body)
    expect(await count()).toBe(before + 1)
  })

  test('creates one record for any number of concurrent requests', async () => {
    const before = await count()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => send(turn, path, body, `race ${turn % 4} ${table}`)),
    )
    for (const answer of answers) expect(outcome(answer)).toBeOneOf(['201', '409 idempotency_conflict'])
    expect(await count()).toBe(before + 4)
    for (let turn = 0; turn < 4; turn += 1) {
      const replay = await send(turn, path, body, `race ${turn} ${table}`)
      const shown = answers.filter((answer, at) => at % 4 === turn && answer.status === 201)
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      for (const answer of shown) expect(answer.body).toEqual(replay.body)
    }
  })
})
