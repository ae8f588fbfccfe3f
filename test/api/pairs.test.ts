/** The ledger of pairs: the cause of a pair, who was shown it, and its outcome. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { savePairs } from '../../src/server/ledger/store.ts'
import { merged_changes, type PairRow, pair_totals, pairs } from '../../src/server/ledger/table.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { editOf, editOfPay, PAY_LINES } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { fixture, repository } = usePullRequests()

const db = () => fixture.service.app.database.connection()
const ledger = () => db().select().from(pairs).where(eq(pairs.repo_id, repository.id)).orderBy(pairs.first)
const kept = () => db().select().from(merged_changes).where(eq(merged_changes.repo_id, repository.id))
const pair = async () => (await ledger())[0]
const merge = async (number: number) => {
  repository.githubRepo.merge(number)
  await repository.deliver(number, 'closed')
}
const reads = (number: number) => repository.calls().filter((call) => call === `GET /pulls/${number}`)

/** Two pull requests on the same lines, the second of which has the comment. */
async function conflicting() {
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  expect(repository.comment(first)).toBeUndefined()
  expect(repository.comment(second)).toMatch(/`#\d+`.* changes lines 40–42 of `src\/pay\.ts` too/)
  return { first, second }
}

test('two pull requests on the same lines are a pair, and the later one gets the comment', async () => {
  const { first, second } = await conflicting()
  expect(await ledger()).toMatchObject([
    {
      first: `#${first}`,
      second: `#${second}`,
      first_author: 'author-of-retries',
      second_author: 'author-of-tidy',
      is_duplicate: false,
      confidence: 'proved',
      files: [{ path: 'src/pay.ts', first_lines: [40, 42], second_lines: [41, 43] }],
      first_shown_at: null,
      second_shown_at: expect.any(Date),
      outcome: 'open',
    },
  ])
  await repository.advance(2 * QUIET_MS)
  expect(repository.comment(first)).toBeUndefined()
})

describe('the time when a side was first shown a pair', () => {
  test('does not change when the comment is written again', async () => {
    const { second } = await conflicting()
    const shown_at = (await pair())?.second_shown_at
    await repository.advance(QUIET_MS)
    await repository.push(second, [editOfPay(40, ['tidy()', 'more()'])])
    expect(repository.writes().at(-1)).toMatch(/^PATCH/)
    expect((await pair())?.second_shown_at).toEqual(shown_at)
  })

  test('is kept when a row that was read before is written', async () => {
    await conflicting()
    const row = (await pair()) as PairRow
    await savePairs(db(), [{ ...row, second_shown_at: null, was_mergeable: null }])
    expect(await pair()).toEqual(row)
  })
})

describe('a pair', () => {
  test('is resolved when a push removes the conflict', async () => {
    const { second } = await conflicting()
    await repository.push(second, [editOfPay(100, ['tidy()'])])
    expect(await pair()).toMatchObject({ outcome: 'resolved', merged: null })
  })

  test('is given up when one side is closed unmerged', async () => {
    const { first } = await conflicting()
    repository.githubRepo.close(first)
    await repository.deliver(first, 'closed')
    expect(await pair()).toMatchObject({ outcome: 'given_up' })
  })

  test('came true when GitHub reports a conflict of the other side after the merge', async () => {
    const { first, second } = await conflicting()
    await repository.advance(10_000)
    repository.githubRepo.update(second, { mergeable: false })
    await merge(first)
    expect(await pair()).toMatchObject({ outcome: 'open', merged: 'first' })
    expect(await kept()).toMatchObject([{ side: `#${first}`, path: 'src/pay.ts' }])
    await repository.advance(10_000)
    expect(await pair()).toMatchObject({ outcome: 'came_true', reads: 1 })
    expect(reads(second)).toHaveLength(2)
    expect(await kept()).toEqual([])
  })

  describe('after the merge of the other side, with a conflict that GitHub reports', () => {
    const report = async (mergeable: { shown: boolean | null; merged: boolean }) => {
      const { first, second } = await conflicting()
      repository.githubRepo.update(second, { mergeable: mergeable.shown })
      await repository.advance(10_000)
      repository.githubRepo.update(second, { mergeable: mergeable.merged })
      await merge(first)
      for (const _ of [1, 2, 3]) await repository.advance(60_000)
      return { outcome: (await pair())?.outcome, calls: reads(second).length }
    }

    test.each([
      ['came true if GitHub could merge it when it was shown', true, { outcome: 'came_true', calls: 2 }],
      ['stays open if GitHub could not', false, { outcome: 'open', calls: 3 }],
      ['stays open if GitHub did not know', null, { outcome: 'open', calls: 3 }],
    ])('%s', async (_, shown, expected) => {
      expect(await report({ shown, merged: false })).toEqual(expected)
    })

    test('stays open for the side that was not the first to be shown', async () => {
      const { first, second } = await conflicting()
      await repository.advance(10_000)
      repository.githubRepo.update(first, { mergeable: false })
      await merge(second)
      for (const _ of [1, 2, 3]) await repository.advance(60_000)
      expect(await pair()).toMatchObject({ outcome: 'open', was_mergeable: true })
    })

    test('is asked once for a pair, however often it is shown', async () => {
      const { second } = await conflicting()
      await repository.advance(10_000)
      await repository.push(second, [editOfPay(41, ['tidy()', 'more()'])])
      await repository.advance(2 * QUIET_MS)
      expect(reads(second)).toHaveLength(1)
    })
  })

  test('causes at most two calls while GitHub computes the answer', async () => {
    const { first, second } = await conflicting()
    repository.githubRepo.update(second, { mergeable: null })
    await merge(first)
    for (let minute = 0; minute < 5; minute += 1) await repository.advance(60_000)
    expect(await pair()).toMatchObject({ outcome: 'open', reads: 2 })
    expect(reads(second)).toHaveLength(2)
  })

  test.each([
    ['still conflicts with the merged lines', editOfPay(41, ['tidy()', 'more()']), 'came_true'],
    ['is elsewhere now', editOfPay(100, ['tidy()']), 'wrong'],
  ])('whose other side is pushed after the merge and %s', async (_, file, outcome) => {
    const { first, second } = await conflicting()
    await merge(first)
    await repository.push(second, [file])
    await repository.advance(QUIET_MS)
    expect(await pair()).toMatchObject({ outcome })
    expect(await kept()).toEqual([])
  })

  test('came true when the other side edits the merged lines after a rebase', async () => {
    const { first, second } = await conflicting()
    await merge(first)
    const merged = [...PAY_LINES.slice(0, 39), 'retry()', ...PAY_LINES.slice(42)]
    const rebased = { ...editOfPay(41, []), patch: editOf(merged, 40, 2, ['tidy()']) }
    await repository.push(second, [rebased])
    await repository.advance(QUIET_MS)
    expect(await pair()).toMatchObject({ outcome: 'came_true' })
  })

  test('stores which side was merged, until the next push', async () => {
    const { first, second } = await conflicting()
    await repository.advance(QUIET_MS)
    await merge(first)
    const address = `https://redirect.github.com/${repository.full_name}/pull/${first}`
    expect(repository.comment(second)).toContain(`[\`#${first}\`](${address}) was merged: rebase over it.`)
    await repository.push(second, [editOfPay(100, ['tidy()'])])
    await repository.advance(QUIET_MS)
    expect(repository.comment(second)).toContain('**No overlap any more.**')
  })

  test('was wrong when both are merged without a push in between', async () => {
    const { first, second } = await conflicting()
    await merge(first)
    await merge(second)
    expect(await pair()).toMatchObject({ outcome: 'wrong' })
  })
})

