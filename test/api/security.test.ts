/** Tests for the lines of SECURITY.md that are not tested elsewhere. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Config } from '../../src/server/platform/config.ts'
import { dumpDatabase } from '../support/database-dump.ts'
import { listen } from '../support/listen.ts'
import { ACTIVITY, call, createRecords, NOTABLE, outcome, ROUTES } from '../support/routes.ts'
import { startTestService, type TestService, useService } from '../support/service.ts'
import { forTest } from '../support/use-started.ts'

const OTHER = '/api/v1/repos/acme/other'
const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))

const { github, service } = useService({ repositories: ['acme/shop', 'acme/other'] })

const start = (config: Partial<Config>) =>
  startTestService({ token: 'ada', config: { rate_limit_per_minute: 100_000, ...config } })

// Threat: Another repository's records through a cursor
test.each(['/activity', '/notables'])(
  'a cursor of another repository reveals nothing in %s',
  async (path) => {
    await createRecords(service, OTHER)
    await createRecords(service, OTHER)
    await createRecords(service)
    await createRecords(service)
    const own = await service.api('GET', `${path}?limit=100`)
    const ids = own.body.items.map(({ id }: { id: string }) => id)
    const foreign = await service.api('GET', `${OTHER}${path}?limit=1`)
    const cursor = foreign.body.next_cursor
    expect(cursor).not.toBeNull()
    const { body } = await service.api('GET', `${path}?limit=100&cursor=${cursor}`)
    for (const { id } of body.items) expect(ids).toContain(id)
  },
)

// Threat: A token in a log, an error, the metrics or the database
test('no token appears in a table, the log, the metrics or a response', async () => {
  const secrets = ['ghp_GoodSecret', 'ghp_BadSecret', 'ghp_QuerySecret', 'Secret Token']
  const [good, bad, inQuery, malformed] = secrets as [string, string, string, string]
  github.token(good, { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
  const ids = await createRecords(service)
  const headers = { 'idempotency-key': 'with-a-secret' }
  const answers: unknown[] = []
  for (const route of ROUTES) {
    answers.push(await call(service, route, { token: good, ids, headers }))
    answers.push(await call(service, route, { token: good, ids, body: route.body && '{"title": ' }))
  }
  for (const token of [good, bad, malformed])
    answers.push(await service.api('GET', `/activity?access_token=${inQuery}`, { token }))
  for (const fault of ['server_error', 'timed_out', 'reset'] as const) {
    service.clock.advance(400_000)
    github.fault('*', fault)
    answers.push(await service.api('POST', '/activity', { token: good, body: ACTIVITY, headers }))
    github.clearFaults()
  }
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const stored = await dumpDatabase(service)
  // The dump contains the records, so the absence of tokens in it is significant.
  expect(stored).toContain('with-a-secret')
  expect(metrics).toContain('createActivity')
  expect(service.log.join('')).toContain('createActivity')
  for (const text of [stored, service.log.join(''), metrics, JSON.stringify(answers)]) {
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/bearer ada/i)
  }
})

// Threat: Server-side request forgery through `pr_url` or `decision_url`
test('no submitted URL makes the service call it', async () => {
  await service.api('GET', '/activity')
  const before = github.requests().length
  // test/rules/record-fields.test.ts has every form that is refused.
  const elsewhere = { ...ACTIVITY, pr_url: 'https://github.com@169.254.169.254/acme/shop/pull/1' }
  expect(outcome(await service.api('POST', '/activity', { body: elsewhere }))).toBe('422 validation_error')
  const pr_url = 'https://github.com/acme/shop/pull/1'
  expect((await service.api('POST', '/activity', { body: { ...ACTIVITY, pr_url } })).status).toBe(201)
  const decision_url = 'https://169.254.169.254/latest/meta-data'
  expect((await service.api('POST', '/notables', { body: { ...NOTABLE, decision_url } })).status).toBe(201)
  // The only call looks up the creator of the notable.
  expect(
    github
      .requests()
      .slice(before)
      .map(({ route }) => route)
      .filter((route) => route !== 'GET /user'),
  ).toEqual([])
})

// Threat: A token sent to another host by a redirect
test('the token is not sent when GitHub redirects to another host', async () => {
  const received: IncomingHttpHeaders[] = []
  const answer = { id: 1, name: 'shop', owner: { login: 'acme' } }
  const elsewhere = await listen(
    createServer((req, res) => {
      received.push(req.headers)
      res.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    }),
  )
  const location = `${elsewhere.url}/repos/acme/shop`
  const api = await listen(createServer((_req, res) => res.writeHead(301, { location }).end()))
  const led = await forTest(start({ github_api_url: api.url }))
  await led.api('GET', '/activity')
  await Promise.all([api.close(), elsewhere.close()])
  expect(received.length).toBeGreaterThan(0)
  for (const headers of received) expect(JSON.stringify(headers)).not.toContain('ada')
})

describe('responses protect browsers', () => {
  const policy = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'"
  // Threat: Markup in responses and in `/docs`
  test.each([
    ['GET', '/activity'],
    ['POST', '/activity'],
    ['GET', '/api/v1/none'],
    ['GET', '/api/v1/openapi.json'],
    ['GET', '/healthz'],
    ['POST', '/api/github/webhooks'],
  ])('with the headers of %s %s', async (method, path) => {
    const address = path.startsWith('/activity') ? `/api/v1/repos/acme/shop${path}` : path
    const { headers } = await fetch(`${service.url}${address}`, { method })
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': policy,
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-type': expect.stringMatching(/^application\/json/),
    })
    expect(headers.has('access-control-allow-origin')).toBe(false)
    expect(headers.has('x-powered-by')).toBe(false)
  })
})

describe('X-Forwarded-For', () => {
  const ASKED = '401 unauthorized'
  const LIMITED = '429 rate_limited'
  const askFrom = async ({ api }: TestService, address: string) =>
    outcome(await api('GET', '/activity', { token: 'made-up', headers: { 'x-forwarded-for': address } }))
  /** Exhausts the failed tokens of an address. */
  const exhaust = async (limited: TestService, address: string) => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => askFrom(limited, address)))
    expect(answers.at(-1)).toBe(ASKED)
  }

  // Threat: A forged `X-Forwarded-For`
  test.each<[string, Partial<Config>, string]>([
    ['is ignored if no proxy is trusted', {}, LIMITED],
    ['is ignored if another proxy is trusted', { trust_proxy: ['10.0.0.0/8'] }, LIMITED],
    ['identifies the client if those on this machine are trusted', { trust_proxy: ['loopback'] }, ASKED],
  ])('%s', async (_, config, ofOther) => {
    const limited = await forTest(start(config))
    await exhaust(limited, '192.0.2.1')
    expect(await askFrom(limited, '192.0.2.2')).toBe(ofOther)
    expect(await askFrom(limited, '192.0.2.1')).toBe(LIMITED)
  })

  describe('behind one trusted proxy', () => {
    let limited: TestService
    beforeAll(async () => {
      limited = await start({ trust_proxy: 1 })
    })
    afterAll(() => limited.close())

    // Threat: A forged `X-Forwarded-For`
    test.each<[string, string, Record<string, string>]>([
      ['identifies the client', '192.0.2.1', { '192.0.2.2': ASKED, '::ffff:192.0.2.1': LIMITED }],
      ['is not trusted beyond it', '192.0.2.3, 192.0.2.9', { '192.0.2.4, 192.0.2.9': LIMITED }],
      ['without an address counts as the proxy', '<script>', { ['x'.repeat(5000)]: LIMITED }],
    ])('%s', async (_, exhausted, expected) => {
      await exhaust(limited, exhausted)
      for (const [address, answer] of Object.entries(expected))
        expect(await askFrom(limited, address), address).toBe(answer)
    })
  })
})

test('nothing is printed outside the log', () => {
  expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([])
})
