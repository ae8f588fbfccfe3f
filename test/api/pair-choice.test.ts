/** The pairs that `GET …/proofs` chooses for a pull request. */
import { describe, expect, test } from 'vitest'
import { savePairs } from '../../src/server/ledger/store.ts'
import type { PairRow } from '../../src/server/ledger/table.ts'
import type { FileGiven } from '../support/github-repository.ts'
import { editOfPay } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { github, fixture, repository } = usePullRequests()

const headOf = (number: number) => repository.githubRepo.pull(number).head.sha
const ask = (query: string, options = {}) => repository.request('GET', `/proofs${query}`, options)
const choice = async (number: number) => (await ask(`?pull_request=${number}`)).body
const chosen = async (number: number) =>
  (await choice(number)).items.map(
    ({ pull_requests, reason, paths }: { pull_requests: number[]; reason: string; paths: string[] }) =>
      [pull_requests[1], reason, ...paths] as const,
  )
const added = (filename: string): FileGiven => ({
  filename,
  status: 'added',
  patch: '@@ -0,0 +1 @@\n+export const a = 1',
})
const renamed = (previous_filename: string, filename: string): FileGiven => ({
  filename,
  previous_filename,
  status: 'renamed',
})

test('a pull request whose lines are near is chosen, from either side', async () => {
  const one = await repository.openBranch('one', editOfPay(40, ['retry()']))
  const other = await repository.openBranch('other', editOfPay(60, ['tidy()']))
  const pair = { reason: 'near', paths: ['src/pay.ts'] }
  expect(await choice(other)).toEqual({
    pull_request: other,
    head: headOf(other),
    base_branch: 'main',
    items: [{ pull_requests: [other, one], heads: [headOf(other), headOf(one)], ...pair }],
    complete: true,
  })
  expect(await chosen(one)).toEqual([[other, 'near', 'src/pay.ts']])
})

test('one whose lines touch comes before one whose lines are near', async () => {
  const near = await repository.openBranch('near', editOfPay(60, ['a()']))
  const touching = await repository.openBranch('touching', editOfPay(45, ['b()']))
  const own = await repository.openBranch('own', editOfPay(40, ['c()']))
  expect(await chosen(own)).toEqual([
    [touching, 'touching', 'src/pay.ts'],
    [near, 'near', 'src/pay.ts'],
  ])
})

test('the code of a newcomer is not chosen for the run of another, whose workflow nobody approves', async () => {
  const files = (at: number, line: string) => [editOfPay(at, [line])]
  const member = await repository.open({ head: 'member', files: files(40, 'retry()') })
  const newcomer = await repository.open({
    head: 'newcomer',
    files: files(60, 'tidy()'),
    author_association: 'FIRST_TIME_CONTRIBUTOR',
  })
  expect(await chosen(member)).toEqual([])
  expect(await chosen(newcomer)).toEqual([[member, 'near', 'src/pay.ts']])
})

describe('a pull request that moves a directory', () => {
  const move = [renamed('src/pay/a.ts', 'src/bill/a.ts'), renamed('src/pay/b.ts', 'src/bill/b.ts')]

  test('is chosen with one that adds a file there, from either side', async () => {
    const mover = await repository.openBranch('move', ...move)
    const adder = await repository.openBranch('add', added('src/pay/c.ts'))
    expect(await chosen(mover)).toEqual([[adder, 'path_removed', 'src/pay/c.ts']])
    expect(await chosen(adder)).toEqual([[mover, 'path_removed', 'src/pay/c.ts']])
  })

  test('is not chosen with one that works elsewhere', async () => {
    const mover = await repository.openBranch('move', ...move)
    await repository.openBranch('add', added('src/shop/c.ts'))
    expect(await chosen(mover)).toEqual([])
  })
})

