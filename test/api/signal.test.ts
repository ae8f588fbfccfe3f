/** The ledger of pairs, and `GET …/signal`: the cause of a pair, who was shown it, what became of it, and reactions. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { pull_requests } from '../../src/server/records/pull-requests/table.ts'
import { savePairs } from '../../src/server/tell/store.ts'
import { type PairRow, pairs } from '../../src/server/tell/table.ts'
import type { Signal } from '../../src/vocabulary/contract/signal.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, storedPair, usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const { service, repository } = usePullRequests()

const signal = async (): Promise<Signal> => {
  const { status, body } = await repository.request('GET', '/signal')
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const db = () => service.db
const daysAgo = (days: number) => new Date(service.clock.now.getTime() - days * DAY_MS)
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

test('the report counts each pair that was shown by when it was first', async () => {
  const row = (number: number, outcome: 'resolved' | 'given_up', days: number) => ({
    ...storedPair(repository.id, `#${number}`, daysAgo(days)),
    ...{ a_shown_at: daysAgo(days), b_shown_at: daysAgo(days - 1), outcome, ended_at: daysAgo(days) },
  })
  const unshown = { ...row(5, 'resolved', 5), a_shown_at: null, b_shown_at: null }
  await db()
    .insert(pairs)
    .values([row(2, 'resolved', 5), row(3, 'given_up', 8), row(4, 'resolved', 30.5), unshown])
  expect((await signal()).periods).toMatchObject([
    { days: 7, pairs: { shown: 1, resolved: 1, given_up: 0, by_consequence: { conflict: 1 } } },
    { days: 30, pairs: { shown: 2, resolved: 1, given_up: 1, by_consequence: { conflict: 2 } } },
  ])
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
    related_ids: [],
    commented_at: [1, 2, 3, 4, 21].includes(number) ? daysAgo(2) : null,
  })
  const budget = async () => (await repository.request('GET', '/settings')).body.budget
  const rows = Array.from({ length: 21 }, (_, at) => pull(at + 1))
  await db().insert(pull_requests).values(rows.slice(1))
  expect(await budget()).toEqual({ share: 3 / 19, limit: 0.15, in_force: false })
  await db().insert(pull_requests).values(rows.slice(0, 1))
  expect(await budget()).toEqual({ share: 0.2, limit: 0.15, in_force: true })
  expect((await signal()).budget).toEqual({ share: 0.2, limit: 0.15, in_force: true })
})

const pair = async () => (await repository.pairs())[0]

/** Two pull requests on the same lines, the second of which has the comment. */
async function conflicting() {
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  expect(repository.comment(first)).toBeUndefined()
  expect(repository.comment(second)).toMatch(/`#\d+`.* changes lines 40–42 of `src\/pay\.ts` too/)
  return { first, second }
}

test('an open pair is known although its side has thousands that ended before', async () => {
  const { first } = await conflicting()
  const before = await pair()
  const ended = { outcome: 'resolved' as const, ended_at: daysAgo(9) }
  const rows = Array.from({ length: 2_000 }, (_, at) => storedPair(repository.id, `#${at + 9}`, daysAgo(9)))
  await db()
    .insert(pairs)
    .values(rows.map((row) => ({ ...row, ...ended })))
  await repository.push(first, [editOfPay(40, ['retry(1)'])])
  expect((await repository.pairs()).filter(({ b }) => b === before?.b)).toMatchObject([
    { cause: before?.cause, seen_at: before?.seen_at },
  ])
})

describe('the time when a side was first shown a pair', () => {
  test('does not change when the comment is written again', async () => {
    const { second } = await conflicting()
    const shown_at = (await pair())?.b_shown_at
    await repository.advance(QUIET_MS)
    await repository.push(second, [editOfPay(40, ['tidy()', 'more()'])])
    expect(repository.writes().at(-1)).toMatch(/^PATCH/)
    expect((await pair())?.b_shown_at).toEqual(shown_at)
  })

  test('is kept when a row that was read before is written', async () => {
    await conflicting()
    const row = (await pair()) as PairRow
    await savePairs(db(), [{ ...row, b_shown_at: null }])
    expect(await pair()).toEqual(row)
  })
})

test('a pair is merged anyway when one side is merged, whatever the other one does then, which is told until its next push', async () => {
  const { first, second } = await conflicting()
  await repository.advance(QUIET_MS)
  await repository.merge(first)
  expect(await pair()).toMatchObject({ outcome: 'merged_anyway', merged: 'a' })
  const address = `https://redirect.github.com/${repository.full_name}/pull/${first}`
  expect(repository.comment(second)).toContain(`[\`#${first}\`](${address}) was merged: rebase over it.`)
  await repository.push(second, [editOfPay(100, ['tidy()'])])
  await repository.advance(QUIET_MS)
  expect(repository.comment(second)).toContain('**No overlap any more.**')
  await repository.merge(second)
  expect(await pair()).toMatchObject({ outcome: 'merged_anyway', merged: 'a' })
})

test('declared work on a branch is shown the pair in the response to its create, the earlier pull request is not, and it keeps it as a pull request', async () => {
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  await repository.advance(1000)
  const changes = [{ path: 'src/pay.ts', patch: editOfPay(41, ['tidy()']).patch }]
  await repository.createActivity({ branch: 'agent', scope: { changes } })
  await repository.advance(2 * QUIET_MS)
  const shown = { a: `#${first}`, cause: 'b', b_shown_at: expect.any(Date) }
  expect(await repository.pairs()).toMatchObject([{ ...shown, b: 'branch:agent' }])
  const second = await repository.openBranch('agent', editOfPay(41, ['tidy()']))
  expect(await repository.pairs()).toMatchObject([{ ...shown, b: `#${second}` }])
  expect(repository.comment(first)).toBeUndefined()
  expect(repository.comment(second)).toContain(`\`#${first}\``)
})

test('a pair is deleted 90 days after its end', async () => {
  const { second } = await conflicting()
  await repository.merge(second)
  const sweepAfter = async (days: number) => {
    service.clock.now = new Date(Date.now() + days * DAY_MS)
    await sweep(service.app)
  }
  await sweepAfter(89)
  expect(await repository.pairs()).toHaveLength(1)
  await sweepAfter(91)
  expect(await repository.pairs()).toEqual([])
})
