/**
 * Whatever a client sends, the response is described in the OpenAPI document, is not a 5xx, and reveals no internals.
 * `TEST_SEED` varies a run, and `FUZZ_RUNS` makes it longer.
 */
import { createHmac, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppService, startAppService, WEBHOOK_SECRET } from '../support/app-service.ts'
import { bytesOf, type FuzzRequest, REPOSITORIES, requests } from '../support/fuzz-requests.ts'
import { brokenBytes, brokenObject, oddJson, PROTOTYPE_NAMES } from '../support/fuzz-values.ts'
import { fakeGithub } from '../support/github.ts'
import { answerValidator } from '../support/openapi.ts'
import { openRawConnection, type RawResponse, sendBytes } from '../support/raw-connection.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 1000)
/** Allows for longer runs with FUZZ_RUNS. */
const TIMEOUT_MS = 60_000 + numRuns * 100

const NAMES = Array.from({ length: REPOSITORIES }, (_, index) => `acme/r${index}`)
/** Text that can only come from our SQL, tables, stack traces and files. */
const INSIDES =
  /\b(select .* from|insert into|update \w+ set|delete from)\b|drizzle|pglite|postgres|sqlstate|idempotency_keys|swept_at|leased_until|\bat (async )?[\w.<>]+ \(|(^|[^\w])(file:\/\/\/?(work|home|app|root)|\/(home|app|root|usr|tmp)\/)|\.ts:\d|\.js:\d/i

const github = fakeGithub()
const check = answerValidator()
let service: AppService
const ids: Record<'act' | 'ntb', string[]> = { act: [], ntb: [] }

beforeAll(async () => {
  for (const [index, full_name] of NAMES.entries()) github.repository({ id: 1 + index, full_name })
  const all = (permission: 'write' | 'read') => Object.fromEntries(NAMES.map((name) => [name, permission]))
  github.token('ada', { login: 'ada', id: 1, permissions: all('write') })
  github.token('rita', { login: 'rita', id: 2, permissions: all('read') })
  github.app.install({ account: 'acme' })
  service = await startAppService(github)
  for (const name of NAMES) {
    const activity = await service.api('POST', `/v1/repos/${name}/activity`, { body: ACTIVITY })
    const notable = await service.api('POST', `/v1/repos/${name}/notables`, { body: NOTABLE })
    ids.act.push(activity.body.activity.id)
    ids.ntb.push(notable.body.id)
  }
})
afterAll(async () => {
  await service.close()
  github.close()
})

/** Throws unless the response has the common format and reveals no internals. */
function mustBeSound({ status, headers, body }: RawResponse, isHead = false): void {
  const text = JSON.stringify(body)
  if (status >= 500) throw new Error(`${status}: ${text}\n${service.log.slice(-3).join('')}`)
  expect(headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/)
  expect(headers.get('x-request-id')).toMatch(/^req_/)
  if (status >= 400 && !isHead) {
    expect(Object.keys(body.error)).toEqual(expect.arrayContaining(['type', 'message', 'request_id']))
    expect(body.error.request_id).toBe(headers.get('x-request-id'))
    expect(body.error.message.length).toBeLessThan(1000)
  }
  expect(INSIDES.exec(text)?.[0]).toBeUndefined()
}

/** Sends a request and checks the response. A failure contains the request as text. */
async function send(request: FuzzRequest): Promise<number> {
  const bytes = bytesOf(request)
  try {
    return await answered(request, bytes)
  } catch (error) {
    throw new Error(`${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 2000))}: ${error}`)
  }
}

async function answered(request: FuzzRequest, bytes: Uint8Array): Promise<number> {
  const isHead = request.method === 'HEAD'
  const connection = await openRawConnection(service.url)
  connection.write(bytes)
  const answer = await connection.answer(isHead)
  connection.socket.destroy()
  mustBeSound(answer, isHead)
  const { status, body } = answer
  if (request.isDescribed) check(request.method, request.target.replace(/\?.*/s, ''), status, body)
  if (status === 201) ids[body.activity ? 'act' : 'ntb'].push(body.activity?.id ?? body.id)
  return status
}

// Threat: SQL, a stack trace or a file path in a response
test(
  'every operation responds as documented to any input',
  async () => {
    const statuses = new Map<number, number>()
    const property = fc.asyncProperty(
      requests(() => ids),
      async (request) => {
        const status = await send(request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      },
    )
    await fc.assert(property, { numRuns })
    // The requests cover the common statuses.
    if (numRuns >= 1000)
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 422]))
  },
  TIMEOUT_MS,
)

