/** Notifications at NOTIFY_WEBHOOK_URL: what is posted, once, signed, and retried (docs/notifications.md). */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { fakeGithub } from '../support/github.ts'
import { timestamp } from '../support/github-state.ts'
import { editOf } from '../support/lines.ts'
import {
  type PullRequestService,
  startPullRequestService,
  type TrackedRepository,
} from '../support/pull-request-service.ts'

interface Received {
  headers: Record<string, string | string[] | undefined>
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SECRET = 'hush'
const github = fakeGithub()
let receiver: Server
let received: Received[]
/** The status and headers of the next answers; then 200. */
let answers: [status: number, headers?: Record<string, string>][]
let fixture: PullRequestService
let repository: TrackedRepository

beforeAll(async () => {
  receiver = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const raw = await text(req)
    received.push({ headers: req.headers, raw, body: JSON.parse(raw) })
    const [status, headers = {}] = answers.shift() ?? [200]
    res.writeHead(status, headers).end('ok')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/T1/B2`
  fixture = await startPullRequestService(github, {
    config: { notify: { url, secret: SECRET }, public_url: 'https://deconflict.example' },
  })
})
beforeEach(() => {
  received = []
  answers = []
})
afterAll(async () => {
  await fixture.service.close()
  receiver.closeAllConnections()
  receiver.close()
  github.close()
})

const base = Array.from({ length: 120 }, (_, at) => `payments.add(pay(${at}))`)
const edit = (at: number, added: string[]) =>
  ({ filename: 'src/pay.ts', status: 'modified', patch: editOf(base, at, 3, added) }) as const
/** The same edit as at line 41, on a base that has ten more lines before it, and another line next to it. */
const likely = {
  filename: 'src/pay.ts',
  status: 'modified',
  patch: editOf(
    [...Array.from({ length: 10 }, (_, at) => `filler(${at})`), ...base.with(37, 'other()')],
    51,
    3,
    ['tidy()'],
  ),
} as const
const work = (head: string, ...files: ReturnType<typeof edit>[]) => ({
  title: `Edit in ${head}`,
  head,
  author: `author-of-${head}`,
  files,
})
const open = (...given: Parameters<typeof work>) => repository.open(work(...given))
/** Opens two pull requests that change the same lines, in one second of GitHub's clock and one after the other of the service's. */
async function openPair(): Promise<[number, number]> {
  const created_at = timestamp(new Date())
  const first = await repository.open({ ...work('retries', edit(40, ['retry()'])), created_at })
  fixture.service.clock.advance(1000)
  return [first, await repository.open({ ...work('tidy', edit(41, ['tidy()'])), created_at })]
}

/** Advances the clock past the retention of jobs. The posts are no longer known as jobs. */
async function purgeJobs(): Promise<void> {
  expect(await fixture.service.jobs('notify')).toHaveLength(1)
  fixture.service.clock.advance(8 * DAY_MS)
  await sweep(fixture.service.app)
  expect(await fixture.service.jobs('notify')).toEqual([])
}

describe('a proved conflict', () => {
  beforeEach(() => {
    repository = fixture.repository()
  })

  test('is posted with both sides, the later one first, and its lines', async () => {
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
  })

  test('is signed with the secret, as GitHub signs its webhooks', async () => {
    await openPair()
    const [{ headers, raw }] = received as [Received]
    const signature = createHmac('sha256', SECRET).update(raw).digest('hex')
    expect(headers).toMatchObject({
      'x-deconflict-signature-256': `sha256=${signature}`,
      'x-deconflict-event': 'conflict',
      'content-type': 'application/json',
    })
  })

  test('is posted once, even if it is resolved and returns', async () => {
    const [, second] = await openPair()
    await repository.push(second, [edit(41, ['tidy(1)'])])
    await repository.push(second, [edit(90, ['tidy()'])])
    await repository.push(second, [edit(41, ['tidy(2)'])])
    expect(received).toHaveLength(1)
  })

  test('is posted once, also when it returns after the job of its post was deleted', async () => {
    repository = fixture.repository('activity_ttl_ms: 2592000000')
    const [, second] = await openPair()
    const overlaps = async () => (await repository.request('GET', '/overlaps')).body.items
    await repository.push(second, [likely])
    expect(await overlaps()).toMatchObject([{ lines: 'conflict', severity: 'medium' }])
    await purgeJobs()
    await repository.push(second, [edit(41, ['tidy()'])])
    expect(await overlaps()).toMatchObject([{ lines: 'conflict', severity: 'high' }])
    expect(received).toHaveLength(1)
  })

  test('of a branch that got a pull request is not posted again after that', async () => {
    repository = fixture.repository('activity_ttl_ms: 2592000000')
    const changes = [{ path: 'src/pay.ts', status: 'modified', patch: editOf(base, 40, 3, ['x()']) }]
    await repository.createActivity({ branch: 'declared', scope: { changes } })
    const tidy = await open('tidy', edit(41, ['tidy()']))
    await open('declared', edit(40, ['x()']))
    await repository.push(tidy, [likely])
    await purgeJobs()
    await repository.push(tidy, [edit(41, ['tidy()'])])
    expect(received).toHaveLength(1)
  })

  test('of work without a pull request is posted, and not again when that gets one', async () => {
    const changes = [{ path: 'src/pay.ts', status: 'modified', patch: editOf(base, 40, 3, ['x()']) }]
    await repository.createActivity({ branch: 'declared', scope: { changes } })
    await open('tidy', edit(41, ['tidy()']))
    expect(received.map(({ body }) => body.sides.map(({ branch }: { branch: string }) => branch))).toEqual([
      [null, 'declared'],
    ])
    await open('declared', edit(40, ['x()']))
    expect(received).toHaveLength(1)
  })

  test('with work that was not pushed for two weeks is posted when it is pushed again', async () => {
    const created_at = timestamp(new Date(Date.now() - 15 * DAY_MS))
    const first = await repository.open({ ...work('retries', edit(40, ['retry()'])), created_at })
    await open('tidy', edit(41, ['tidy()']))
    expect((await repository.request('GET', '/overlaps')).body.items).toMatchObject([{ severity: 'high' }])
    expect(received).toEqual([])
    await repository.push(first, [edit(40, ['retry(1)'])])
    expect(received).toHaveLength(1)
  })

  test('of one author is not posted', async () => {
    for (const head of ['a', 'b'])
      await repository.open({ head, author: 'ada', files: [edit(40, [`${head}()`])] })
    expect(received).toEqual([])
  })

  test('of a bot is not posted', async () => {
    await repository.open({ head: 'bump', author: 'renovate[bot]', files: [edit(40, ['a()'])] })
    await open('tidy', edit(41, ['tidy()']))
    expect(received).toEqual([])
  })

  test('does not exist between lines far apart in one file', async () => {
    await open('retries', edit(10, ['retry()']))
    await open('tidy', edit(100, ['tidy()']))
    expect(received).toEqual([])
  })
})

test.each(['shadow', 'off'])('in mode %s nothing is posted', async (mode) => {
  repository = fixture.repository(`comment: {mode: ${mode}}`)
  await openPair()
  await repository.createNotable({ importance: 'high' })
  expect(received).toEqual([])
})

test('work that does the same is posted as a duplicate', async () => {
  repository = fixture.repository()
  for (const [head, at] of [
    ['one', 20],
    ['two', 90],
  ] as const)
    await repository.open({ head, author: head, body: 'Closes #7', files: [edit(at, [`${head}()`])] })
  expect(received.map(({ body }) => body.event)).toEqual(['duplicate'])
  expect(received[0]?.body.text).toContain('seems to do the same as')
})

describe('a notable', () => {
  beforeEach(() => {
    repository = fixture.repository()
  })

  test.each([
    ['critical', 1],
    ['high', 1],
    ['medium', 0],
  ])('of %s importance is posted %i times', async (importance, times) => {
    const id = await repository.createNotable({ title: 'Frozen', importance })
    expect(received.map(({ body }) => body.notable.id)).toEqual(Array(times).fill(id))
    if (times > 0)
      expect(received[0]?.body.text).toBe(
        `${repository.full_name}: notable of ${importance} importance by \`ada\`: \`Frozen\` https://deconflict.example/#/${repository.full_name}`,
      )
  })
})