test('pull requests that change files which often conflict together are chosen', async () => {
  const row = (at: number) =>
    ({
      repo_id: repository.id,
      first: `#${900 + at}`,
      second: `#${950 + at}`,
      first_active_at: fixture.service.clock.now,
      second_active_at: fixture.service.clock.now,
      is_duplicate: false,
      files: ['src/api.ts', 'docs/api.md'].map((path) => ({ path, first_lines: null, second_lines: null })),
      seen_at: fixture.service.clock.now,
    }) as unknown as PairRow
  await savePairs(fixture.service.app.database.connection(), [row(1), row(2), row(3)])
  const docs = await repository.openBranch('docs', added('docs/api.md'))
  const api = await repository.openBranch('api', added('src/api.ts'))
  expect(await chosen(api)).toEqual([[docs, 'changed_together', 'docs/api.md']])
})

describe('no pair is', () => {
  const near = (head: string, more: object = {}) =>
    repository.open({ head, files: [editOfPay(60, ['tidy()'])], ...more })
  const own = () => repository.openBranch('own', editOfPay(40, ['retry()']))

  test('one that git cannot merge', async () => {
    await repository.openBranch('other', editOfPay(41, ['tidy()']), added('src/pay/c.ts'))
    expect(await chosen(await own())).toEqual([])
  })

  test('work for another base branch', async () => {
    await near('backport', { base: 'v1' })
    expect(await chosen(await own())).toEqual([])
  })

  test('a stack', async () => {
    const below = await own()
    await near('above', { base: 'own' })
    expect(await chosen(below)).toEqual([])
  })

  test('a closed pull request', async () => {
    const other = await near('other')
    repository.githubRepo.close(other)
    await repository.deliver(other, 'closed')
    expect(await chosen(await own())).toEqual([])
  })

  test('declared work without a pull request', async () => {
    await repository.createActivity({ branch: 'x', scope: { paths: [], changes: [{ path: 'src/pay.ts' }] } })
    expect(await chosen(await own())).toEqual([])
  })

  test.each(['passed', 'failed', 'side_failed'])('proved with these heads: %s', async (result) => {
    const other = await near('other')
    const number = await own()
    const body = {
      pull_requests: [number, other],
      heads: [headOf(number), headOf(other)],
      base: 'b'.repeat(40),
      command_hash: 'c0ffee',
      result,
    }
    expect((await repository.request('POST', '/proofs', { body })).status).toBe(201)
    expect(await chosen(number)).toEqual([])
    await repository.push(other, [editOfPay(60, ['tidy()', 'more()'])])
    expect(await chosen(number)).toEqual([[other, 'near', 'src/pay.ts']])
  })
})

test('a pair whose base failed is chosen again', async () => {
  const other = await repository.openBranch('other', editOfPay(60, ['tidy()']))
  const number = await repository.openBranch('own', editOfPay(40, ['retry()']))
  const body = {
    pull_requests: [number, other],
    heads: [headOf(number), headOf(other)],
    base: 'b'.repeat(40),
    command_hash: 'c0ffee',
    result: 'base_failed',
  }
  expect((await repository.request('POST', '/proofs', { body })).status).toBe(201)
  expect(await chosen(number)).toEqual([[other, 'near', 'src/pay.ts']])
})

test.each([
  ['without a number', '', 400],
  ['of something that is no number', '?pull_request=abc', 422],
  ['of a pull request that is not open', '?pull_request=999', 422],
])('a request %s is rejected', async (_, query, expected) => {
  await repository.openBranch('own', editOfPay(40, ['retry()']))
  const { status, body } = await ask(query)
  expect(status).toBe(expected)
  expect(body.error.param).toBe('pull_request')
})

test('a choice needs read access only', async () => {
  const number = await repository.openBranch('own', editOfPay(40, ['retry()']))
  github.token('reader', { login: 'rea', id: 9, permissions: { [repository.full_name]: 'read' } })
  expect((await ask(`?pull_request=${number}`, { token: 'reader' })).status).toBe(200)
})
