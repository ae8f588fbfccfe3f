/** A pull request in the merge queue is ahead of the others: what their comments say. */
import { beforeEach, expect, test } from 'vitest'
import { timestamp } from '../support/github-state.ts'
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

/** What the comment of the first pull request says about the order. */
const order = () =>
  /was opened first|in the merge queue and goes first/.exec(repository.comment(first) ?? '')?.[0]

type QueueAction = 'enqueued' | 'dequeued'

async function deliver(action: QueueAction): Promise<void> {
  await repository.deliver(second, action)
  await repository.advance(QUIET_MS)
}

/** GitHub's clock of the pull request, which has seconds, goes on. */
const later = () => {
  const pull = repository.githubRepo.pull(second)
  pull.updated_at = timestamp(new Date(Date.parse(pull.updated_at) + 1000))
}

/** An event that is not the last one before it is delivered. */
function lateEvent(action: QueueAction) {
  later()
  const event = pullRequestEvent(github, repository.full_name, second, action)
  later()
  return event
}

async function deliverLate(late: ReturnType<typeof lateEvent>): Promise<void> {
  await fixture.service.deliverAndRun(late)
  await repository.advance(QUIET_MS)
}

test('a pull request is ahead of one that was opened before until it leaves the merge queue', async () => {
  expect(order()).toBe('was opened first')
  await deliver('enqueued')
  expect(order()).toBe('in the merge queue and goes first')
  expect(repository.comment(first)).toMatch(/`Tidy` \(`\S+`, in the merge queue\)/)
  expect(repository.comment(second)).toContain('This pull request is in the merge queue and goes first: tell')
  await deliver('dequeued')
  expect(order()).toBe('was opened first')
})

test('an event of the queue counts although it arrives after a newer event of something else', async () => {
  for (const [action, expected] of [
    ['enqueued', 'in the merge queue and goes first'],
    ['dequeued', 'was opened first'],
  ] as const) {
    const late = lateEvent(action)
    await repository.deliver(second, { action: 'labeled', label: 'urgent' })
    await deliverLate(late)
    expect(order()).toBe(expected)
  }
})

test('an event of the queue does not count if it arrives after a newer one of the queue', async () => {
  const entered = lateEvent('enqueued')
  await deliver('dequeued')
  await deliverLate(entered)
  expect(order()).toBe('was opened first')
  const left = lateEvent('dequeued')
  await deliver('enqueued')
  await deliverLate(left)
  expect(order()).toBe('in the merge queue and goes first')
})
