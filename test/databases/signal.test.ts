/** `GET …/signal`: how many pull requests got a comment, which pairs were shown, and how right that was. */
import { expect, test } from 'vitest'
import { noise_pairs, pair_totals, pairs } from '../../src/server/ledger/table.ts'
import { pull_requests } from '../../src/server/pull-requests/table.ts'
import type { Signal } from '../../src/vocabulary/contract/signal.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const { fixture, repository } = usePullRequests()

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

const NONE = { shown: 0, came_true: 0, resolved: 0, wrong: 0, given_up: 0, open: 0 }

test('the report is empty for a repository without pull requests', async () => {
  expect(await signal()).toEqual({
    days: 30,
    mode: 'on',
    budget: { share: null, limit: 0.15, in_force: false },
    pull_requests: 0,
    commented: 0,
    pairs: NONE,
    precision: null,
    done: { shown: 0, given_up: 0, merged: 0 },
    noise: {},
    hot_files: [],
    recorded: 0,
    feedback: { up: 0, down: 0 },
    months: [],
    recent: [],
  })
})

test('two pull requests on the same lines are counted in shadow mode, in which nothing is posted', async () => {
  await repository.writeFile('.github/deconflict.yml', 'comment: {mode: shadow}')
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
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

test('the pair of a branch becomes that of its pull request', async () => {
  const { filename: path, ...change } = editOfPay(40, ['retry()'])
  await repository.createActivity({ branch: 'retries', scope: { changes: [{ path, ...change }] } })
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  // GitHub is asked whether it can be merged.
  await repository.advance(QUIET_MS)
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  await merge(first)
  expect(await signal()).toMatchObject({ recorded: 1, pairs: { shown: 1, open: 1 } })
  repository.githubRepo.update(second, { mergeable: false })
  await repository.advance(QUIET_MS)
  expect(await signal()).toMatchObject({ recorded: 1, pairs: { shown: 1, came_true: 1 } })
})

test('the report counts each pair by when it was first shown, and gives precision from ten on', async () => {
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

test('the report counts the pairs that share only noise by class', async () => {
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

test('the report and the settings show when the budget is in force', async () => {
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
    title: 'Retry payments',
    branch: 'retries',
    base_branch: 'main',
    pushed_at: daysAgo(2),
    push_received_at: daysAgo(2),
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
