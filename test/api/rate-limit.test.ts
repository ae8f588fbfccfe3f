/** The rate limit of a caller. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ACTIVITY, outcome } from '../support/routes.ts'
import { startTestService, type TestService, useGithub } from '../support/service.ts'

const LIMIT = 5
const MINUTE_MS = 60_000

const github = useGithub()
const started = new Map<number, Promise<TestService>>()
/** A user who only the current test uses, so that tests with the same limit share a service. */
let me: string
let users = 0

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
beforeEach(() => {
  me = user(`user-${users}`)
  // Charges are exact where computing takes no time: a busy process takes more of it.
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 })
})
afterAll(async () => {
  for (const service of [...started.values()].reverse()) await (await service).close()
  vi.restoreAllMocks().useRealTimers()
})

function user(token: string): string {
  users += 1
  github.token(token, { login: token, id: users, permissions: { 'acme/shop': 'write' } })
  return token
}

/** The service with this limit, called by `me`. */
async function start(limit = LIMIT): Promise<TestService> {
  const config = { rate_limit_per_minute: limit }
  const starting = started.get(limit) ?? startTestService({ token: 'nobody', config })
  started.set(limit, starting)
  const service = await starting
  const token = me
  const api: TestService['api'] = (method, path, { token: other = token, ...given } = {}) =>
    service.api(method, path, { token: other, ...given })
  return { ...service, api }
}

/** A quota goes by the time of the process. */
function advance({ clock }: TestService, ms: number): void {
  clock.advance(ms)
  vi.setSystemTime(Date.now() + ms)
}

async function read({ api }: TestService, times: number, token?: string | null): Promise<string[]> {
  const all: string[] = []
  for (let turn = 0; turn < times; turn += 1) all.push(outcome(await api('GET', '/activity', { token })))
  return all
}

/** The maximum number of globs of a scope, which are expensive to compare with each other. */
function hostilePaths(): string[] {
  return Array.from({ length: 200 }, (_, index) => `*${index}${'?*a'.repeat(100)}`)
}

describe('a caller', () => {
  test('gets the remaining quota and its reset time with every response, and over the limit a Retry-After', async () => {
    const service = await start()
    for (const [left, expected] of [
      [4, 200],
      [3, 200],
      [2, 200],
      [1, 200],
      [0, 200],
      [0, 429],
    ]) {
      const { status, headers } = await service.api('GET', '/activity')
      expect(status).toBe(expected)
      const [, remaining, seconds] = /^"[^"]+"; r=(\d+); t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
      expect(Number(remaining)).toBe(left)
      expect(Number(seconds) > 0 && Number(seconds) <= 60).toBe(true)
      expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+"; q=5; w=60; pk=:.+:$/)
    }
    const { status, headers, body } = await service.api('GET', '/activity')
    expect(status).toBe(429)
    expect(body.error.type).toBe('rate_limited')
    expect(body.error.request_id).toBe(headers.get('x-request-id'))
    const seconds = Number(headers.get('retry-after'))
    expect(seconds > 0 && seconds <= 60).toBe(true)
  })

  test('is charged once for a request, whatever its outcome', async () => {
    const service = await start()
    const answers = [
      await service.api('POST', '/activity', { body: ACTIVITY }),
      await service.api('POST', '/activity', { body: '{' }),
      await service.api('POST', '/activity', { body: { ...ACTIVITY, risk: 7 } }),
      await service.api('GET', '/activity/none'),
      await service.api('GET', '/activity'),
      await service.api('GET', '/activity'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 422, 404, 200, 429])
  })

  // Threat: Expensive requests
  test('is charged for work beyond the first unit, as the headers show', async () => {
    const service = await start(1000)
    const left = async () =>
      Number(/r=(\d+)/.exec((await service.api('GET', '/settings')).headers.get('ratelimit') ?? '')?.[1])
    const charge = async (path: string, body: object) => {
      const before = await left()
      const { status, headers } = await service.api('POST', path, { body })
      const shown = Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
      expect(await left()).toBe(shown - 1)
      return { status, cost: before - shown }
    }
    const scope = { paths: hostilePaths() }
    const small = { scope: { paths: ['src/a.ts'] } }
    expect(await charge('/activity', { ...ACTIVITY, ...small })).toEqual({ status: 201, cost: 1 })
    expect(await charge('/activity/check', small)).toEqual({ status: 200, cost: 1 })
    vi.restoreAllMocks()
    await charge('/activity', { ...ACTIVITY, scope })
    for (const [path, body, status] of [
      ['/activity', { ...ACTIVITY, scope }, 201],
      ['/activity/check', { scope }, 200],
    ] as const) {
      const charged = await charge(path, body)
      expect(charged.status).toEqual(status)
      expect(charged.cost).toBeGreaterThan(1)
    }
    const areas = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(100, 'x'))
    for (let count = 0; count < 10; count += 1)
      await service.api('POST', '/activity', { body: { ...ACTIVITY, scope: { areas } } })
    const before = await left()
    expect((await service.api('GET', '/activity')).body.items).toHaveLength(13)
    expect(before - (await left())).toBe(3)
  })

  test('is charged for what is sent, also if it is refused', async () => {
    const service = await start(100)
    const leftAfter = async (length: number) => {
      const { status, headers } = await service.api('POST', '/activity', {
        body: { title: 'x'.repeat(length) },
      })
      expect(status).toBe(400)
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    expect([await leftAfter(1000), await leftAfter(350_000), await leftAfter(1000)]).toEqual([99, 95, 94])
  })

  test('whose work exhausts the quota still gets the response, and is rejected until the minute is over', async () => {
    const service = await start(3)
    vi.restoreAllMocks()
    const body = { scope: { paths: hostilePaths() } }
    const token = user(`user-${users}`)
    await service.api('POST', '/activity', { token, body: { ...ACTIVITY, ...body } })
    const { status, headers } = await service.api('POST', '/activity/check', { body })
    expect(status).toBe(200)
    expect(headers.get('ratelimit')).toEqual(expect.stringContaining('r=0;'))
    advance(service, MINUTE_MS - 1)
    expect(await read(service, 1)).toEqual(['429 rate_limited'])
    advance(service, 1)
    expect(await read(service, 3)).toEqual(['200', '200', '200'])
  })

  // Threat: Many requests, many tokens
  test('gets exactly the limit from many concurrent requests', async () => {
    const service = await start(30)
    const answers = await Promise.all(Array.from({ length: 90 }, () => service.api('GET', '/activity')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60)
  })
})
