/**
 * Whatever a client sends, the response is described in the OpenAPI document, is not a 5xx, and reveals no internals.
 * `TEST_SEED` varies a run, and `FUZZ_RUNS` makes it longer.
 */
import { createHmac, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppService, startAppService, WEBHOOK_SECRET } from '../support/app-service.ts'
import {
  brokenBytes,
  brokenObject,
  bytesOf,
  type FuzzRequest,
  oddJson,
  PROTOTYPE_NAMES,
  REPOSITORIES,
  requests,
} from '../support/fuzz-requests.ts'
import { fakeGithub } from '../support/github.ts'
import { answerValidator } from '../support/openapi.ts'
import { openRawConnection, type RawResponse } from '../support/raw-connection.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 500)
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
    if (numRuns >= 500)
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 422]))
  },
  TIMEOUT_MS,
)

describe('the created records', () => {
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
      const headers = [
        `X-Hub-Signature-256: sha256=${signature}`,
        `X-GitHub-Event: ${event}`,
        `X-GitHub-Delivery: ${randomUUID()}`,
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