describe('a notable that is not high', () => {
  beforeEach(() => {
    repository = fixture.repository()
  })

  test.each([{ importance: 'critical' }, { blocking: true }])(
    'is posted when it becomes so by %j, and once',
    async (change) => {
      const id = await repository.createNotable({ importance: 'low' })
      const update = (body: object) => repository.request('PATCH', `/notables/${id}`, { body })
      await update({ title: 'Frozen' })
      expect(received).toEqual([])
      for (const body of [change, { importance: 'low', blocking: false }, change]) await update(body)
      await repository.advance(0)
      expect(received.map(({ body }) => body.notable.id)).toEqual([id])
    },
  )
})

test('a notable that becomes high again after the job of its post was deleted is not posted again', async () => {
  repository = fixture.repository('notable_ttl_ms: 2592000000')
  const id = await repository.createNotable({ importance: 'high' })
  const update = (importance: string) =>
    repository.request('PATCH', `/notables/${id}`, { body: { importance } })
  await update('low')
  await purgeJobs()
  await update('high')
  await repository.advance(0)
  expect(received).toHaveLength(1)
})

describe('a receiver', () => {
  beforeEach(() => {
    repository = fixture.repository()
  })
  afterEach(() => expect(answers).toEqual([]))

  /** Creates a high notable, whose first post is answered as in `answers`; returns the failed jobs. */
  const notify = async () => {
    const body = { title: 'Frozen', summary: 'Now.', category: 'migration', importance: 'high' }
    expect((await repository.request('POST', '/notables', { body })).status).toBe(201)
    return fixture.runJobs()
  }
  const later = async () => {
    fixture.service.clock.advance(HOUR_MS)
    return fixture.runJobs()
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
  })

  test('that limits the rate gets the post again after its Retry-After', async () => {
    answers = [[429, { 'retry-after': '120' }]]
    expect(await notify()).toEqual([])
    fixture.service.clock.advance(119_000)
    await fixture.runJobs()
    expect(received).toHaveLength(1)
    fixture.service.clock.advance(2000)
    await fixture.runJobs()
    expect(received).toHaveLength(2)
  })

  // Threat: Server-side request forgery, or a secret sent in the clear, through `NOTIFY_WEBHOOK_URL`
  test('a redirect is not followed, and the answer is not read', async () => {
    answers = [[302, { location: '/elsewhere' }]]
    const [failed] = await notify()
    expect(failed?.last_error).toContain('answered 302')
    expect(received).toHaveLength(1)
    await later()
  })

  test('has an address that is not logged', async () => {
    answers = [[500]]
    await notify()
    await later()
    expect(fixture.service.log.join('\n')).not.toContain('/T1/B2')
  })
})
