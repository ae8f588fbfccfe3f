/** Permissions over HTTP, which GitHub decides for the caller's own token. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { SSO_URL } from '../support/github-reply.ts'
import type { Fault } from '../support/github-world.ts'
import { ACTIVITY, call, createRecords, outcome, outcomes, ROUTES } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const SHOP = 'GET /repos/acme/shop'

const { github, service } = useService()

/** A token that is not cached, so that GitHub has to be called. */
let tokens = 0
const newToken = () => `tok-${++tokens}`

describe('GitHub’s permissions decide', () => {
  test.each(['read', 'write', 'admin'] as const)('for a token with %s', async (role) => {
    github.token('role', { login: 'rita', id: 2, permissions: { 'acme/shop': role } })
    service.clock.advance(60_001)
    const ids = await createRecords(service)
    const answers = await outcomes(ROUTES, (route) => call(service, route, { token: 'role', ids }))
    const rank = ['read', 'write', 'admin']
    const expected = ROUTES.map(({ name, success, untracked, access }) => [
      name,
      rank.indexOf(role) < rank.indexOf(access)
        ? '403 forbidden'
        : untracked
          ? '404 not_found'
          : String(success),
    ])
    expect(answers).toEqual(Object.fromEntries(expected))
  })

  test.each([
    ['triage', '403 forbidden'],
    ['maintain', '201'],
  ] as const)('for a token with %s, whose create is %s', async (role, expected) => {
    github.token('role', { login: 'rita', id: 2, permissions: { 'acme/shop': role } })
    service.clock.advance(60_001)
    expect((await service.api('GET', '/activity', { token: 'role' })).status).toBe(200)
    expect(outcome(await service.api('POST', '/activity', { token: 'role', body: ACTIVITY }))).toBe(expected)
    expect(outcome(await service.api('POST', '/farewell', { token: 'role' }))).toBe('403 forbidden')
  })

  test('for an outside user of a public repository, who has read access', async () => {
    github.repository({ id: 9, full_name: 'acme/open', private: false })
    github.token('stranger', { login: 'sam', id: 3, permissions: {} })
    const open = '/api/v1/repos/acme/open'
    const listed = await service.api('GET', `${open}/activity`, { token: 'stranger' })
    expect(listed.status).toBe(200)
    const created = await service.api('POST', `${open}/activity`, { token: 'stranger', body: ACTIVITY })
    expect(outcome(created)).toBe('403 forbidden')
  })
})

/** The errors on collection routes, and on routes with an id. */
const refusals: [string, Fault | 'invisible' | 'unknown token', string, string][] = [
  ['a 404', 'invisible', '403 forbidden', '404 not_found'],
  ['a 403 that is not a rate limit', 'forbidden', '403 forbidden', '404 not_found'],
  ['a 403 that asks for single sign-on', 'sso_required', '403 forbidden', '403 forbidden'],
  ['a 401', 'unknown token', '401 unauthorized', '401 unauthorized'],
  ['a 403 with nothing remaining', 'rate_limited', '429 rate_limited', '429 rate_limited'],
  ['a 403 with retry-after', 'secondary_rate_limited', '429 rate_limited', '429 rate_limited'],
  ['a 403 that names a rate limit', 'limited_without_header', '429 rate_limited', '429 rate_limited'],
  ['a 403 that names failed logins', 'login_attempts', '429 rate_limited', '429 rate_limited'],
  ['a 429', 'too_many_requests', '429 rate_limited', '429 rate_limited'],
  ['a 500', 'server_error', '503 service_unavailable', '503 service_unavailable'],
  ['a 502 page', 'bad_gateway', '503 service_unavailable', '503 service_unavailable'],
  ['a 503 page', 'unavailable', '503 service_unavailable', '503 service_unavailable'],
  ['a body that is not JSON', 'nonsense', '503 service_unavailable', '503 service_unavailable'],
  ['JSON that is not a repository', 'wrong_shape', '503 service_unavailable', '503 service_unavailable'],
  ['a dropped connection', 'reset', '503 service_unavailable', '503 service_unavailable'],
  ['a timeout', 'timed_out', '503 service_unavailable', '503 service_unavailable'],
]

/** The answers that differ for a record are tried on every route, and the others on a few. */
const ON_EVERY_ROUTE = ['invisible', 'sso_required']
const FEW = ['listActivities', 'createNotable', 'getNotable', 'archiveActivity']

test.each(refusals)('%s from GitHub rejects reads and writes alike', async (_, fault, onCollection, onId) => {
  const ids = await createRecords(service)
  const routes = ON_EVERY_ROUTE.includes(fault) ? ROUTES : ROUTES.filter(({ name }) => FEW.includes(name))
  if (fault !== 'invisible' && fault !== 'unknown token') github.fault(SHOP, fault)
  const answers = await outcomes(routes, (route) => {
    const token = newToken()
    if (fault !== 'unknown token') github.token(token, { login: 'eve', id: 4, permissions: {} })
    return call(service, route, { token, ids })
  })
  expect(answers).toEqual(
    Object.fromEntries(routes.map(({ name, record }) => [name, record === null ? onCollection : onId])),
  )
})

test.each([
  ['the seconds of retry-after', 'too_many_requests', 60, 60],
  ['the seconds of retry-after on a 403', 'secondary_rate_limited', 60, 60],
  ['a minute on a 403 that only names a rate limit', 'limited_without_header', 60, 60],
  ['at most an hour until the quota of GitHub is reset', 'rate_limited', 1, 3600],
  ['a moment while GitHub is down', 'bad_gateway', 1, 60],
] as const)('Retry-After names %s', async (_, fault, least, most) => {
  github.fault(SHOP, fault)
  const { headers } = await service.api('GET', '/activity', { token: newToken() })
  const seconds = Number(headers.get('retry-after'))
  expect(Number.isInteger(seconds) && seconds >= least && seconds <= most).toBe(true)
})

test('a token that is not authorised for single sign-on is told where, with and without an id', async () => {
  const { act } = await createRecords(service)
  github.fault(SHOP, 'sso_required')
  for (const path of ['/activity', `/activity/${act}`]) {
    const token = newToken()
    github.token(token, { login: 'eve', id: 4, permissions: {} })
    const { status, body } = await service.api('GET', path, { token })
    expect([status, body.error.message]).toEqual([403, `authorise your token for SAML at ${SSO_URL}`])
  }
})

test('a request to GitHub that gets no response times out', async () => {
  github.fault(SHOP, 'silent')
  const timeout = AbortSignal.timeout
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100))
  const answer = await service.api('GET', '/activity', { token: newToken() })
  expect(outcome(answer)).toBe('503 service_unavailable')
  expect(timeouts).toHaveBeenCalledWith(5000)
  timeouts.mockRestore()
})

describe('without a token', () => {
  // Failed tokens are limited per minute.
  beforeEach(() => service.clock.advance(60_000))

  test('every route is rejected without calling GitHub, whatever its body', async () => {
    const before = github.calls('*')
    for (const route of ROUTES) {
      const body = route.method === 'GET' ? {} : { body: '{not json' }
      const answer = await call(service, route, { token: null, ...body })
      expect(outcome(answer), route.name).toBe('401 unauthorized')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(github.calls('*')).toBe(before)
  })

  test('a token that GitHub rejects gets another error than a missing one', async () => {
    const answer = await service.api('GET', '/activity', { token: newToken() })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  })
})
