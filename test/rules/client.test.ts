/** The typed client with a fake fetch: what it sends, when it retries, and what it throws. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Client,
  type ClientOptions,
  createClient,
  DeconflictError,
  getServiceInfo,
} from '../../src/client/client.ts'

const SHOP = { owner: 'acme', repo: 'shop' }
const WORK = { title: 'Retry payments', summary: 'Twice.', actor: 'Ada' }

type FakeAnswer = Response | Error | ((signal: AbortSignal) => Promise<Response>)

function fakeClient(answers: FakeAnswer[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit & { headers: Record<string, string> } }[] = []
  const left = [...answers]
  const client = createClient({
    base_url: 'https://deconflict.test',
    token: 'tok-ada',
    fetch: async (url, init) => {
      sent.push({ url: String(url), init: init as (typeof sent)[number]['init'] })
      const next = left.shift()
      if (next === undefined) throw new Error('unexpected request')
      if (next instanceof Error) throw next
      return typeof next === 'function' ? next(init?.signal as AbortSignal) : next
    },
    ...options,
  })
  return { client, sent }
}

const done = (body: object = {}) => Response.json(body)
const failed = (status: number, type: string, headers: Record<string, string> = {}) =>
  Response.json(
    { error: { type, message: 'risk: must be low', param: 'risk', request_id: 'req_1' } },
    { status, headers },
  )
const unreachable = () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
const RETRY_NOW = { 'retry-after': '0' }

async function errorOf(work: Promise<unknown>): Promise<DeconflictError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DeconflictError)) throw new Error(`expected a DeconflictError, got ${error}`)
  return error
}

describe('the client sends', () => {
  test('the input of a list as a query', async () => {
    const { client, sent } = fakeClient([done({ items: [], next_cursor: null })])
    await client.listActivities({ ...SHOP, input: { has_pr: false, limit: 7, branch: 'a b&c' } })
    expect(sent[0]?.url).toBe(
      'https://deconflict.test/api/v1/repos/acme/shop/activity?has_pr=false&limit=7&branch=a+b%26c',
    )
    expect(sent[0]?.init).toMatchObject({ method: 'GET', headers: { Authorization: 'Bearer tok-ada' } })
    expect(sent[0]?.init.body).toBeUndefined()
  })

  test('a body as JSON, and an id as one path segment', async () => {
    const { client, sent } = fakeClient([done()])
    await client.updateActivity({ ...SHOP, id: 'act_/..', input: { risk: 'high' } })
    expect(sent[0]?.url).toBe('https://deconflict.test/api/v1/repos/acme/shop/activity/act_%2F..')
    expect(sent[0]?.init).toMatchObject({ method: 'PATCH', body: '{"risk":"high"}' })
  })

  test.each(['https://x.test', 'https://x.test/', 'https://x.test/api/v1', 'https://x.test/api/v1/'])(
    'requests to the routes of %s',
    async (base_url) => {
      const { client, sent } = fakeClient([done()], { base_url })
      await client.getSettings(SHOP)
      expect(sent[0]?.url).toBe('https://x.test/api/v1/repos/acme/shop/settings')
    },
  )

  test('an idempotency key with creates only: the given one, else a new one', async () => {
    const keyOf = async (ask: (client: Client) => Promise<unknown>) => {
      const { client, sent } = fakeClient([done()])
      await ask(client)
      return sent[0]?.init.headers['Idempotency-Key']
    }
    const create = (idempotency_key?: string) =>
      keyOf((client) => client.createActivity({ ...SHOP, input: WORK, idempotency_key }))
    const [first, second] = [await create(), await create()]
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(first).not.toBe(second)
    expect(await create('mine')).toBe('mine')
    expect(await keyOf((client) => client.checkOverlap(SHOP))).toBeUndefined()
    expect(await keyOf((client) => client.heartbeatActivity({ ...SHOP, id: 'act_1' }))).toBeUndefined()
  })
})

describe('the client retries', () => {
  test.each([
    ['429', failed(429, 'rate_limited', RETRY_NOW)],
    ['503', failed(503, 'service_unavailable', RETRY_NOW)],
    ['an idempotency conflict', failed(409, 'idempotency_conflict', RETRY_NOW)],
    ['an error of a proxy', new Response('<html>', { status: 502, headers: RETRY_NOW })],
    ['a broken connection', unreachable()],
  ])('after %s, with the same idempotency key', async (_, answer) => {
    const { client, sent } = fakeClient([answer, done({ made: true })])
    expect(await client.createActivity({ ...SHOP, input: WORK })).toEqual({ made: true })
    const keys = sent.map(({ init }) => init.headers['Idempotency-Key'])
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  test('up to the maximum number of attempts', async () => {
    const answers = Array.from({ length: 3 }, () => failed(503, 'service_unavailable', RETRY_NOW))
    const { client, sent } = fakeClient(answers)
    expect((await errorOf(client.getSettings(SHOP))).type).toBe('service_unavailable')
    expect(sent).toHaveLength(3)
  })

  test('not if it would have to wait longer than retry_for_ms', async () => {
    const { client, sent } = fakeClient([failed(429, 'rate_limited', { 'retry-after': '60' })], {
      retry_for_ms: 1000,
    })
    expect(await errorOf(client.getSettings(SHOP))).toMatchObject({ status: 429, retry_after: 60 })
    expect(sent).toHaveLength(1)
  })

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'invalid_transition'],
    [422, 'validation_error'],
    [500, 'internal_error'],
  ])('not after %i %s', async (status, type) => {
    const { client, sent } = fakeClient([failed(status, type, RETRY_NOW)])
    expect(await errorOf(client.getSettings(SHOP))).toMatchObject({ status, type })
    expect(sent).toHaveLength(1)
  })
})

const silent = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const REFUSED = { status: 422, param: 'risk', request_id: 'req_1', retry_after: null }
const AWAY = 'https://deconflict.test cannot be reached (ECONNREFUSED)'
const redirect = new Response(null, { status: 301, headers: { location: 'https://y.test/' } })

test.each<[string, FakeAnswer, string, string | RegExp, object]>([
  [
    'an error of the service',
    failed(422, 'validation_error'),
    'validation_error',
    'risk: must be low',
    REFUSED,
  ],
  ['no connection', unreachable(), 'unreachable', AWAY, { status: null }],
  ['no response', silent, 'timed_out', /./, {}],
  ['HTML', new Response('<html>', { status: 404 }), 'unexpected_answer', /HTTP 404.*check the address/, {}],
  ['no JSON', new Response('hello'), 'unexpected_answer', /HTTP 200.*check the address/, {}],
  ['a redirect', redirect, 'unexpected_answer', /https:\/\/y\.test\//, {}],
])('the client throws after %s', async (_, answer, type, message, more) => {
  const { client } = fakeClient([answer], { attempts: 1, timeout_ms: 10 })
  const error = await errorOf(client.getSettings(SHOP))
  expect(error).toMatchObject({ name: 'DeconflictError', type, ...more })
  expect(error.message).toMatch(message)
})

test('its types reject what the service would', () => {
  const { client } = fakeClient([])
  // Only compiled. `test/operators/packed.test.ts` compares these types with those of the package.
  const wrong = () => [
    // @ts-expect-error no id
    client.getActivity(SHOP),
    // @ts-expect-error no summary and no actor
    client.createActivity({ ...SHOP, input: { title: 'Retry payments' } }),
    // @ts-expect-error no such risk
    client.updateActivity({ ...SHOP, id: 'act_1', input: { risk: 'huge' } }),
    // @ts-expect-error a text for a number
    client.listActivities({ ...SHOP, input: { limit: '1' } }),
    // @ts-expect-error no create
    client.heartbeatActivity({ ...SHOP, id: 'act_1', idempotency_key: 'a' }),
  ]
  expect(wrong).toBeDefined()
})

describe('the token', () => {
  const make = (base_url: string, insecure?: boolean) => () =>
    createClient({ base_url, token: 'tok-ada', insecure })

  test.each(
    `https://deconflict.test http://localhost:3000 http://127.0.0.1:3000/api/v1 http://127.8.9.10
    http://127.1:3000 http://[::1]:3000`.split(/\s+/),
  )('can be sent to %s', (base_url) => {
    expect(make(base_url)).not.toThrow()
  })

  // Threat: A token intercepted on its way to the service
  test.each(
    `http://deconflict.test HTTP://deconflict.test http://10.0.0.7:3000 http://127.0.0.1.evil.test
    http://localhost.evil.test http://localhost@evil.test http://128.0.0.1 http://0.0.0.0:3000
    http://[::2]`.split(/\s+/),
  )('is not sent to %s unless insecure is set', (base_url) => {
    const refusal = expect.objectContaining({ type: 'insecure_address', status: null })
    expect(make(base_url)).toThrow(refusal)
    expect(make(base_url, true)).not.toThrow()
  })
})

describe('service information', () => {
  const read = async (answer: Response, base_url = 'https://x.test/api/v1') => {
    const sent: unknown[][] = []
    const info = await getServiceInfo({
      base_url,
      attempts: 1,
      fetch: async (...request) => {
        sent.push(request)
        return answer
      },
    })
    return { info, sent }
  }

  test.each(['https://x.test', 'https://x.test/', 'https://x.test/api/v1', 'https://x.test/v1/'])(
    'is read from the root of %s without a token',
    async (base_url) => {
      const { info, sent } = await read(
        done({ status: 'ok', version: '1.2.3', github_host: 'github.com' }),
        base_url,
      )
      expect(info).toEqual({ version: '1.2.3', github_host: 'github.com' })
      expect(sent[0]?.[0]).toBe('https://x.test/healthz')
      expect(JSON.stringify(sent[0]?.[1])).not.toMatch(/authorization/i)
    },
  )

  test('is an error if the service is unavailable', async () => {
    expect(await errorOf(read(new Response('', { status: 502 })))).toMatchObject({ status: 502 })
  })
})

test('the client needs three small packages at run time and no server code', () => {
  const { packages, files } = graphOf('client/client.ts')
  expect([...packages].sort()).toEqual(['fastest-levenshtein', 'typeid-js', 'zod'])
  expect([...files].filter((file) => /^(server|cli|page)\//.test(file))).toEqual([])
})

test('the command needs five packages more than the client, and loads MCP on demand', () => {
  const { packages, files } = graphOf('cli/program.ts')
  expect([...packages].sort()).toEqual(
    'commander fast-string-width fastest-levenshtein jsonc-parser smol-toml typeid-js zod'.split(' '),
  )
  expect([...files].filter((file) => /^(server|page|client\/mcp)\//.test(file))).toEqual([])
})

test('a hook loads no package and no schema, because an agent waits for it', () => {
  const { packages, files } = graphOf('cli.ts')
  expect([...packages]).toEqual([])
  expect([...files]).toContain('cli/hook/hook.ts')
  expect([...files].filter((file) => /^cli\/program\.ts|\/contract\/contract\.ts/.test(file))).toEqual([])
})

/** The runtime imports of a file of `src`, including indirect ones. */
function graphOf(entry: string, files = new Set<string>(), packages = new Set<string>()) {
  if (files.has(entry)) return { files, packages }
  files.add(entry)
  const source = readFileSync(new URL(`../../src/${entry}`, import.meta.url), 'utf8')
  for (const [, clause, specifier] of source.matchAll(/^(?:import|export) ([^'"]*?)from '([^']+)'/gms)) {
    if (clause?.startsWith('type ') || specifier?.startsWith('node:')) continue
    if (specifier?.startsWith('.')) graphOf(posix.join(posix.dirname(entry), specifier), files, packages)
    else packages.add(specifier as string)
  }
  return { files, packages }
}
