/** A pull request in the merge queue is ahead of the others: what their comments say. */
import { beforeEach, expect, test } from 'vitest'
import { timestamp } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })
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

const [QUEUED, FIRST] = ['in the merge queue and goes first', 'was opened first']

async function deliver(event: 'enqueued' | 'dequeued'): Promise<void> {
  await repository.deliver(second, event)
  await repository.advance(QUIET_MS)
}

/** GitHub's clock of the pull request, which has seconds, goes on. */
const later = () => {
  const pull = repository.githubRepo.pull(second)
  pull.updated_at = timestamp(new Date(Date.parse(pull.updated_at) + 1000))
}

test('a pull request is ahead of one that was opened before until it leaves the merge queue', async () => {
  expect(order()).toBe(FIRST)
  await deliver('enqueued')
  expect(order()).toBe(QUEUED)
  expect(repository.comment(first)).toMatch(/`Tidy` \(`\S+`, in the merge queue\)/)
  expect(repository.comment(second)).toContain('This pull request is in the merge queue and goes first: tell')
  await deliver('dequeued')
  expect(order()).toBe(FIRST)
})

// `test/rules/event-plan.test.ts` has every order of two events.
test('a late event that it left the queue does not count after it entered again', async () => {
  await deliver('enqueued')
  later()
  const event = pullRequestEvent(github, repository.full_name, second, 'dequeued')
  later()
  await deliver('enqueued')
  await service.deliverAndRun(event)
  await repository.advance(QUIET_MS)
  expect(order()).toBe(QUEUED)
})
