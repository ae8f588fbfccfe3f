/** `GET …/signal`: how many pull requests were told of what, and how right that was (contract §12). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pull_requests } from '../../src/pull-requests/table.ts'
import type { Signal } from '../../src/signal/signal.ts'
import { noise_pairs, pair_totals, pairs } from '../../src/signal/table.ts'
import { fakeGithub } from '../support/github.ts'
import { editOf } from '../support/lines.ts'
import {
  type PullRequestService,
  QUIET_MS,
  startPullRequestService,
  type TrackedRepository,
} from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const github = fakeGithub()
let fixture: PullRequestService
let repository: TrackedRepository

beforeAll(async () => {
  fixture = await startPullRequestService(github)
})
beforeEach(() => {
  repository = fixture.repository()
})
afterAll(async () => {
  await fixture.service.close()
  github.close()
})

const base = Array.from({ length: 120 }, (_, at) => `pay(${at})`)
const edit = (at: number, added: string[]) =>
  ({ filename: 'src/pay.ts', status: 'modified', patch: editOf(base, at, 3, added) }) as const
const open = (head: string, ...files: ReturnType<typeof edit>[]) =>
  repository.open({ title: `Edit in ${head}`, head, author: `author-of-${head}`, files })
const merge = async (number: number) => {
  repository.githubRepo.merge(number)
  await repository.deliver(number, 'closed')
}
const signal = async (query = ''): Promise<Signal> => {
  const { status, body } = await repository.request('GET', `/signal${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const db = () => fixture.service.app.database.connection()
const daysAgo = (days: number) => new Date(fixture.service.clock.now.getTime() - days * DAY_MS)
const link = (number: number) => `https://github.com/${repository.full_name}/pull/${number}`

const NONE = { shown: 0, came_true: 0, resolved: 0, wrong: 0, given_up: 0, open: 0 }

test('is empty for a repository without pull requests', async () => {
  expect(await signal()).toEqual({
    days: 30,
    mode: 'on',
    budget: { share: null, limit: 0.15, in_force: false },
    pull_requests: 0,
    commented: 0,
    pairs: NONE,
    precision: null,
    noise: {},
    hot_files: [],
    recorded: 0,
    feedback: { up: 0, down: 0 },
    months: [],
    recent: [],
  })
})

describe('two pull requests on the same lines', () => {
  test('are one pair, with links, until the outcome is known', async () => {
    const first = await open('retries', edit(40, ['retry()']))
    const second = await open('tidy', edit(41, ['tidy()']))
    expect(await signal('?days=1')).toMatchObject({
      days: 1,
      budget: { share: 0.5, in_force: false },
      pull_requests: 2,
      commented: 1,
      pairs: { ...NONE, shown: 1, open: 1 },
      hot_files: [{ path: 'src/pay.ts', pairs: 1, people: 2 }],
      recorded: 1,
      recent: [
        {
          sides: [
            { pr_url: link(first), branch: null, author: 'author-of-retries', shown_at: null },
            { pr_url: link(second), branch: null, author: 'author-of-tidy', shown_at: expect.any(String) },
          ],
          verdict: 'conflict',
          confidence: 'proved',
          duplicate: false,
          files: [
            {
              path: 'src/pay.ts',
              line_ranges: [
                [40, 42],
                [41, 43],
              ],
            },
          ],
          outcome: 'open',
        },
      ],
    })
    await repository.push(second, [edit(100, ['tidy()'])])
    expect(await signal()).toMatchObject({
      pairs: { ...NONE, shown: 1, resolved: 1 },
      precision: null,
      months: [{ shown: 1, resolved: 1, precision: null }],
      recent: [{ outcome: 'resolved' }],
    })
  })

  test('are one pair also when both are told', async () => {
    await repository.writeFile('.github/deconflict.yml', 'comment: {audience: both}')
    const first = await open('retries', edit(40, ['retry()']))
    await open('tidy', edit(41, ['tidy()']))
    await repository.advance(QUIET_MS)
    expect(repository.comment(first)).toBeDefined()
    expect(await signal()).toMatchObject({ commented: 2, pairs: { ...NONE, shown: 1, open: 1 } })
  })

  test('are counted in shadow mode, in which nothing is posted', async () => {
    await repository.writeFile('.github/deconflict.yml', 'comment: {mode: shadow}')
    const first = await open('retries', edit(40, ['retry()']))
    const second = await open('tidy', edit(41, ['tidy()']))
    await merge(first)
    await merge(second)
    expect(repository.writes()).toEqual([])
    expect(await signal()).toMatchObject({
      mode: 'shadow',
      commented: 1,
      pairs: { ...NONE, shown: 1, wrong: 1 },
      recent: [{ sides: [{ shown_at: null }, { shown_at: expect.any(String) }], outcome: 'wrong' }],
    })
  })
})

test('the pair of a branch becomes the one of its pull request', async () => {
  const { filename: path, ...change } = edit(40, ['retry()'])
  await repository.createActivity({ branch: 'retries', scope: { changes: [{ path, ...change }] } })
  const second = await open('tidy', edit(41, ['tidy()']))
  const first = await open('retries', edit(40, ['retry()']))
  await merge(first)
  expect(await signal()).toMatchObject({ recorded: 1, pairs: { shown: 1, open: 1 } })
  repository.githubRepo.update(second, { mergeable: false })
  await repository.advance(QUIET_MS)
  expect(await signal()).toMatchObject({ recorded: 1, pairs: { shown: 1, came_true: 1 } })
})

test('files of pairs that nobody was shown are hot too, but the pairs do not count', async () => {
  const own = (head: string, at: number) =>
    repository.open({ head, author: 'cy', files: [edit(at, [`${head}()`])] })
  await own('retries', 40)
  await own('tidy', 41)
  expect(await signal()).toMatchObject({
    pairs: NONE,
    recorded: 1,
    hot_files: [{ path: 'src/pay.ts', pairs: 1, people: 1 }],
    recent: [],
  })
})

test('reactions to a comment arrive when it is edited', async () => {
  await open('retries', edit(40, ['retry()']))
  const second = await open('tidy', edit(41, ['tidy()']))
  const [comment] = repository.githubRepo.comments(second)
  Object.assign(comment?.reactions ?? {}, { '+1': 2, '-1': 1 })
  expect((await signal()).feedback).toEqual({ up: 0, down: 0 })
  const before = repository.calls().length
  await repository.push(second, [edit(100, ['tidy()'])])
  await repository.advance(QUIET_MS)
  expect((await signal()).feedback).toEqual({ up: 2, down: 1 })
  expect(
    repository
      .calls()
      .slice(before)
      .filter((call) => call.includes('reactions')),
  ).toEqual([])
})

test('counts each pair by when it was first shown, and gives precision from ten on', async () => {
  const row = (number: number, outcome: 'came_true' | 'wrong' | 'given_up', days: number) => ({
    repo_id: repository.id,
    first: '#1',
    second: `#${number}`,
    first_author: 'Ada',
    second_author: number % 2 ? 'ada' : 'ben',
    first_active_at: daysAgo(days),
    second_active_at: daysAgo(days),
    is_duplicate: false,
    files: [{ path: 'src/pay.ts', first_lines: null, second_lines: null }],
    seen_at: daysAgo(days),
    first_shown_at: daysAgo(days),
    second_shown_at: daysAgo(days - 1),
    outcome,
    ended_at: daysAgo(days),
  })
  const decided = Array.from({ length: 10 }, (_, at) => row(at + 2, at < 8 ? 'came_true' : 'wrong', 5))
  await db()
    .insert(pairs)
    .values([...decided.slice(1), row(20, 'given_up', 5), row(21, 'came_true', 30.5)])
  expect(await signal()).toMatchObject({
    pairs: { ...NONE, shown: 10, came_true: 7, wrong: 2, given_up: 1 },
    precision: null,
    recorded: 10,
    hot_files: [{ path: 'src/pay.ts', pairs: 10, people: 2 }],
  })
  await db().insert(pairs).values(decided.slice(0, 1))
  expect(await signal()).toMatchObject({ pairs: { shown: 11 }, precision: 0.8 })
  expect(await signal('?days=31')).toMatchObject({ pairs: { shown: 12 }, precision: 9 / 11 })
  await db()
    .insert(pair_totals)
    .values({ repo_id: repository.id, month: '2020-01', outcome: 'resolved', pairs: 12 })
  const { months } = await signal()
  expect(months[0]).toEqual({ ...NONE, month: '2020-01', shown: 12, resolved: 12, precision: 1 })
  expect(months.reduce((sum, { shown }) => sum + shown, 0)).toBe(24)
})

test('counts each pair of pull requests that share only noise once, after any number of pushes', async () => {
  const files = ['package-lock.json']
  await repository.open({ files })
  await repository.open({ files })
  const third = await repository.open({ files: [...files, 'CHANGELOG.md'] })
  await repository.push(third, [...files, 'src/pay.ts'])
  await repository.advance(QUIET_MS)
  expect(await signal()).toMatchObject({ noise: { lock: 3 }, recorded: 0 })
})

test('counts the pairs that share only noise by class', async () => {
  const pair = (noise: 'lock' | 'changelog', number: number, days: number) => ({
    repo_id: repository.id,
    noise,
    first: '#1',
    second: `#${number}`,
    seen_at: daysAgo(days),
  })
  await db()
    .insert(noise_pairs)
    .values([pair('lock', 2, 1), pair('changelog', 2, 1), pair('changelog', 3, 2), pair('lock', 4, 40)])
  const { noise } = await signal()
  expect(noise).toEqual({ changelog: 2, lock: 1 })
  expect(Object.keys(noise)).toEqual(['changelog', 'lock'])
})

test('the report and the settings say when the budget is in force', async () => {
  const pull = (number: number) => ({
    repo_id: repository.id,
    number,
    is_open: false,
    is_draft: false,
    is_bot: number === 21,
    is_muted: false,
    is_behind: false,
    author: number === 21 ? 'renovate[bot]' : 'ada',
    head_sha: 'a'.repeat(40),
    opened_at: daysAgo(2),
    changed_at: daysAgo(2),
    commented_at: number <= 4 || number === 21 ? daysAgo(2) : null,
    related_ids: [],
  })
  const budget = async () => (await repository.request('GET', '/settings')).body.budget
  const rows = Array.from({ length: 21 }, (_, at) => pull(at + 1))
  await db().insert(pull_requests).values(rows.slice(1))
  expect(await budget()).toEqual({ share: 3 / 19, limit: 0.15, in_force: false })
  await db().insert(pull_requests).values(rows.slice(0, 1))
  expect(await budget()).toEqual({ share: 0.2, limit: 0.15, in_force: true })
  expect(await signal('?days=1')).toMatchObject({
    pull_requests: 0,
    commented: 0,
    budget: { share: 0.2, limit: 0.15, in_force: true },
  })
})

test.each([
  ['days=0', 'days'],
  ['days=91', 'days'],
  ['days=x', 'days'],
  ['days=1.5', 'days'],
  ['days=', 'days'],
])('refuses %s', async (query, param) => {
  const { status, body } = await repository.request('GET', `/signal?${query}`)
  expect([status, body.error.type, body.error.param]).toEqual([422, 'validation_error', param])
})

test('is for those who can read the repository', async () => {
  expect((await signal('?days=90')).days).toBe(90)
  github.token('rita', { login: 'rita', id: 2, permissions: { [repository.full_name]: 'read' } })
  expect((await repository.request('GET', '/signal', { token: 'rita' })).status).toBe(200)
  github.token('eve', { login: 'eve', id: 3, permissions: {} })
  expect((await repository.request('GET', '/signal', { token: 'eve' })).body.error.type).toBe('forbidden')
  expect((await repository.request('GET', '/signal', { token: null })).status).toBe(401)
  const wrong = await repository.request('GET', '/signal?limit=5')
  expect(wrong.body.error).toMatchObject({ type: 'invalid_request', param: 'limit' })
})
