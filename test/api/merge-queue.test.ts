/** A pull request in the merge queue is ahead of the others: what their comments say. */
import { beforeEach, describe, expect, test } from 'vitest'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const { fixture, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })
let first: number
let second: number

beforeEach(async () => {
  first = await repository.open({ title: 'Retry', head: 'retries', author: 'ben' })
  second = await repository.open({ title: 'Tidy', head: 'tidy', author: 'cy' })
  await repository.advance(QUIET_MS)
})

/** The text about the second pull request, which was opened later, in the comment on the first. */
/** What the comment of the first pull request says about the order. */
const order = () =>
  /was opened first|in the merge queue and goes first/.exec(repository.comment(first) ?? '')?.[0]

async function deliver(action: 'enqueued' | 'dequeued'): Promise<void> {
  await repository.deliver(second, action)
  await repository.advance(QUIET_MS)
}

test('a pull request in the merge queue is ahead of one that was opened before', async () => {
  expect(order()).toBe('was opened first')
  await deliver('enqueued')
  expect(order()).toBe('in the merge queue and goes first')
  expect(repository.comment(first)).toMatch(/`Tidy` \(`\S+`, in the merge queue\)/)
  expect(repository.comment(first)).toContain(
    'It is in the merge queue and goes first: rebase once it is merged.',
  )
  expect(repository.comment(second)).toContain('This pull request is in the merge queue and goes first: tell')
})

describe('a pull request is no longer ahead', () => {
  beforeEach(async () => {
    await deliver('enqueued')
    expect(order()).toBe('in the merge queue and goes first')
  })

  test('when it leaves the queue', async () => {
    await deliver('dequeued')
    expect(order()).toBe('was opened first')
    expect(repository.comment(first)).toContain(', ready)')
  })

  test('when it is pushed to, although the event of the queue is missing', async () => {
    await repository.push(second, ['src/pay.ts'])
    await repository.advance(QUIET_MS)
    expect(order()).toBe('was opened first')
  })

  test('when the event of the queue arrives after a newer one', async () => {
    const late = pullRequestEvent(github, repository.full_name, second, 'dequeued')
    Object.assign(late.payload.pull_request as object, { updated_at: '2020-01-01T00:00:00Z' })
    await fixture.service.deliverAndRun(late)
    await repository.advance(QUIET_MS)
    expect(order()).toBe('was opened first')
  })

  test('but not after other events', async () => {
    await repository.deliver(second, 'edited')
    await repository.advance(QUIET_MS)
    expect(order()).toBe('in the merge queue and goes first')
  })
})
