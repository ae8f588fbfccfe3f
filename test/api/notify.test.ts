/** Notifications at NOTIFY_WEBHOOK_URL: what is posted, once, signed, and retried (docs/notifications.md). */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { publicOnly } from '../../src/server/tell/notify.ts'
import { HOUR_MS, MINUTE_MS, later as soon } from '../../src/vocabulary/clock.ts'
import { timestamp } from '../support/github-state.ts'
import { editOf } from '../support/lines.ts'
import { listen } from '../support/listen.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { NOTABLE } from '../support/routes.ts'
import { startTestService } from '../support/service.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

interface Received {
  headers: Record<string, string | string[] | undefined>
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

const SECRET = 'hush'
let received: Received[] = []
/** The status and headers of the next answers; then 200. */
let answers: [status: number, headers?: Record<string, string>][] = []

const receiver = await listen(
  createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const raw = await text(req)
    received.push({ headers: req.headers, raw, body: JSON.parse(raw) })
    const [status, headers = {}] = answers.shift() ?? [200]
    res.writeHead(status, headers).end('ok')
  }),
)
const url = `${receiver.url}/T1/B2`

const { service, github, repository, useSettings } = usePullRequests({
  config: { notify: { url, secret: SECRET }, public_url: 'https://deconflict.example' },
})
beforeEach(() => {
  received = []
  answers = []
})
afterAll(receiver.close)

const base = Array.from({ length: 120 }, (_, at) => `payments.add(pay(${at}))`)
const edit = (at: number, added: string[]) =>
  ({ filename: 'src/pay.ts', status: 'modified', patch: editOf(base, at, 3, added) }) as const
/** Opens two pull requests that change the same lines, in one second of GitHub's clock and one after the other of the service's. */
async function openPair(): Promise<[number, number]> {
  const created_at = timestamp(new Date())
  const open = (head: string, file: ReturnType<typeof edit>) =>
    repository.open({ head, author: `author-of-${head}`, files: [file], created_at })
  const first = await open('retries', edit(40, ['retry()']))
  service.clock.advance(1000)
  return [first, await open('tidy', edit(41, ['tidy()']))]
}

test('a proved conflict is posted with both sides, the later one first, and its lines, signed as GitHub signs its webhooks', async () => {
  const [first, second] = await openPair()
  const link = (number: number) => `https://github.com/${repository.full_name}/pull/${number}`
  expect(received.map(({ body }) => body)).toEqual([
    {
      event: 'conflict',
      text: expect.stringContaining(
        `${repository.full_name}: #${second} by \`author-of-tidy\` conflicts with #${first} by \`author-of-retries\` in \`src/pay.ts\``,
      ),
      repository: repository.full_name,
      sides: [
        { pull_request: second, branch: null, author: 'author-of-tidy', url: link(second) },
        { pull_request: first, branch: null, author: 'author-of-retries', url: link(first) },
      ],
      files: [{ path: 'src/pay.ts', lines: [expect.any(Array), expect.any(Array)] }],
    },
  ])
  const [{ headers, raw }] = received as [Received]
  expect(headers).toMatchObject({
    'x-deconflict-signature-256': `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`,
    'x-deconflict-event': 'conflict',
    'content-type': 'application/json',
  })
})

test.each(['shadow', 'off'])('in mode %s nothing is posted', async (mode) => {
  useSettings(`comment: {mode: ${mode}}`)
  await openPair()
  await repository.createNotable({ importance: 'high' })
  expect(received).toEqual([])
})

test.each([
  ['critical', 1],
  ['high', 1],
  ['medium', 0],
])('a notable of %s importance is posted %i times', async (importance, times) => {
  const id = await repository.createNotable({ title: 'Frozen', importance })
  expect(received.map(({ body }) => body.notable.id)).toEqual(Array(times).fill(id))
  if (times > 0)
    expect(received[0]?.body.text).toBe(
      `${repository.full_name}: notable of ${importance} importance by \`ada\`: \`Frozen\` https://deconflict.example/#/${repository.full_name}`,
    )
})

