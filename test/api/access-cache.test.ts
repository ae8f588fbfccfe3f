/** How long positive and negative answers of GitHub are cached, and that positive ones are honoured during an outage. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ACTIVITY, outcome } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const SHOP = 'GET /repos/acme/shop'
const TTL_MS = 60_000
const NO_TTL_MS = 10_000

const { github, service } = useService({ repositories: ['acme/shop', 'acme/other'] })
/** A token that only the current test uses. */
let token: string
let tests = 0

beforeEach(() => {
  token = `tok-${++tests}`
  grant('write')
})

function grant(permission: 'none' | 'read' | 'write'): void {
  const permissions = { 'acme/shop': permission, 'acme/other': permission }
  github.token(token, { login: 'ada', id: 1, permissions })
}

const read = async () => outcome(await service.api('GET', '/activity', { token }))
const write = async () => outcome(await service.api('POST', '/activity', { token, body: ACTIVITY }))

/** The number of calls to a route of GitHub during `work`. */
async function callsOf(work: () => Promise<unknown>, route = SHOP, status?: number): Promise<number> {
  const before = github.calls(route, status)
  await work()
  return github.calls(route, status) - before
}

describe('a positive answer', () => {
  test('is reused for the whole TTL even when GitHub answered slowly', async () => {
    const release = github.hold(SHOP)
    const before = github.calls(SHOP)
    const slow = read()
    await expect.poll(() => github.calls(SHOP)).toBe(before + 1)
    service.clock.advance(200)
    release()
    expect(await slow).toBe('200')
    service.clock.advance(TTL_MS - 300)
    expect(await callsOf(read)).toBe(0)
  })

  test('is not shared between repositories or tokens', async () => {
    await read()
    const other = '/api/v1/repos/acme/other/activity'
    expect(await callsOf(() => service.api('GET', other, { token }), 'GET /repos/acme/other')).toBe(1)
    const stranger = await service.api('GET', '/activity', { token: 'stranger' })
    expect(outcome(stranger)).toBe('401 unauthorized')
  })

  test('is reused for PERMISSION_TTL_MS, and then revalidated with its ETag', async () => {
    await read()
    service.clock.advance(TTL_MS + 1)
    expect(await callsOf(read, SHOP, 304)).toBe(1)
    service.clock.advance(TTL_MS + 1)
    expect(await callsOf(write, SHOP, 304)).toBe(1)
    service.clock.advance(TTL_MS - 1)
    expect(await callsOf(write)).toBe(0)
  })
})

describe('a negative answer', () => {
  const changes: [string, () => void, () => Promise<string>, string][] = [
    ['to a repository that is not visible', () => grant('none'), read, '403 forbidden'],
    ['to a token', () => github.revoke(token), read, '401 unauthorized'],
    ['to writing', () => grant('read'), write, '403 forbidden'],
    ['without single sign-on', () => github.fault(SHOP, 'sso_required', 1), read, '403 forbidden'],
  ]
  test.each(changes)('%s is reused for 10 seconds at most', async (_, refuse, ask, refusal) => {
    refuse()
    expect(await callsOf(ask)).toBe(1)
    service.clock.advance(NO_TTL_MS - 1)
    expect(await callsOf(ask)).toBe(0)
    expect(await ask()).toBe(refusal)
    grant('write')
    service.clock.advance(2)
    expect(await ask()).toMatch(/^20[01]$/)
  })

  test('for writing does not shorten the positive answer for reading', async () => {
    grant('read')
    await write()
    service.clock.advance(TTL_MS - 1)
    expect(await callsOf(read)).toBe(0)
  })

  test('for a rate limit prevents further requests while the limit lasts', async () => {
    github.fault(SHOP, 'too_many_requests', 1)
    expect(await read()).toBe('429 rate_limited')
    service.clock.advance(59_999)
    expect(await callsOf(read)).toBe(0)
    service.clock.advance(2)
    expect(await read()).toBe('200')
  })

  // Threat: A token that lost access
  test('replaces the positive answer before it', async () => {
    expect(await read()).toBe('200')
    grant('none')
    service.clock.advance(TTL_MS + 1)
    expect(await read()).toBe('403 forbidden')
    github.fault(SHOP, 'server_error')
    service.clock.advance(NO_TTL_MS + 1)
    expect(await read()).toBe('503 service_unavailable')
  })
})

// access.test.ts has every fault that counts as an outage.
describe('while GitHub is unavailable', () => {
  // Threat: An outage of GitHub that grants access
  test('a positive answer is used for 5 minutes from GitHub’s last answer, not from the last request', async () => {
    expect(await write()).toBe('201')
    github.fault('*', 'server_error')
    for (const ms of [100_000, 100_000, 99_999]) {
      service.clock.advance(ms)
      expect(await read()).toBe('200')
      expect(await write()).toBe('201')
    }
    service.clock.advance(2)
    expect(await read()).toBe('503 service_unavailable')
    expect(await write()).toBe('503 service_unavailable')
    github.clearFaults()
    service.clock.advance(2)
    expect(await read()).toBe('200')
  })

  // Threat: A read-only token that writes
  test('a read-only token cannot write', async () => {
    grant('read')
    expect(await read()).toBe('200')
    github.fault(SHOP, 'server_error')
    service.clock.advance(TTL_MS + 1)
    expect(await read()).toBe('200')
    expect(await write()).toBe('403 forbidden')
  })
})

describe('after an outage', () => {
  test('changes are noticed within seconds', async () => {
    await read()
    github.fault(SHOP, 'server_error')
    service.clock.advance(TTL_MS + 1)
    expect(await read()).toBe('200')
    github.clearFaults()
    grant('none')
    service.clock.advance(NO_TTL_MS)
    expect(await read()).toBe('403 forbidden')
  })

  test('a rate limit does not count as an outage', async () => {
    await read()
    github.fault(SHOP, 'rate_limited')
    service.clock.advance(TTL_MS + 1)
    expect(await read()).toBe('429 rate_limited')
  })
})
