/** The access log: one line per request, without tokens, bodies or values of queries. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ACTIVITY, call, createRecords, NOTABLE, ROUTES } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const { service } = useService({ token: 'TokenSecret' })

beforeEach(() => {
  service.log.length = 0
})

/** The lines so far, as soon as there are at least `count`: a line is written after its response. */
async function lines(count: number): Promise<Record<string, unknown>[]> {
  await expect.poll(() => service.log.length).toBeGreaterThanOrEqual(count)
  return service.log.map((line) => JSON.parse(line))
}

test('each operation logs one line with the request and its outcome', async () => {
  const ids = await createRecords(service)
  await lines(2)
  service.log.length = 0
  const request_ids: (string | null)[] = []
  for (const route of ROUTES)
    request_ids.push((await call(service, route, { ids })).headers.get('x-request-id'))
  const logged = await lines(ROUTES.length)
  expect(logged).toHaveLength(ROUTES.length)
  for (const [at, { name, method, success, untracked }] of ROUTES.entries()) {
    const line = logged.find(({ request_id }) => request_id === request_ids[at])
    expect(line).toMatchObject({
      method,
      operation: name,
      status: untracked ?? success,
      ms: expect.any(Number),
    })
  }
})

test.each([
  ['GET', '/activity/none', 'TokenSecret', 404, 'not_found'],
  ['GET', '/activity', 'WrongSecret', 401, 'unauthorized'],
  ['PUT', '/activity', 'TokenSecret', 405, 'method_not_allowed'],
  ['GET', '/api/v1/none', 'TokenSecret', 404, 'not_found'],
] as const)(
  '%s %s that is rejected logs one line with its type',
  async (method, path, token, status, error_type) => {
    const { headers } = await service.api(method, path, { token })
    const request_id = headers.get('x-request-id')
    expect(await lines(1)).toEqual([expect.objectContaining({ request_id, method, status, error_type })])
  },
)

describe('no line contains tokens, bodies or query values', () => {
  const body = { ...ACTIVITY, title: 'BodySecret', scope: { paths: ['PathSecret'] } }
  const cases: [string, () => Promise<unknown>][] = [
    ['a create', () => service.api('POST', '/activity', { body })],
    [
      'a create with a key',
      () => service.api('POST', '/notables', { body: { ...NOTABLE, title: 'BodySecret' } }),
    ],
    ['a wrong value', () => service.api('POST', '/activity', { body: { ...body, risk: 'RiskSecret' } })],
    ['an unknown field', () => service.api('POST', '/activity', { body: { ...body, FieldSecret: 1 } })],
    ['broken JSON', () => service.api('POST', '/activity', { body: '{"title": "BodySecret' })],
    ['a query', () => service.api('GET', '/activity?actor=QuerySecret&branch=QuerySecret')],
    ['a wrong query', () => service.api('GET', '/activity?cursor=QuerySecret')],
    ['a query of no operation', () => service.api('GET', '/api/v1/none?token=QuerySecret')],
    ['a token that GitHub refuses', () => service.api('GET', '/activity', { token: 'WrongSecret' })],
    [
      'another scheme',
      () => service.api('GET', '/activity', { headers: { authorization: 'Basic BasicSecret' }, token: null }),
    ],
    [
      'an idempotency key',
      () => service.api('POST', '/activity', { body, headers: { 'idempotency-key': 'KeySecret' } }),
    ],
  ]
  // Threat: A token in a log, an error, the metrics or the database
  test.each(cases)('of %s', async (_, send) => {
    await send()
    await lines(1)
    expect(service.log.join('')).not.toMatch(/Secret/i)
  })
})
