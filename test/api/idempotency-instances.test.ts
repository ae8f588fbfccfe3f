/** One Idempotency-Key on two instances that share a PostgreSQL database. */
import type { Sql, TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectRaw } from '../support/postgres.ts'
import { ACTIVITY, NOTABLE, outcome } from '../support/routes.ts'
import { type TestService, useInstances } from '../support/service.ts'

const { instances } = useInstances()
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
  (instances[turn % 2] as TestService).api('POST', path, { body, headers: { 'Idempotency-Key': key } })

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
