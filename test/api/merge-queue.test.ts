/** A pull request in the merge queue is ahead of the others: what their comments say. `test/rules/event-plan.test.ts` has the order of its events. */
import { expect, test } from 'vitest'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })

const [QUEUED, FIRST] = ['in the merge queue and goes first', 'was opened first']

test('a pull request is ahead of one that was opened before until it leaves the merge queue', async () => {
  const first = await repository.open({ title: 'Retry', head: 'retries', author: 'ben' })
  const second = await repository.open({ title: 'Tidy', head: 'tidy', author: 'cy' })
  await repository.advance(QUIET_MS)
  expect(repository.comment(first)).toContain(FIRST)
  const late = pullRequestEvent(github, repository.full_name, second, 'dequeued')
  repository.githubRepo.pull(second).updated_at = '2099-01-01T00:00:00Z'
  await repository.deliver(second, 'enqueued')
  await service.deliverAndRun(late)
  await repository.advance(QUIET_MS)
  expect(repository.comment(first)).toContain(QUEUED)
  expect(repository.comment(first)).toMatch(/`Tidy` \(`\S+`, in the merge queue\)/)
  expect(repository.comment(second)).toContain(`This pull request is ${QUEUED}: tell`)
  await repository.deliver(second, 'dequeued')
  await repository.advance(QUIET_MS)
  expect(repository.comment(first)).toContain(FIRST)
})
