/** The limits of live activities and active notables per repository. */
import { describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'
import { ACTIVITY, NOTABLE, outcome } from '../support/routes.ts'

const LIMIT = 10
const DAY_MS = 86_400_000

const { service, repository: repo } = usePullRequests({ config: { max_live_activities: LIMIT } })

const createActivity = () => repo.request('POST', '/activity', { body: ACTIVITY })
const raise = (body: object = {}) => repo.request('POST', '/notables', { body: { ...NOTABLE, ...body } })
const fill = () => Promise.all(Array.from({ length: LIMIT }, createActivity))
const list = async () => await repo.list('?limit=100')

describe('live activities', () => {
  // Threat: Many records
  test('are as many as the limit of many concurrent creates, and can still be read, checked and changed', async () => {
    const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, createActivity))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(2 * LIMIT)
    expect(refused[0]?.body.error.message).toContain(`limit of ${LIMIT} live activities`)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const items = await list()
    expect(items).toHaveLength(LIMIT)
    const paths = { scope: { paths: ['src/other.ts'] } }
    const request = async (method: string, path: string, body?: object) =>
      outcome(await repo.request(method, `/activity/${path}`, body && { body }))
    expect(await request('GET', items[0].id)).toBe('200')
    expect(await request('POST', 'check', paths)).toBe('200')
    expect(await request('PATCH', items[0].id, paths)).toBe('200')
  })

  test('can be created again when one is archived or expires, even without a sweep', async () => {
    const [first] = await fill()
    await repo.archive(first?.body.activity.id)
    expect(outcome(await createActivity())).toBe('201')
    expect(outcome(await createActivity())).toBe('429 rate_limited')
    service.clock.advance(DAY_MS)
    expect(outcome(await createActivity())).toBe('201')
    expect(await list()).toHaveLength(1)
  })

  test('return the first response to a repeated idempotency key', async () => {
    const create = (key: string) =>
      repo.request('POST', '/activity', { body: ACTIVITY, headers: { 'Idempotency-Key': key } })
    const { body } = await create('first')
    await fill()
    expect((await create('first')).body.activity.id).toBe(body.activity.id)
    expect(outcome(await create('another'))).toBe('429 rate_limited')
    expect(outcome(await create('another'))).toBe('429 rate_limited')
  })
})

test('a pull request is not tracked at the limit, which is logged, and is tracked below it', async () => {
  const effects = () => service.log.filter((line) => line.includes('"over_limit":1'))
  repo.githubRepo.open({ number: 1, files: ['src/pay.ts'] })
  const [first] = await fill()
  const logged = effects().length
  await service.deliverAndRun(repo.event(1, 'opened'))
  expect(await repo.tracked()).toEqual([])
  expect(effects().length).toBeGreaterThan(logged)
  await repo.archive(first?.body.activity.id)
  await service.deliverAndRun(repo.event(1, 'synchronize'))
  expect(await repo.tracked()).toHaveLength(1)
})

describe('active notables', () => {
  // Threat: Many records
  test('are limited to a tenth', async () => {
    expect(outcome(await raise())).toBe('201')
    const refused = await raise()
    expect(outcome(refused)).toBe('429 rate_limited')
    expect(refused.body.error.message).toContain('limit of 1 active notable')
    service.clock.advance(8 * DAY_MS)
    expect(outcome(await raise())).toBe('201')
  })

  test('can be superseded at the limit', async () => {
    const { body } = await raise()
    expect(outcome(await raise({ supersedes: [body.id] }))).toBe('201')
    expect(outcome(await raise())).toBe('429 rate_limited')
  })
})
