/** The inbox: which deliveries are rejected before they are stored, and the effect of those that are stored. */
import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { WEBHOOK_SECRET } from '../support/app-service.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { startTestService } from '../support/service.ts'
import { signedDelivery } from '../support/webhooks.ts'

const ADDRESS = '/api/github/webhooks'
const MIB = 1024 * 1024
/** The level of informational log lines. */
const INFO = 30

const { service, repository: repo } = usePullRequests()

/** A valid delivery. */
function sound() {
  repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
  return signedDelivery({ secret: WEBHOOK_SECRET, ...repo.event(1, 'opened') })
}

const signature = (body: string, secret = WEBHOOK_SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

async function post(body: string, headers: Record<string, string | undefined>) {
  const sent = Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  )
  const response = await fetch(`${service.url}${ADDRESS}`, { method: 'POST', body, headers: sent })
  const answer = (await response.json()) as { error: { type: string } }
  return { status: response.status, answer, id: response.headers.get('x-request-id') }
}

const deliveries = async () => (await service.jobs('delivery')).length

describe('a delivery', () => {
  // Threat: Unsigned deliveries
  // Threat: Forged deliveries
  test.each<[string, (body: string) => { body?: string; sign: string | undefined }]>([
    ['without a signature', () => ({ sign: undefined })],
    ['with a signature of another form', () => ({ sign: 'sha256=abc' })],
    ['that is signed with another secret', (body) => ({ sign: signature(body, 'development') })],
    ['that is signed with the empty secret', (body) => ({ sign: signature(body, '') })],
    ['that is signed, but empty', () => ({ body: '', sign: signature('') })],
    [
      'that was changed after it was signed',
      (body) => ({ body: body.replace('opened', 'closed'), sign: signature(body) }),
    ],
  ])('%s is 401, and nothing of it is stored', async (_, forge) => {
    const { body: own, headers } = sound()
    const { body = own, sign } = forge(own)
    const before = await deliveries()
    const { status, answer, id } = await post(body, { ...headers, 'X-Hub-Signature-256': sign })
    expect(status).toBe(401)
    expect(answer.error).toMatchObject({ type: 'unauthorized', request_id: id })
    expect(await deliveries()).toBe(before)
  })

  test.each(['X-GitHub-Delivery', 'X-GitHub-Event'])('without %s is 400', async (name) => {
    const { body, headers } = sound()
    const before = await deliveries()
    for (const value of [undefined, 'no name at all', 'a'.repeat(101)]) {
      const { status, answer } = await post(body, { ...headers, [name]: value })
      expect(status).toBe(400)
      expect(answer.error).toMatchObject({ type: 'invalid_request', param: name })
    }
    expect(await deliveries()).toBe(before)
  })

  test.each(['[]', '{"action":'])('that is signed with the body %j is 400', async (body) => {
    const { headers } = sound()
    const before = await deliveries()
    const { status, answer } = await post(body, { ...headers, 'X-Hub-Signature-256': signature(body) })
    expect(status).toBe(400)
    expect(answer.error.type).toBe('invalid_request')
    expect(await deliveries()).toBe(before)
  })

  test.each([
    ['with any content type', (body: string) => body, { 'content-type': 'text/plain' }],
    ['of undocumented types', () => '{"repository": {"id": "x", "owner": {"login": 5}}}', {}],
  ])('%s is accepted', async (_, bodyOf, more) => {
    const { body: own, headers } = sound()
    const body = bodyOf(own)
    const { status } = await post(body, { ...headers, ...more, 'X-Hub-Signature-256': signature(body) })
    expect(status).toBe(202)
  })

  test('is accepted just below 25 MB and 413 above', async () => {
    const { headers } = sound()
    const sized = (bytes: number) => JSON.stringify({ action: 'opened', pad: 'x'.repeat(bytes) })
    const sent = async (body: string) =>
      (await post(body, { ...headers, 'X-GitHub-Event': 'star', 'X-Hub-Signature-256': signature(body) }))
        .status
    expect(await sent(sized(25 * MIB - 1000))).toBe(202)
    const body = sized(25 * MIB)
    const { status, answer } = await post(body, { ...headers, 'X-Hub-Signature-256': signature(body) })
    expect(status).toBe(413)
    expect(answer.error.type).toBe('invalid_request')
  })

  // Threat: Unsigned deliveries
  test.each([
    ['with a Content-Length above 25 MB', () => ({ ...sound().headers, 'content-length': 300 * MIB }), 413],
    ['without a signature', () => ({ 'content-length': MIB }), 401],
  ])('%s is rejected before it is sent', async (_, headers, expected) => {
    const { port } = new URL(service.url)
    const address = { host: '127.0.0.1', port, path: ADDRESS, method: 'POST' }
    const status = await new Promise((resolve, reject) => {
      const sending = request({ ...address, headers: headers() }, (res) => {
        resolve(res.statusCode)
        sending.destroy()
      })
      sending.on('error', reject)
      sending.flushHeaders()
    })
    expect(status).toBe(expected)
  })

  test.each([
    ['ping', { zen: 'Keep it simple.' }],
    ['constructor', {}],
    ['issue_comment', { action: 'deleted', comment: { body: 'Who wrote this?' } }],
  ])('of the event %s is acknowledged and not stored', async (event, payload) => {
    const before = await deliveries()
    expect(await service.deliver({ event, payload })).toEqual({ status: 202, outcome: 'ignored' })
    expect(await deliveries()).toBe(before)
  })

  test('without an installation of the App changes nothing', async () => {
    const id = await repo.createActivity({ branch: 'retries' })
    repo.githubRepo.open({ head: 'retries' })
    const { event, payload } = repo.event(1, 'opened')
    const { installation: _, ...rest } = payload
    await service.deliverAndRun({ event, payload: rest })
    expect(await repo.read(id)).toMatchObject({ status: 'active', pr_url: null })
  })
})

describe('the same delivery', () => {
  // Threat: Replayed deliveries
  test('sent again counts once, whatever its body', async () => {
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    const opened = repo.event(1, 'opened')
    expect(await service.deliver(opened, 'twice-1')).toEqual({ status: 202, outcome: 'accepted' })
    expect(await service.runDueJobs()).toEqual([])
    const [tracked] = await repo.tracked()
    await repo.patch(tracked.id, { title: 'By hand', status: 'paused' })
    repo.githubRepo.close(1)
    expect(await service.deliver(repo.event(1, 'closed'), 'twice-1')).toEqual({
      status: 202,
      outcome: 'known',
    })
    expect(await service.runDueJobs()).toEqual([])
    expect(await repo.tracked()).toMatchObject([{ id: tracked.id, title: 'By hand', status: 'paused' }])
  })
})

test('without a configured App every delivery is 503', async () => {
  const bare = await startTestService({ token: 'ada' })
  try {
    const { body, headers } = sound()
    const answers = [
      await fetch(`${bare.url}${ADDRESS}`, { method: 'POST', body, headers }),
      await fetch(`${bare.url}${ADDRESS}`, { method: 'POST', body }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ error: { type: 'service_unavailable' } })
    }
    const levels = bare.log.map((line) => JSON.parse(line).level)
    expect(Math.max(...levels)).toBe(INFO)
    expect(bare.log.join('')).not.toContain('"stack"')
    const rest = await apiAt(bare.url, 'ada')('GET', `/api/v1/repos/${repo.full_name}/activity`)
    expect(rest.status).toBe(200)
  } finally {
    await bare.close()
  }
})
