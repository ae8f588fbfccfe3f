/** Repositories that are watched without the GitHub App: polled pull requests become activities, and GitHub is only read. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/server/github/repository-calls.ts'
import { watchOnce } from '../../src/server/github/tracking/watch.ts'
import { Watch } from '../../src/server/github/watched-repositories.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { pull_requests } from '../../src/server/records/pull-requests/table.ts'
import { repositories } from '../../src/server/records/repositories/table.ts'
import { useAppService } from '../support/app-service.ts'
import { SSO_URL } from '../support/github-reply.ts'
import type { FakeRepository, PullGiven } from '../support/github-repository.ts'
import { timestamp } from '../support/github-state.ts'
import { editOfPay } from '../support/lines.ts'

const TOKEN = 'tok-watcher'
const MINUTE_MS = 60_000
const LIST = 'GET /repos/acme/shop/pulls'

/** Pull requests on a page of GitHub's list. */
const PAGE = 5

const WATCH = { token: TOKEN, repositories: [{ owner: 'Acme', name: 'shop' }] }

const { github, service } = useAppService({
  config: { github_app: null, watch: WATCH },
  list_limits: { ...LIST_LIMITS, page: PAGE },
})
let shop: FakeRepository
let repo_id = 900

beforeEach(() => {
  github.clearFaults()
  github.state.repositories.length = 0
  repo_id += 1
  github.repository({ id: repo_id, full_name: 'acme/shop' })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
  github.token(TOKEN, { login: 'wes', id: 2, permissions: { 'acme/shop': 'read' } })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) github.fault(`${method} *`, 'forbidden')
  shop = github.at('acme/shop')
  // The fake GitHub uses the real clock.
  service.clock.now = new Date()
  service.log.length = 0
  service.app.access.invalidate()
  restartWatch()
})

/** Clears the state that the watch keeps in memory, as a restart does. */
function restartWatch(): void {
  const { config, clock, log, metrics } = service.app
  service.app.watch = new Watch(WATCH, { api_url: config.github_api_url, clock, log, metrics })
}

async function turn(): Promise<void> {
  await watchOnce(service.app)
  expect(await service.runDueJobs()).toEqual([])
}
/** The next minute. */
async function nextTurn(): Promise<void> {
  service.clock.advance(MINUTE_MS)
  await turn()
}
async function listed(query = ''): Promise<{ id: string; branch: string; [field: string]: unknown }[]> {
  return await service.list(query)
}
const activityOf = async (branch: string, query = '') =>
  (await listed(query)).find((each) => each.branch === branch)

function open(branch: string, at_line: number, given: PullGiven = {}): number {
  const files = [editOfPay(at_line, [`changed(${branch})`])]
  return shop.open({ head: branch, author: `author-of-${branch}`, files, ...given }).number
}
/** A change on GitHub, whose timestamps have seconds. */
function touch(number: number, seconds = 1): void {
  const pull = shop.pull(number)
  pull.updated_at = timestamp(new Date(Date.parse(pull.updated_at) + seconds * 1000))
}
const ofWatcher = () => github.requests('*').filter(({ token }) => token === TOKEN)
const callsSince = (from: number) =>
  ofWatcher()
    .slice(from)
    .map(({ route, status }) => `${status} ${route}`)
const lines = (message: string) =>
  service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)

// Threat: A write with the token that watches
test('open pull requests become activities with their lines, collide, and nothing is written to GitHub', async () => {
  const created_at = timestamp(new Date(Date.now() - 3_600_000))
  open('retries', 40, { title: 'Retry payments', created_at })
  open('tidy', 41, { created_at })
  open('far', 100, { draft: true })
  await turn()
  expect(await activityOf('far')).toMatchObject({ source: 'pull_request', status: 'draft-pr-open' })
  expect(await activityOf('tidy')).toMatchObject({ source: 'pull_request', status: 'ready-for-review' })
  expect(await activityOf('retries')).toMatchObject({
    title: 'Retry payments',
    actor: 'author-of-retries',
    scope: { paths: ['src/pay.ts'] },
  })
  const { body } = await service.api('GET', '/overlaps')
  const proved = body.items.filter(({ consequence }: { consequence: string }) => consequence === 'conflict')
  expect(proved).toMatchObject([{ severity: 'high' }])
  const { body: signal } = await service.api('GET', '/signal')
  expect(signal).toMatchObject({
    mode: 'shadow',
    periods: [{ pairs: { shown: 0 } }, { pairs: { shown: 0 } }],
  })
  const methods = github.requests().map(({ route }) => route.split(' ')[0])
  expect(new Set(methods)).toEqual(new Set(['GET']))
  expect(JSON.stringify(service.log)).not.toContain(TOKEN)
})

