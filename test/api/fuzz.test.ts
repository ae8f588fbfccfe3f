/**
 * Whatever a client sends, the response is described in the OpenAPI document, is not a 5xx, and reveals no internals.
 * `TEST_SEED` varies a run, and `FUZZ_RUNS` makes it longer.
 */
import { createHmac, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { useAppService, WEBHOOK_SECRET } from '../support/app-service.ts'
import {
  brokenBytes,
  brokenObject,
  type FuzzRequest,
  oddJson,
  PROTOTYPE_NAMES,
  REPOSITORIES,
  requests,
} from '../support/fuzz-requests.ts'
import { answerValidator } from '../support/openapi.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 250)
/** Allows for longer runs with FUZZ_RUNS. */
const TIMEOUT_MS = 60_000 + numRuns * 100

const NAMES = Array.from({ length: REPOSITORIES }, (_, index) => `acme/r${index}`)
/** Text that can only come from our SQL, tables, stack traces and files. */
const INSIDES =
  /\b(select .* from|insert into|update \w+ set|delete from)\b|drizzle|pglite|postgres|sqlstate|idempotency_keys|swept_at|leased_until|\bat (async )?[\w.<>]+ \(|(^|[^\w])(file:\/\/\/?(work|home|app|root)|\/(home|app|root|usr|tmp)\/)|\.ts:\d|\.js:\d/i

const { github, service } = useAppService({}, async () => {})
const check = answerValidator()
const ids: Record<'act' | 'ntb', string[]> = { act: [], ntb: [] }

beforeAll(async () => {
  github.repositories(NAMES, 1)
  github.users(NAMES, { ada: 'write' })
  github.app.install({ account: 'acme' })
  for (const name of NAMES) {
    const activity = await service.api('POST', `/v1/repos/${name}/activity`, { body: ACTIVITY })
    const notable = await service.api('POST', `/v1/repos/${name}/notables`, { body: NOTABLE })
    ids.act.push(activity.body.activity.id)
    ids.ntb.push(notable.body.id)
  }
})

/** Sends a request and throws unless the response has the common format and reveals no internals. */
async function send({ method, target, body }: FuzzRequest, given?: Record<string, string>): Promise<number> {
  const headers = given ?? { Authorization: 'Bearer ada' }
  const response = await fetch(service.url + target, {
    method,
    headers,
    ...(body.length > 0 && { body: Buffer.from(body) }),
  })
  const text = await response.text()
  const answer = JSON.parse(text)
  const { status } = response
  if (status >= 500) throw new Error(`${status}: ${text}\n${service.log.slice(-3).join('')}`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/)
  const request_id = response.headers.get('x-request-id')
  if (status >= 400)
    expect(answer.error).toMatchObject({ type: expect.any(String), message: expect.any(String), request_id })
  expect(INSIDES.exec(text)?.[0]).toBeUndefined()
  check(method, target.replace(/\?.*/s, ''), status, answer)
  if (status === 201) ids[answer.activity ? 'act' : 'ntb'].push(answer.activity?.id ?? answer.id)
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
    if (numRuns >= 250)
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404, 422]))
  },
  TIMEOUT_MS,
)

// Threat: Prototype pollution through fields, keys and ids
test('the created records do not change Object.prototype', () => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).title).toBeUndefined()
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
      const headers = {
        'X-Hub-Signature-256': `sha256=${signature}`,
        'X-GitHub-Event': event,
        'X-GitHub-Delivery': randomUUID(),
      }
      const request = { method: 'POST', target: '/api/github/webhooks', body }
      expect(await send(request, headers)).toBeOneOf([202, 400, 401])
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 5) })
  },
  TIMEOUT_MS,
)
