/** `GET …/signal` as pull requests change: pairs, hot files, noise and reactions; and its parameters and callers. */
import { describe, expect, test } from 'vitest'
import type { Signal } from '../../src/vocabulary/contract/signal.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { github, repository } = usePullRequests()

const signal = async (query = ''): Promise<Signal> => {
  const { status, body } = await repository.request('GET', `/signal${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const link = (number: number) => `https://github.com/${repository.full_name}/pull/${number}`

const NONE = { shown: 0, came_true: 0, resolved: 0, wrong: 0, given_up: 0, open: 0 }

describe('two pull requests on the same lines', () => {
  test('are one pair, with links, until the outcome is known', async () => {
    const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
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
    await repository.push(second, [editOfPay(100, ['tidy()'])])
    expect(await signal()).toMatchObject({
      pairs: { ...NONE, shown: 1, resolved: 1 },
      precision: null,
      months: [{ shown: 1, resolved: 1, precision: null }],
      recent: [{ outcome: 'resolved' }],
    })
  })

  test('are one pair even when both get a comment', async () => {
    await repository.writeFile('.github/deconflict.yml', 'comment: {audience: both}')
    const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
    await repository.advance(QUIET_MS)
    expect(repository.comment(first)).toBeDefined()
    expect(await signal()).toMatchObject({ commented: 2, pairs: { ...NONE, shown: 1, open: 1 } })
  })
})

test('files of pairs that were not shown are hot too, but the pairs do not count', async () => {
  const own = (head: string, at: number) =>
    repository.open({ head, author: 'cy', files: [editOfPay(at, [`${head}()`])] })
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
  await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  const [comment] = repository.githubRepo.comments(second)
  Object.assign(comment?.reactions ?? {}, { '+1': 2, '-1': 1 })
  expect((await signal()).feedback).toEqual({ up: 0, down: 0 })
  const before = repository.calls().length
  await repository.push(second, [editOfPay(100, ['tidy()'])])
  await repository.advance(QUIET_MS)
  expect((await signal()).feedback).toEqual({ up: 2, down: 1 })
  expect(
    repository
      .calls()
      .slice(before)
      .filter((call) => call.includes('reactions')),
  ).toEqual([])
})

test('the report counts each pair of pull requests that share only noise once, after any number of pushes', async () => {
  const files = ['package-lock.json']
  await repository.open({ files })
  await repository.open({ files })
  const third = await repository.open({ files: [...files, 'CHANGELOG.md'] })
  await repository.push(third, [...files, 'src/pay.ts'])
  await repository.advance(QUIET_MS)
  expect(await signal()).toMatchObject({ noise: { lock: 3 }, recorded: 0 })
})

test.each([
  ['days=0', 'days'],
  ['days=91', 'days'],
  ['days=x', 'days'],
  ['days=1.5', 'days'],
  ['days=', 'days'],
])('the report rejects %s', async (query, param) => {
  const { status, body } = await repository.request('GET', `/signal?${query}`)
  expect(status).toBe(422)
  expect(body.error.type).toBe('validation_error')
  expect(body.error.param).toEqual(param)
})

test('the report needs read access to the repository', async () => {
  expect((await signal('?days=90')).days).toBe(90)
  github.token('rita', { login: 'rita', id: 2, permissions: { [repository.full_name]: 'read' } })
  expect((await repository.request('GET', '/signal', { token: 'rita' })).status).toBe(200)
  github.token('eve', { login: 'eve', id: 3, permissions: {} })
  expect((await repository.request('GET', '/signal', { token: 'eve' })).body.error.type).toBe('forbidden')
  expect((await repository.request('GET', '/signal', { token: null })).status).toBe(401)
  const wrong = await repository.request('GET', '/signal?limit=5')
  expect(wrong.body.error).toMatchObject({ type: 'invalid_request', param: 'limit' })
})
