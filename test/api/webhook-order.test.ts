/** Deliveries that arrive late, twice or out of order have the same result, and nothing is restored. */
import { describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { refEvent } from '../support/webhooks.ts'

const { github, service, repository: repo } = usePullRequests()

/** All permutations of the numbers below `count`. */
function orders(count: number): number[][] {
  if (count === 0) return [[]]
  return orders(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  )
}

const inOrder = (webhooks: Webhook[], order: number[]) => order.map((at) => webhooks[at] as Webhook)
const deleted = () => refEvent(github, repo.full_name, 'delete', { branch: 'retries' })

/** One second of GitHub's clock that several events share. */
const SECOND = 1000

/** A declared activity on the branch of the pull requests. */
const declared = async () => (await repo.create({ branch: 'retries' })).activity.id

/** The events of a second have no order of their own; these are out of the order in which they happened. */
const TIED = [
  [2, 1, 0],
  [0, 2, 1],
]

describe.each([
  ['merged', 'pull_request_merged', undefined, orders(3)],
  ['closed within one second', 'pull_request_closed', SECOND, TIED],
] as const)('opened, pushed to and %s', (end, archive_reason, at_s, all) => {
  const happened = () => {
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    const opened = repo.event(1, 'opened', at_s)
    const pushed = repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }, at_s)
    if (end === 'merged') repo.githubRepo.merge(1)
    else repo.githubRepo.close(1)
    return [opened, pushed, repo.event(1, 'closed', at_s)]
  }

  test.each(all)('in the order %i %i %i archives declared activities the same way', async (...order) => {
    const id = await declared()
    await service.deliverAndRun(...inOrder(happened(), order))
    expect(await repo.read(id)).toMatchObject({ status: 'archived', archive_reason })
    expect(await repo.tracked()).toEqual([])
  })
})

test('a branch deletion before the pull request is imported archives once and permanently', async () => {
  repo.githubRepo.open({ head: 'retries' })
  const opened = repo.event(1, 'opened')
  repo.githubRepo.merge(1)
  const closed = repo.event(1, 'closed')
  const id = await declared()
  repo.githubRepo.push('retries')
  repo.githubRepo.deleteBranch('retries')
  await service.deliverAndRun(deleted())
  const before = await repo.read(id)
  expect(before.archive_reason).toBe('branch_deleted')
  await service.deliverAndRun(closed, opened)
  expect(await repo.read(id)).toEqual(before)
  expect(await repo.tracked()).toEqual([])
})

test('a late deletion of a branch archives nothing if the branch was pushed again', async () => {
  repo.githubRepo.push('retries')
  const late = deleted()
  repo.githubRepo.deleteBranch('retries')
  repo.githubRepo.push('retries')
  const id = await declared()
  await service.deliverAndRun(late)
  expect((await repo.read(id)).status).toBe('active')
})

describe('closed and opened again', () => {
  const happened = () => {
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    const opened = repo.event(1, 'opened')
    repo.githubRepo.close(1)
    const closed = repo.event(1, 'closed')
    repo.githubRepo.reopen(1)
    return [opened, closed, repo.event(1, 'reopened')]
  }

  test.each(orders(3))('in the order %i %i %i leaves one live activity', async (...order) => {
    await service.deliverAndRun(...inOrder(happened(), order))
    expect(await repo.tracked()).toMatchObject([{ status: 'ready-for-review', branch: 'retries' }])
  })

  test.each([
    ...orders(2).map((order) => ['open', order] as const),
    ...orders(2).map((order) => ['closed', order] as const),
  ])('within one second has the state on GitHub: %s, as %j', async (state, order) => {
    repo.githubRepo.open({ head: 'retries' })
    await service.deliverAndRun(repo.event(1, 'opened'))
    const close = (at_s?: number) => repo.githubRepo.close(1) && repo.event(1, 'closed', at_s)
    const reopen = () => repo.githubRepo.reopen(1) && repo.event(1, 'reopened', SECOND)
    if (state === 'closed') await service.deliverAndRun(close())
    const happened = state === 'open' ? [close(SECOND), reopen()] : [reopen(), close(SECOND)]
    await service.deliverAndRun(...inOrder(happened, order))
    expect(await repo.tracked()).toMatchObject(state === 'open' ? [{ status: 'ready-for-review' }] : [])
  })
})

test.each(orders(2))('two edits within one second, as %i %i, leave the texts on GitHub', async (...order) => {
  repo.githubRepo.open({ head: 'retries' })
  await service.deliverAndRun(repo.event(1, 'opened'))
  const edited = ['once', 'twice'].map(
    (text) => repo.githubRepo.update(1, { title: text, body: text }) && repo.event(1, 'edited', SECOND),
  )
  await service.deliverAndRun(...inOrder(edited, order))
  const [{ id }] = await repo.tracked()
  expect(await repo.read(id)).toMatchObject({ title: 'twice', summary: 'twice' })
})

describe('data of an older event', () => {
  test.each([
    ['ready for review', true, 'ready_for_review', 'ready-for-review'],
    ['made a draft', false, 'converted_to_draft', 'draft-pr-open'],
  ] as const)('is not lost: %s', async (_, draft, action, status) => {
    repo.githubRepo.open({ head: 'retries', draft })
    const id = await declared()
    await service.deliverAndRun(repo.event(1, 'opened'))
    repo.githubRepo.update(1, { draft: !draft })
    const changed = repo.event(1, action)
    const pushed = repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') })
    await service.deliverAndRun(pushed, changed)
    expect(await repo.read(id)).toMatchObject({ status, draft_pr: !draft })
  })

  test('is not lost although GitHub failed: the files of a push', async () => {
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    repo.githubRepo.update(1, { files: ['src/b.ts'] })
    github.fault(`GET /repos/${repo.full_name}/pulls/*/files`, 'server_error', 1)
    await service.deliver(repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }))
    expect(await service.runDueJobs()).toHaveLength(1)
    await service.deliver(repo.event(1, { action: 'labeled', label: 'urgent' }))
    await service.runDueJobs()
    expect(await repo.tracked()).toMatchObject([{ scope: { paths: ['src/b.ts'] } }])
    // By then a newer job has replaced the failed one, which ends without an effect.
    service.clock.advance(3000)
    expect(await service.runDueJobs()).toEqual([])
  })
})
