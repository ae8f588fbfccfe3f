/** The ledger of pairs: the cause of a pair, who was shown it, and its outcome. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { savePairs } from '../../src/server/tell/store.ts'
import { type PairRow, pairs } from '../../src/server/tell/table.ts'
import { editOfPay } from '../support/lines.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { fixture, repository } = usePullRequests()

const db = () => fixture.service.app.database.connection()
const ledger = () => db().select().from(pairs).where(eq(pairs.repo_id, repository.id)).orderBy(pairs.a)
const pair = async () => (await ledger())[0]

/** Two pull requests on the same lines, the second of which has the comment. */
async function conflicting() {
  const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
  const second = await repository.openBranch('tidy', editOfPay(41, ['tidy()']))
  expect(repository.comment(first)).toBeUndefined()
  expect(repository.comment(second)).toMatch(/`#\d+`.* changes lines 40–42 of `src\/pay\.ts` too/)
  return { first, second }
}

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

describe('declared work on a branch without a pull request', () => {
  const declare = () =>
    repository.createActivity({
      branch: 'agent',
      scope: { changes: [{ path: 'src/pay.ts', patch: editOfPay(41, ['tidy()']).patch }] },
    })

  test('is shown the pair in the response to its create, the earlier pull request is not, and it keeps it as a pull request', async () => {
    const first = await repository.openBranch('retries', editOfPay(40, ['retry()']))
    await repository.advance(1000)
    await declare()
    await repository.advance(2 * QUIET_MS)
    const shown = { a: `#${first}`, cause: 'b', b_shown_at: expect.any(Date) }
    expect(await ledger()).toMatchObject([{ ...shown, b: 'branch:agent' }])
    const second = await repository.openBranch('agent', editOfPay(41, ['tidy()']))
    expect(await ledger()).toMatchObject([{ ...shown, b: `#${second}` }])
    expect(repository.comment(first)).toBeUndefined()
    expect(repository.comment(second)).toContain(`\`#${first}\``)
  })

  test('pairs with other declared work', async () => {
    await repository.createActivity({
      branch: 'other',
      scope: { changes: [{ path: 'src/pay.ts', patch: editOfPay(40, ['retry()']).patch }] },
    })
    await repository.advance(1000)
    await declare()
    expect(await ledger()).toMatchObject([{ a: 'branch:agent', b: 'branch:other', cause: 'a' }])
  })
})

test('a merge is recognized even if its delivery arrives after that of the next push', async () => {
  const { first, second } = await conflicting()
  const merged_at = new Date(Date.now() - 60_000).toISOString()
  Object.assign(repository.githubRepo.merge(first), { merged_at })
  await repository.push(second, [editOfPay(41, ['tidy()', 'more()'])])
  await repository.deliver(first, 'closed')
  await repository.advance(QUIET_MS)
  expect(await pair()).toMatchObject({ outcome: 'merged_anyway', merged: 'a' })
})
