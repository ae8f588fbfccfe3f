/** A pull request in the merge queue is ahead of the others: what their comments say. */
import { beforeEach, describe, expect, test } from 'vitest'
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

/** The text about the second pull request, which was opened later, in the comment on the first. */
/** What the comment of the first pull request says about the order. */
const order = () =>
  /was opened first|in the merge queue and goes first/.exec(repository.comment(first) ?? '')?.[0]

async function deliver(action: 'enqueued' | 'dequeued'): Promise<void> {
  await repository.deliver(second, action)
  await repository.advance(QUIET_MS)
}

const eventOf = (action: 'enqueued' | 'dequeued') =>
  pullRequestEvent(github, repository.full_name, second, action)
/** GitHub's clock of the pull request, which has seconds, goes on. */
const later = () => {
  const pull = repository.githubRepo.pull(second)
  pull.updated_at = timestamp(new Date(Date.parse(pull.updated_at) + 1000))
}

/** Delivers an event after a newer one of the same pull request. */
async function deliverLate(action: 'enqueued' | 'dequeued'): Promise<void> {
  const late = eventOf(action)
  later()
  await repository.deliver(second, { action: 'labeled', label: 'urgent' })
  await fixture.service.deliverAndRun(late)
  await repository.advance(QUIET_MS)
}

test('a pull request is ahead although the event of the queue arrives after a newer one', async () => {
  later()
  await deliverLate('enqueued')
  expect(order()).toBe('in the merge queue and goes first')
})

test('a pull request that left the queue is not ahead because an event arrives late', async () => {
  later()
  const late = eventOf('enqueued')
  later()
  await deliver('dequeued')
  await fixture.service.deliverAndRun(late)
  await repository.advance(QUIET_MS)
  expect(order()).toBe('was opened first')
})

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

  test('when the event of the queue arrives after a newer one', async () => {
    await deliverLate('dequeued')
    expect(order()).toBe('was opened first')
  })

  test('but not because it left the queue before it came back', async () => {
    const late = eventOf('dequeued')
    later()
    await deliver('enqueued')
    await fixture.service.deliverAndRun(late)
    await repository.advance(QUIET_MS)
    expect(order()).toBe('in the merge queue and goes first')
  })
})