test('the address of the repository gets each notification too, unsigned', async () => {
  const own = 'https://hooks.example.com/services/secret'
  const { fetch } = globalThis
  const posts: RequestInit[] = []
  globalThis.fetch = async (input, init) => {
    if (input !== own) return fetch(input, init)
    posts.push(init as RequestInit)
    return new Response()
  }
  // Not by a spy: vitest restores it once more, after the fake GitHub has given the network back.
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
  useSettings(`notify_url: ${own}`)
  await openPair()
  expect(received).toHaveLength(1)
  expect(posts.map(({ body }) => JSON.parse(String(body)))).toEqual([received[0]?.body])
  expect(posts[0]).toMatchObject({ redirect: 'manual', dispatcher: await publicOnly() })
  expect(Object.keys(posts[0]?.headers ?? {})).not.toContain('X-Deconflict-Signature-256')
  expect((await repository.request('GET', '/settings')).body.notify_url).toBe('https://hooks.example.com')
})

test('an instance without the App posts, and leaves the work of the App to the others', async () => {
  const { database_url, notify } = service.app.config
  const number = await repository.open()
  await service.enqueueFirstJobs()
  await service.deliver(pullRequestEvent(github, repository.full_name, number, 'edited'))
  await repository.request('POST', '/notables', { body: { ...NOTABLE, scope: { paths: ['src/pay.ts'] } } })
  const config = { database_url, notify }
  const other = await startTestService({ token: 'ada', config, has_workers: true, job_poll_ms: 20 })
  other.clock.now = service.clock.now
  await expect.poll(() => other.log.join()).toContain('no GitHub App')
  await expect.poll(() => received).toHaveLength(1)
  await other.close()
  const left = (await service.jobs()).filter(({ state }) => state === 'pending').map(({ kind }) => kind)
  expect(left).toEqual(['delivery', 'recheck', 'reconcile_all', 'redeliver'])
  service.clock.advance(MINUTE_MS)
  expect(await service.runDueJobs()).toEqual([])
  expect(repository.comment(number)).toContain(NOTABLE.title)
})

describe('a receiver', () => {
  afterEach(() => expect(answers).toEqual([]))

  /** Creates a high notable, whose first post is answered as in `answers`; returns the failed jobs. */
  const notify = async (given = {}) => {
    const body = { title: 'Frozen', summary: 'Now.', category: 'migration', importance: 'high', ...given }
    expect((await repository.request('POST', '/notables', { body })).status).toBe(201)
    return service.runDueJobs()
  }
  const later = async () => {
    service.clock.advance(HOUR_MS)
    return service.runDueJobs()
  }

  test('that fails gets the same delivery again, with backoff', async () => {
    answers = [[500], [404]]
    const [failed] = await notify()
    expect(failed?.last_error).toContain('NOTIFY_WEBHOOK_URL answered 500')
    expect(received).toHaveLength(1)
    await later()
    expect(await later()).toEqual([])
    expect(received).toHaveLength(3)
    const ids = received.map(({ headers }) => headers['x-deconflict-delivery'])
    expect(new Set(ids).size).toBe(1)
    // The address is not logged.
    expect(service.log.join('\n')).not.toContain('/T1/B2')
  })

  test('that limits the rate gets the post again after its Retry-After, twelve times in all', async () => {
    answers = Array(12).fill([429, { 'retry-after': '120' }])
    await notify()
    service.clock.advance(119_000)
    await service.runDueJobs()
    expect(received).toHaveLength(1)
    for (let hours = 0; hours < 12; hours += 1) await later()
    expect(received).toHaveLength(12)
    expect(await service.jobs('notify')).toMatchObject([{ state: 'dead' }])
  })

  // Threat: Server-side request forgery, or a secret sent in the clear, through `NOTIFY_WEBHOOK_URL`
  test('a redirect is not followed, the answer is not read, and a notable that has ended is not posted again', async () => {
    answers = [[302, { location: '/elsewhere' }]]
    const [failed] = await notify({ applies_until: soon(service.clock.now, MINUTE_MS) })
    expect(failed?.last_error).toContain('answered 302')
    expect(await later()).toEqual([])
    expect(received).toHaveLength(1)
  })
})
