/** An unavailable database, or one with another schema: the responses, and what they never contain. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ACTIVITY, call, createRecords, outcome, outcomes, ROUTES } from '../support/routes.ts'
import { startTestService, useService } from '../support/service.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const { service } = useService()
let ids: { act: string; ntb: string }

beforeAll(async () => {
  ids = await createRecords(service)
})

const all = (names: string[], expected: string) => Object.fromEntries(names.map((name) => [name, expected]))

describe('a missing table', () => {
  const without = async (table: string, work: () => Promise<void>) => {
    const db = service.db
    const rename = (from: string, to: string) =>
      db.execute(sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`)
    await rename(table, 'elsewhere')
    try {
      await work()
    } finally {
      await rename('elsewhere', table)
    }
  }
  const named = (word: RegExp) => ROUTES.map(({ name }) => name).filter((name) => word.test(name))

  // Threat: SQL, a stack trace or a file path in a response
  test.each([
    ['repositories', named(/./)],
    ['activities', named(/Activit|Overlap/)],
    ['notables', named(/Notable|checkOverlap|createActivity/)],
  ])('(%s) is 500 on the operations that need it, and reveals no internals', async (table, names) => {
    const routes = ROUTES.filter(({ name }) => names.includes(name))
    await without(table, async () => {
      service.log.length = 0
      const answers = await outcomes(routes, async (route) => {
        const body = route.body && { ...route.body, scope: { paths: ['SecretPath'] } }
        const answer = await call(service, route, { ids, body })
        const text = JSON.stringify(answer.body)
        expect(text).not.toMatch(/select|insert|update "|relation|42P01|\.ts|\.js|node_modules| at /i)
        expect(Object.keys(answer.body.error).sort()).toEqual(['message', 'request_id', 'type'])
        return answer
      })
      expect(answers).toEqual(all(names, '500 internal_error'))
      expect(service.log.join('')).toContain('42P01')
      expect(service.log.join('')).not.toMatch(/select|insert|SecretPath|Bearer/i)
    })
    expect((await call(service, ROUTES[0] as (typeof ROUTES)[0])).status).toBe(200)
  })

  test('(idempotency_keys) leaves no record behind', async () => {
    const count = async () => (await service.list('?limit=100')).length
    const before = await count()
    await without('idempotency_keys', async () => {
      const headers = { 'Idempotency-Key': 'broken' }
      const answer = await service.api('POST', '/activity', { headers, body: ACTIVITY })
      expect(outcome(answer)).toBe('500 internal_error')
    })
    expect(await count()).toBe(before)
  })
})

describe('an unavailable database', () => {
  /** Another instance, which reaches the database through a proxy of its own. */
  const behindProxy = async () => {
    const way = await startTcpProxy(service.app.config.database_url as string)
    const other = await startTestService({ token: 'ada', config: { database_url: way.url } })
    onTestFinished(async () => {
      await other.close()
      await way.close()
    })
    return { way, other }
  }

  test('is 503 with Retry-After on every operation until it returns, and /readyz reports it', async () => {
    const { way, other } = await behindProxy()
    expect((await other.api('GET', '/readyz')).status).toBe(200)
    way.refuse()
    const answers = await outcomes(ROUTES, async (route) => {
      const answer = await call(other, route, { ids })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      return answer
    })
    expect(answers).toEqual(
      all(
        ROUTES.map(({ name }) => name),
        '503 service_unavailable',
      ),
    )
    expect(outcome(await other.api('GET', '/readyz'))).toBe('503 service_unavailable')
    expect((await other.api('GET', '/healthz')).status).toBe(200)
    way.restore()
    await expect.poll(async () => (await other.api('GET', '/readyz')).status).toBe(200)
    await expect.poll(async () => (await other.api('GET', `/activity/${ids.act}`)).status).toBe(200)
  })

  test('is handled when it fails just after connecting', async () => {
    const { way, other } = await behindProxy()
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    way.cutAtFirstQuery()
    for (let turn = 0; turn < 8; turn += 1) {
      expect(outcome(await other.api('GET', '/readyz'))).toBe('503 service_unavailable')
    }
    expect(unhandled).toEqual([])
  })
})