describe('declared work on a branch without a pull request', () => {
  const declare = () =>
    repository.createActivity({
      branch: 'agent',
      scope: { changes: [{ path: 'src/pay.ts', patch: editOfPay(41, ['tidy()']).patch }] },
    })

  test('is shown the pair in the response to its create, and the earlier pull request is not', async () => {
    const number = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    await repository.advance(1000)
    await declare()
    await repository.advance(2 * QUIET_MS)
    expect(await ledger()).toMatchObject([
      { first: `#${number}`, second: 'branch:agent', cause: 'second', second_shown_at: expect.any(Date) },
    ])
    expect(repository.comment(number)).toBeUndefined()
  })

  test('is shown the pair by a check, when a pull request is opened later', async () => {
    await declare()
    const number = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    expect(repository.comment(number)).toContain('`agent`')
    expect(await pair()).toMatchObject({ first_shown_at: expect.any(Date), second_shown_at: null })
    const { status } = await repository.request('POST', '/activity/check', { body: { branch: 'agent' } })
    expect(status).toBe(200)
    await fixture.service.app.background.idle()
    expect(await pair()).toMatchObject({ second_shown_at: expect.any(Date) })
  })

  test('keeps its pairs when it becomes a pull request', async () => {
    const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    await repository.advance(1000)
    await declare()
    const second = await repository.openBranch('agent', editOfPay(41, ['tidy()']))
    expect(await ledger()).toMatchObject([
      { first: `#${first}`, second: `#${second}`, cause: 'second', second_shown_at: expect.any(Date) },
    ])
    expect(repository.comment(second)).toContain(`\`#${first}\``)
  })

  test('has its pairs given up when it ends', async () => {
    await repository.openBranch('retries', editOfPay(40, ['retry()']))
    const id = await declare()
    await repository.request('POST', `/activity/${id}/archive`)
    await repository.advance(0)
    expect(await pair()).toMatchObject({ outcome: 'given_up' })
  })

  test('pairs with other declared work', async () => {
    await repository.createActivity({
      branch: 'other',
      scope: { changes: [{ path: 'src/pay.ts', patch: editOfPay(40, ['retry()']).patch }] },
    })
    await repository.advance(1000)
    await declare()
    expect(await ledger()).toMatchObject([{ first: 'branch:agent', second: 'branch:other', cause: 'first' }])
  })
})

test('a pair is deleted 90 days after its end, and counted with its month', async () => {
  const { second } = await conflicting()
  const third = await repository.openBranch('third', editOfPay(40, ['third()']))
  await repository.push(second, [editOfPay(100, ['tidy()'])])
  await merge(third)
  expect(await ledger()).toHaveLength(3)
  const totals = () => db().select().from(pair_totals).where(eq(pair_totals.repo_id, repository.id))
  const sweepAfter = async (days: number) => {
    fixture.service.clock.now = new Date(Date.now() + days * 86_400_000)
    await sweep(fixture.service.app)
  }
  await sweepAfter(89)
  expect(await ledger()).toHaveLength(3)
  await sweepAfter(91)
  expect(await ledger()).toEqual([])
  expect(await kept()).toEqual([])
  const month = new Date().toISOString().slice(0, 7)
  expect(await totals()).toEqual(
    expect.arrayContaining([expect.objectContaining({ month, outcome: 'resolved', pairs: 1 })]),
  )
})

test('a merge is recognized even if its delivery arrives after that of the next push', async () => {
  const { first, second } = await conflicting()
  const merged_at = new Date(Date.now() - 60_000).toISOString()
  Object.assign(repository.githubRepo.merge(first), { merged_at })
  await repository.push(second, [editOfPay(41, ['tidy()', 'more()'])])
  await repository.deliver(first, 'closed')
  await repository.advance(QUIET_MS)
  expect(await pair()).toMatchObject({ outcome: 'came_true', merged: 'first' })
})
