/** Every kind of error on every operation that can return it, and their order of precedence. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ACTIVITY,
  call,
  createRecords,
  outcome,
  outcomes,
  pathOf,
  ROUTES,
  type Route,
} from '../support/routes.ts'
import { useService } from '../support/service.ts'

const { github, service } = useService()
let ids: { act: string; ntb: string }

beforeAll(async () => {
  github.token('rita', { login: 'rita', id: 2, permissions: { 'acme/shop': 'read' } })
  github.token('eve', { login: 'eve', id: 3, permissions: {} })
  ids = await createRecords(service)
})

const NOT_JSON = '{"title": '
const withBody = ROUTES.filter(({ method }) => method !== 'GET')
const withId = ROUTES.filter(({ record }) => record !== null)
/** The outcome of each of these routes. */
const all = (routes: Route[], expected: string) =>
  Object.fromEntries(routes.map(({ name }) => [name, expected]))

test('an error has a type, advice and the id of the request', async () => {
  const { status, headers, body } = await service.api('POST', '/activity', {
    body: { ...ACTIVITY, risk: 'huge' },
  })
  expect(status).toBe(422)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(body).toEqual({
    error: {
      type: 'validation_error',
      message: expect.stringMatching(/risk.*low, medium, high, critical/),
      param: 'risk',
      request_id: headers.get('x-request-id'),
    },
  })
})

describe('every operation', () => {
  test('that takes a body rejects an unknown field with 400', async () => {
    const answers = await outcomes(withBody, (route) => call(service, route, { ids, body: '{"colour": 1}' }))
    expect(answers).toEqual(all(withBody, '400 invalid_request'))
  })

  test('rejects an unknown query parameter with 400', async () => {
    const answers = await outcomes(ROUTES, (route) =>
      service.api(route.method, `${pathOf({ ...route, query: '' }, ids)}?verbose=1`, { body: route.body }),
    )
    expect(answers).toEqual(all(ROUTES, '400 invalid_request'))
  })

  test('rejects an id of another kind with 404', async () => {
    const swapped = { act: ids.ntb, ntb: ids.act }
    const answers = await outcomes(withId, (route) => call(service, route, { ids: swapped }))
    expect(answers).toEqual(all(withId, '404 not_found'))
  })
})

describe('of several errors, the first in the order 401, 403 or 404, 400, 422, 409 is returned', () => {
  test('403 or 404 before an invalid body', async () => {
    const answers = await outcomes(withBody, (route) =>
      call(service, route, { token: 'eve', body: NOT_JSON }),
    )
    expect(answers).toEqual(
      Object.fromEntries(
        withBody.map(({ name, record }) => [name, record ? '404 not_found' : '403 forbidden']),
      ),
    )
  })

  test('403 for read access before an invalid body', async () => {
    const writes = ROUTES.filter(({ access }) => access === 'write')
    const answers = await outcomes(writes, (route) =>
      call(service, route, { token: 'rita', ids, body: NOT_JSON }),
    )
    expect(answers).toEqual(all(writes, '403 forbidden'))
  })

  test.each([
    ['that is not JSON', NOT_JSON],
    ['that is too large', `{"title": "${'x'.repeat(1_048_576)}"}`],
  ])('404 of an unknown id before a body %s', async (_, body) => {
    const routes = withId.filter(({ method }) => method !== 'GET')
    const answers = await outcomes(routes, (route) => call(service, route, { body }))
    expect(answers).toEqual(all(routes, '404 not_found'))
  })

  test('422 before 409', async () => {
    const created = await service.api('POST', '/activity', { body: ACTIVITY })
    const { id } = created.body.activity
    await service.archive(id)
    const bad = await service.patch(id, { status: 'gone', risk: 'high' })
    expect(outcome(bad)).toBe('422 validation_error')
    const elsewhere = { pr_url: 'https://github.com/acme/other/pull/1', status: 'active' }
    const far = await service.patch(id, elsewhere)
    expect(outcome(far)).toBe('422 validation_error')
    const good = await service.patch(id, { status: 'active' })
    expect(outcome(good)).toBe('409 invalid_transition')
  })
})

test('rejected requests leave nothing behind', async () => {
  const { body } = await service.api('GET', '/activity?limit=100')
  const titles = body.items.map((item: { title: string }) => item.title)
  expect(new Set(titles)).toEqual(new Set([ACTIVITY.title]))
})