// Threat: Reading a watched repository without access to it
test('a caller who cannot read the repository on GitHub sees nothing of it', async () => {
  open('retries', 40)
  await turn()
  github.token('eve', { login: 'eve', id: 3, permissions: {} })
  const { status, body } = await service.api('GET', '/activity', { token: 'eve' })
  expect(status).toBe(403)
  expect(body.error.type).toBe('forbidden')
})

test('a minute without a change costs one call, which GitHub answers with 304', async () => {
  open('retries', 40)
  await turn()
  await nextTurn()
  for (let minute = 0; minute < 3; minute += 1) {
    const before = ofWatcher().length
    await nextTurn()
    expect(callsSince(before)).toEqual([`304 ${LIST}`])
  }
})

test('a push, an edit, a draft, a merge, a close and a reopening have the same effect as by webhook', async () => {
  const one = open('retries', 40)
  const two = open('tidy', 100)
  await turn()
  await nextTurn()

  shop.pushTo(one)
  shop.update(one, { files: [{ filename: 'src/till.ts', status: 'added', patch: '@@ -0,0 +1 @@\n+till()' }] })
  touch(one)
  let before = ofWatcher().length
  await nextTurn()
  expect(callsSince(before)).toEqual([`200 ${LIST}`, `200 ${LIST}/${one}/files`])
  expect(await activityOf('retries')).toMatchObject({ scope: { paths: ['src/till.ts'] } })

  shop.update(one, { title: 'Retry twice', draft: true })
  touch(one, 3)
  before = ofWatcher().length
  await nextTurn()
  expect(await activityOf('retries')).toMatchObject({ title: 'Retry twice', status: 'draft-pr-open' })
  expect(callsSince(before)).toEqual([`200 ${LIST}`])

  shop.merge(one)
  touch(one, 4)
  shop.close(two)
  touch(two, 4)
  await nextTurn()
  expect(await listed()).toEqual([])
  const ended = await Promise.all(
    ['retries', 'tidy'].map(async (branch) => {
      const { id } = (await activityOf(branch, '?status=archived')) as { id: string }
      return (await service.read(id)).archive_reason
    }),
  )
  expect(ended).toEqual(['pull_request_merged', 'pull_request_closed'])

  shop.reopen(two)
  touch(two, 5)
  await nextTurn()
  expect(await activityOf('tidy')).toMatchObject({ status: 'ready-for-review' })
})

test('more updates than one page holds are read with all open pull requests', async () => {
  await turn()
  await nextTurn()
  const before = github.calls(`${LIST}/*/files`)
  for (let index = 0; index < PAGE + 2; index += 1) shop.open({ files: [`src/${index}.ts`] })
  await nextTurn()
  expect(await listed('?limit=100')).toHaveLength(PAGE + 2)
  expect(github.calls(`${LIST}/*/files`) - before).toBeGreaterThanOrEqual(PAGE + 2)
})

test('the pull requests that were opened last are imported first, five at a time', async () => {
  const opened = Array.from({ length: 12 }, (_, hour) =>
    open(`b${hour}`, 8 * hour + 4, { created_at: `2026-03-02T${String(hour + 10)}:00:00Z` }),
  )
  const before = ofWatcher().length
  await turn()
  const read = callsSince(before).flatMap((call) => /pulls\/(\d+)\/files/.exec(call)?.[1] ?? [])
  const batches = [read.slice(0, 5), read.slice(5, 10), read.slice(10)]
  expect(batches.map((batch) => batch.map(Number).toSorted((a, b) => a - b))).toEqual([
    opened.slice(7),
    opened.slice(2, 7),
    opened.slice(0, 2),
  ])
})

test('the settings file applies, and comments are computed but never posted', async () => {
  shop.write('.github/deconflict.yml', 'activity_ttl_ms: 7200000\ncheck_run: true\n')
  open('retries', 40)
  await turn()
  const { body } = await service.api('GET', '/settings')
  expect(body).toMatchObject({
    source: 'file',
    activity_ttl_ms: 7_200_000,
    check_run: false,
    comment: { mode: 'shadow' },
    sources: { activity_ttl_ms: 'repository', 'comment.mode': 'watched' },
  })
  shop.write('.github/deconflict.yml', 'comment: {mode: off}\n')
  for (let minute = 0; minute < 11; minute += 1) await nextTurn()
  expect((await service.api('GET', '/settings')).body).toMatchObject({
    activity_ttl_ms: 86_400_000,
    comment: { mode: 'off' },
    sources: { 'comment.mode': 'repository' },
  })
})

