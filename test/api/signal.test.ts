/** `GET …/signal` as pull requests change: pairs and reactions. */
import { expect, test } from 'vitest'
import type { Signal } from '../../src/vocabulary/contract/signal.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()

const signal = async (): Promise<Signal> => {
  const { status, body } = await repository.request('GET', '/signal')
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const link = (number: number) => `https://github.com/${repository.full_name}/pull/${number}`

const NONE = { shown: 0, resolved: 0, merged_anyway: 0, given_up: 0, open: 0 }
/** The counts of the last 30 days. */
const counts = async () => (await signal()).periods.find(({ days }) => days === 30)

test('two pull requests on the same lines are one pair, with links, until the outcome is known', async () => {
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  expect(await signal()).toMatchObject({
    budget: { share: 0.5, in_force: false },
    periods: [7, 30].map((days) => ({
      days,
      pairs: { ...NONE, shown: 1, open: 1 },
      comments: { posted: 1, edited: 0 },
    })),
    recent: [
      {
        sides: [
          { pr_url: link(first), branch: null, author: 'author-of-retries', shown_at: null },
          { pr_url: link(second), branch: null, author: 'author-of-tidy', shown_at: expect.any(String) },
        ],
        consequence: 'conflict',
        confidence: 'proved',
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
    periods: [{}, { pairs: { ...NONE, shown: 1, resolved: 1 } }],
    recent: [{ outcome: 'resolved' }],
  })
})

test('pairs that were not shown do not count', async () => {
  const own = (head: string, at: number) =>
    repository.open({ head, author: 'cy', files: [editOfPay(at, [`${head}()`])] })
  await own('retries', 40)
  await own('tidy', 41)
  expect(await signal()).toMatchObject({ periods: [{ pairs: NONE }, { pairs: NONE }], recent: [] })
})

test('an edit of a comment counts, and brings the reactions to it', async () => {
  await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  const [comment] = repository.githubRepo.comments(second)
  Object.assign(comment?.reactions ?? {}, { '+1': 2, '-1': 1 })
  expect(await counts()).toMatchObject({ comments: { posted: 1, edited: 0 }, feedback: { up: 0, down: 0 } })
  const before = repository.calls().length
  await repository.push(second, [editOfPay(100, ['tidy()'])])
  await repository.advance(QUIET_MS)
  expect(await counts()).toMatchObject({ comments: { posted: 1, edited: 1 }, feedback: { up: 2, down: 1 } })
  expect(
    repository
      .calls()
      .slice(before)
      .filter((call) => call.includes('reactions')),
  ).toEqual([])
})
