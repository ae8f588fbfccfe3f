/** Whose words a comment repeats, and when its own words change. */
import { and, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { pull_requests } from '../../src/server/pull-requests/table.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { fixture, repository } = usePullRequests()

test.each(['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR'])(
  'the title and branch of a pull request whose author is %s are left out',
  async (author_association) => {
    const words = { title: 'Buy cheap tills', head: 'eve:cheap-tills', author: 'eve' }
    const first = await repository.open({ ...words, author_association })
    const second = await repository.open({ author: 'ben' })
    const text = repository.comment(second) ?? ''
    expect(text).toContain(`/pull/${first}) (\`eve\`, ready) changes`)
    expect(text).not.toMatch(/cheap/)
  },
)

test('the title of a pull request by a contributor is shown', async () => {
  await repository.open({ title: 'Retry twice', author: 'cy' })
  const second = await repository.open({ author: 'ben' })
  expect(repository.comment(second)).toContain('`Retry twice`')
})

test('after an upgrade a comment changes with the next event of its own pull request only', async () => {
  const first = await repository.open({ title: 'Retry', author: 'cy' })
  const second = await repository.open({ author: 'ben' })
  const before = repository.comment(second)
  const isSecond = and(eq(pull_requests.repo_id, repository.id), eq(pull_requests.number, second))
  const old = { comment_version: 0, comment_hash: 'of the former text' }
  await fixture.service.app.database.connection().update(pull_requests).set(old).where(isSecond)
  for (const comment of repository.githubRepo.comments(second)) comment.body = `${before} (former)`

  repository.githubRepo.update(first, { title: 'Retry twice' })
  await repository.deliver(first, 'edited')
  await repository.advance(2 * QUIET_MS)
  expect(repository.comment(second)).toBe(`${before} (former)`)

  await repository.deliver(second, 'labeled')
  await repository.advance(QUIET_MS)
  expect(repository.comment(second)).toContain('`Retry twice`')
  expect(repository.writes()).toHaveLength(2)
})
