/** Reservations of one directory on two instances that share a PostgreSQL database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { ACTIVITY } from '../support/routes.ts'
import { startTestService, type TestService } from '../support/service.ts'

const CLIENTS = 12

describe.skipIf(process.env.TEST_DATABASE_KIND === 'embedded')('on two instances', () => {
  const github = fakeGithub()
  const instances: TestService[] = []
  const on = (turn: number) => instances[turn % 2] as TestService

  beforeAll(async () => {
    github.repository({ id: 7, full_name: 'acme/shop' })
    github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
    const config = { rate_limit_per_minute: 100_000 }
    const first = await startTestService({ token: 'ada', config })
    const { database_url } = first.app.config
    instances.push(first, await startTestService({ token: 'ada', config: { ...config, database_url } }))
  })
  afterAll(async () => {
    for (const instance of instances.reverse()) await instance.close()
    github.close()
  })

  test(`${CLIENTS} clients at once get ${CLIENTS} numbers in a row, each its own`, async () => {
    const turns = Array.from({ length: CLIENTS }, (_, turn) => turn)
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
})