test.each([
  ['rate_limited', 600],
  ['limited_without_header', 70],
] as const)('GitHub limits the rate (%s): no call is made until the limit ends', async (fault, wait_s) => {
  open('retries', 40)
  await turn()
  github.fault(LIST, fault, 1, wait_s)
  await nextTurn()
  const before = ofWatcher().length
  // The reset of the fake GitHub follows the real clock, which is a minute behind.
  service.clock.advance((wait_s - 65) * 1000)
  await turn()
  expect(callsSince(before)).toEqual([])
  service.clock.advance(2 * MINUTE_MS)
  await turn()
  expect(callsSince(before)).toContain(`200 ${LIST}`)
  expect(lines('watch paused by the rate limit of GITHUB_TOKEN')).toHaveLength(1)
})

describe('watching pauses with one log line, and resumes afterwards', () => {
  test('a token that is not authorised for single sign-on, with the address', async () => {
    github.fault('GET *', 'sso_required')
    await turn()
    expect(lines('watch stopped')).toMatchObject([
      { status: 403, reason: `authorise GITHUB_TOKEN for SAML at ${SSO_URL}` },
    ])
  })

  test.each([
    ['is revoked', 'bad_credentials', 401],
    ['loses the repository', 'not_found', 404],
  ] as const)('a token that %s', async (_, fault, status) => {
    open('retries', 40)
    await turn()
    await nextTurn()
    github.fault('GET *', fault)
    const before = ofWatcher().length
    for (let minute = 0; minute < 10; minute += 1) await nextTurn()
    expect(callsSince(before).length).toBeLessThanOrEqual(3)
    expect(lines('watch stopped')).toMatchObject([{ status }])
    github.clearFaults()
    open('tidy', 41)
    for (let minute = 0; minute < 6; minute += 1) await nextTurn()
    expect(await listed()).toHaveLength(2)
  })
})

test('a renamed repository is followed', async () => {
  open('retries', 40)
  await turn()
  github.rename('acme/shop', 'acme/store')
  open('tidy', 41)
  service.clock.advance(60 * MINUTE_MS)
  await turn()
  const { body } = await service.api('GET', '/api/v1/repos/acme/store/activity')
  expect(body.items).toHaveLength(2)
})

test('a repository that takes the name of another one is watched instead of it', async () => {
  open('retries', 40)
  await turn()
  const { id } = (await activityOf('retries')) as { id: string }
  github.rename('acme/shop', 'acme/vault')
  repo_id += 1
  github.repository({ id: repo_id, full_name: 'acme/shop' })
  github.at('acme/shop').write('.github/deconflict.yml', 'activity_ttl_ms: 5000')
  for (let minutes = 0; minutes < 70; minutes += 10) {
    service.clock.advance(10 * MINUTE_MS)
    await turn()
  }
  const permissions = { 'acme/shop': 'write', 'acme/vault': 'write' } as const
  github.token('ada', { login: 'ada', id: 1, permissions })
  service.app.access.invalidate()
  const { body } = await service.api('GET', `/api/v1/repos/acme/vault/activity/${id}`)
  expect(body.status).toBe('ready-for-review')
  const settings = await service.api('GET', '/api/v1/repos/acme/vault/settings')
  expect(settings.body.activity_ttl_ms).not.toBe(5000)
  expect((await service.api('GET', '/settings')).body.activity_ttl_ms).toBe(5000)
})

test('a repository where the App is installed is not polled', async () => {
  open('retries', 40)
  await turn()
  await service.db.update(repositories).set({ installation_id: 7, watched_at: null })
  const before = ofWatcher().length
  for (let minute = 0; minute < 3; minute += 1) await nextTurn()
  expect(callsSince(before)).toEqual([])
  expect(lines('not watched: the GitHub App is installed')).toHaveLength(1)
})

test('what watching created is deleted when the repository was not watched for the retention period', async () => {
  open('retries', 40)
  await turn()
  const declared = await service.api('POST', '/activity', {
    body: { title: 'Pay', summary: 'Twice.', actor: 'Ada' },
  })
  const stored = () => service.db.select().from(pull_requests)
  service.clock.advance(30 * 86_400_000 - 1)
  await sweep(service.app)
  expect(await stored()).toHaveLength(1)
  service.clock.advance(1)
  await sweep(service.app)
  expect(await stored()).toEqual([])
  expect((await service.read(declared.body.activity.id)).status).toBe('expired')
})
