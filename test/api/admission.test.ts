/** Admission: the same token check, limit of failed tokens and quota on every surface. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { postMcp } from '../support/api.ts'
import { outcome } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const FAILED_MAX = 100
const MINUTE_MS = 60_000
const LIMIT = 10

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
const { github, service } = useService({ config: { rate_limit_per_minute: LIMIT } })
beforeAll(() => {
  for (const login of ['ada', 'bob', ...names('good', FAILED_MAX + 1)])
    github.token(login, { login, id: login.length, permissions: { 'acme/shop': 'write' } })
  github.installation('workflow', { 'acme/shop': 'write' })
})
// Resets every quota, and expires every cached token.
afterEach(() => advance(10 * MINUTE_MS))
afterAll(() => void vi.useRealTimers())

/** Tokens are cached by the clock of the service, and quotas go by the time of the process. */
function advance(ms: number): void {
  service.clock.advance(ms)
  vi.setSystemTime(Date.now() + ms)
}

function names(stem: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${stem}-${index}`)
}

type Door = (authorization: string | undefined) => Promise<Response>

const header = (authorization: string | undefined): Record<string, string> =>
  authorization === undefined ? {} : { authorization }

const message =
  (method: string, params: object): Door =>
  (authorization) =>
    postMcp(service.url, { method, params }, header(authorization))

const clientInfo = { name: 'a-test', version: '1' }
const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
const toolCall = { name: 'list_work', arguments: { repository: 'acme/shop' } }

const DOORS: Record<string, Door> = {
  REST: (authorization) =>
    fetch(`${service.url}/api/v1/repos/acme/shop/activity`, { headers: header(authorization) }),
  'the older base of REST': (authorization) =>
    fetch(`${service.url}/v1/repos/acme/shop/activity`, { headers: header(authorization) }),
  'MCP initialize': message('initialize', initialize),
  'MCP tools/list': message('tools/list', {}),
  'MCP tools/call': message('tools/call', toolCall),
}
const doors = Object.entries(DOORS)

/** The status, with the error type of a failure. */
async function through(door: Door, token: string | null): Promise<string> {
  const response = await door(token === null ? undefined : `Bearer ${token}`)
  if (response.ok) await response.body?.cancel()
  return outcome({ ...response, status: response.status, body: response.ok ? null : await response.json() })
}

/** The number of requests by outcome. */
async function tally(answers: Promise<string>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const answer of await Promise.all(answers)) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}

const fail = (count: number) =>
  tally(names('made-up', count).map((token) => through(DOORS.REST as Door, token)))

describe.each(doors)('%s', (_, door) => {
  test('accepts user and installation tokens and counts them on their quotas', async () => {
    for (const token of ['ada', 'workflow']) {
      const left: number[] = []
      for (let turn = 0; turn < 2; turn += 1) {
        const response = await door(`Bearer ${token}`)
        expect(response.status).toBe(200)
        left.push(Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]))
        await response.body?.cancel()
      }
      expect(left).toEqual([LIMIT - 1, LIMIT - 2])
    }
  })

  test('rejects a caller whose quota is exhausted without calling GitHub', async () => {
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await through(door, 'ada')).toBe('200')
    const before = github.calls('*')
    expect(await through(door, 'ada')).toBe('429 rate_limited')
    expect(github.calls('*')).toBe(before)
    expect(await through(door, 'bob')).toBe('200')
  })

  test.each([
    ['no token', undefined],
    ['another scheme', 'Basic YWRhOmFkYQ=='],
    ['an empty token', 'Bearer '],
    ['the scheme of GitHub alone', 'token ada'],
    ['no token after the scheme', 'Bearer'],
    ['a token with blanks', 'Bearer a b'],
    ['a token that is too long', `Bearer ${'x'.repeat(2001)}`],
  ])('rejects %s without calling GitHub', async (_, authorization) => {
    const before = github.calls('*')
    const response = await door(authorization)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(github.calls('*')).toBe(before)
  })
})

describe('failed tokens of an address', () => {
  test('are counted together across all surfaces', async () => {
    for (let turn = 0; turn < FAILED_MAX; turn += 1) {
      const [, door] = doors[turn % doors.length] as [string, Door]
      expect(await through(door, 'made-up')).toBe('401 unauthorized')
    }
    for (const [, door] of doors) expect(await through(door, 'made-up')).toBe('429 rate_limited')
  })

  test('do not include requests without a token, through any surface', async () => {
    const doorOf = (turn: number) => doors[turn % doors.length]?.[1] as Door
    const requests = Array.from({ length: FAILED_MAX + 1 }, (_, turn) => through(doorOf(turn), null))
    expect(await tally(requests)).toEqual({ '401 unauthorized': FAILED_MAX + 1 })
    expect(await fail(FAILED_MAX)).toEqual({ '401 unauthorized': FAILED_MAX })
    expect(await through(doorOf(0), null)).toBe('401 unauthorized')
  })

  // Threat: Guessing tokens
  test('are limited to 100 per minute, and cause no more calls to GitHub', async () => {
    const before = github.calls('*')
    expect(await fail(2 * FAILED_MAX)).toEqual({
      '401 unauthorized': FAILED_MAX,
      '429 rate_limited': FAILED_MAX,
    })
    expect(github.calls('*')).toBe(before + FAILED_MAX)
    advance(MINUTE_MS - 1)
    const refused = await service.api('GET', '/activity', { token: 'made-up' })
    expect(outcome(refused)).toBe('429 rate_limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    advance(1)
    expect(await fail(1)).toEqual({ '401 unauthorized': 1 })
  })

  test('are not counted before GitHub answers: any number of valid tokens is accepted', async () => {
    const arrivals = names('good', FAILED_MAX + 1).map((token) => through(DOORS.REST as Door, token))
    expect(await tally(arrivals)).toEqual({ '200': FAILED_MAX + 1 })
    expect(await fail(FAILED_MAX + 1)).toEqual({ '401 unauthorized': FAILED_MAX, '429 rate_limited': 1 })
  })

  test('include a token that GitHub accepted earlier', async () => {
    github.token('leaver', { login: 'leaver', id: 9, permissions: { 'acme/shop': 'write' } })
    expect(await through(DOORS.REST as Door, 'leaver')).toBe('200')
    github.revoke('leaver')
    advance(MINUTE_MS + 1)
    expect(await through(DOORS.REST as Door, 'leaver')).toBe('401 unauthorized')
    expect(await fail(FAILED_MAX)).toEqual({ '401 unauthorized': FAILED_MAX - 1, '429 rate_limited': 1 })
  })

  test('reject every unknown token, also one that GitHub accepted more than five minutes ago, and no known one', async () => {
    expect(await through(DOORS.REST as Door, 'ada')).toBe('200')
    advance(5 * MINUTE_MS + 1)
    expect(await through(DOORS.REST as Door, 'workflow')).toBe('200')
    await fail(FAILED_MAX)
    for (const [, door] of doors)
      for (const [token, expected] of [
        ['ada', '429 rate_limited'],
        ['bob', '429 rate_limited'],
        ['workflow', '200'],
      ] as const)
        expect(await through(door, token)).toBe(expected)
    advance(MINUTE_MS)
    expect(await through(DOORS.REST as Door, 'bob')).toBe('200')
  })
})

test('while GitHub is unavailable, an address without a known token makes no more calls than one caller', async () => {
  github.fault('*', 'server_error')
  const before = github.calls('*')
  for (let turn = 0; turn < LIMIT; turn += 1)
    expect(await through(DOORS.REST as Door, `unknown-${turn}`)).toBe('503 service_unavailable')
  expect(await through(DOORS.REST as Door, 'another')).toBe('429 rate_limited')
  expect(github.calls('*')).toBe(before + LIMIT)
})

test('while GitHub does not answer, an address has 100 tokens verified at once, and known ones do not wait', async () => {
  const door = DOORS.REST as Door
  expect(await through(door, 'ada')).toBe('200')
  github.fault('*', 'silent')
  const before = github.calls('*')
  const waiting = names('unknown', FAILED_MAX + 20).map((token) => through(door, token))
  await expect.poll(() => github.calls('*')).toBe(before + FAILED_MAX)
  expect(await through(door, 'ada')).toBe('200')
  expect(github.calls('*')).toBe(before + FAILED_MAX)
  github.clearFaults()
  await Promise.all(waiting)
})

test('MCP verifies a token once in five minutes and not again for its tools', async () => {
  const asks = async (door: string) => {
    const before = github.calls('GET /user')
    expect(await through(DOORS[door] as Door, 'ada')).toBe('200')
    return github.calls('GET /user') - before
  }
  expect(await asks('MCP initialize')).toBe(1)
  expect(await asks('MCP tools/list')).toBe(0)
  expect(await asks('MCP tools/call')).toBe(0)
  advance(5 * MINUTE_MS + 1)
  expect(await asks('MCP tools/list')).toBe(1)
})