describe('the created records', () => {
  test.each(['/activity', '/notables'])(
    'are listed in %s and can be retrieved',
    async (path) => {
      for (const name of NAMES) {
        for (const status of ['active', 'archived']) {
          let cursor: string | null = ''
          while (cursor !== null) {
            const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
            const base = `/v1/repos/${name}${path}`
            const { status: got, body } = await service.api(
              'GET',
              `${base}?limit=20&status=${status}${query}`,
            )
            expect(got).toBe(200)
            for (const { id } of body.items)
              expect((await service.api('GET', `${base}/${id}`)).status).toBe(200)
            cursor = body.next_cursor
          }
        }
      }
    },
    TIMEOUT_MS,
  )

  // Threat: Prototype pollution through fields, keys and ids
  test('do not change Object.prototype', () => {
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>).title).toBeUndefined()
  })
})

// Threat: Malformed contents
test(
  'a signed delivery is accepted or rejected, whatever it contains',
  async () => {
    const events = ['pull_request', 'push', 'delete', 'repository', 'installation', 'member', 'ping']
    const repository = { id: 1, name: 'r0', owner: { login: 'acme' } }
    const payload = fc.oneof(
      oddJson,
      fc
        .constantFrom('action', 'installation', 'pull_request', ...PROTOTYPE_NAMES)
        .chain((key) => brokenObject({ repository, [key]: 1 })),
    )
    const delivery = fc.record({ event: fc.constantFrom(...events), body: payload.chain(brokenBytes) })
    const property = fc.asyncProperty(delivery, async ({ event, body }) => {
      const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')
      const headers: [string, string][] = [
        ['X-Hub-Signature-256', `sha256=${signature}`],
        ['X-GitHub-Event', event],
        ['X-GitHub-Delivery', randomUUID()],
      ]
      const target = '/api/github/webhooks'
      expect(await send({ method: 'POST', target, isDescribed: false, headers, body })).toBeOneOf([
        202, 400, 401,
      ])
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 5) })
  },
  TIMEOUT_MS,
)

test(
  'malformed HTTP gets an ordinary error response or none',
  async () => {
    const body = JSON.stringify(ACTIVITY)
    const sound = [
      `GET /v1/repos/acme/r0/activity HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n`,
      `POST /v1/repos/acme/r0/activity/check HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      `POST /v1/repos/acme/r0/activity/check HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      `POST /api/github/webhooks HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 2\r\n\r\n{}`,
    ]
    const token = fc.constantFrom(
      '\r\n',
      '\n',
      '\r\n\r\n',
      '\0',
      ' ',
      ':',
      'HTTP/1.1',
      'chunked',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Connection: close\r\n',
      'Expect: 100-continue\r\n',
      'Upgrade: h2c\r\n',
      'CONNECT x:1 HTTP/1.1\r\n\r\n',
      'ffffffffffffffff\r\n',
      '-1\r\n',
      'x'.repeat(20_000),
    )
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.oneof(token, fc.string({ unit: 'binary', maxLength: 3 })),
      fc.nat({ max: 3 }),
    )
    const bytes = fc
      .tuple(
        fc.array(fc.constantFrom(...sound), { minLength: 1, maxLength: 3 }),
        fc.array(edit, { maxLength: 3 }),
      )
      .map(([parts, edits]) =>
        edits.reduce((text, [where, put, gone]) => {
          const at = Math.floor(where * text.length)
          return text.slice(0, at) + put + text.slice(at + gone)
        }, parts.join('')),
      )
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => {
        for (const answer of await sendBytes(service.url, Buffer.from(text, 'latin1'), { isLast: true }))
          mustBeSound(answer)
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    )
    expect((await service.api('GET', '/healthz')).status).toBe(200)
  },
  TIMEOUT_MS,
)
