/** The dates of work are those of GitHub, not of its import. */
import { expect, test } from 'vitest'
import { editOfPay } from '../support/lines.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { fixture, repository } = usePullRequests()
const listed = async () => (await repository.request('GET', '/activity')).body.items

test('a list says when a pull request was opened and last pushed, and whether it is by a bot', async () => {
  const opened_at = '2026-01-05T10:00:00.000Z'
  const number = await repository.open({ created_at: opened_at, files: [editOfPay(40, ['retry()'])] })
  await repository.createActivity()
  await repository.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
  const [byBot, declared, byPerson] = await listed()
  expect(declared).not.toHaveProperty('pushed_at')
  expect(byPerson).toMatchObject({ opened_at, pushed_at: opened_at })
  expect(byPerson).not.toHaveProperty('is_bot')
  expect(byBot).toMatchObject({ is_bot: true })
  await repository.push(number, [editOfPay(40, ['again()'])])
  const pushed = (await listed()).at(-1)
  expect(pushed.opened_at).toBe(opened_at)
  expect(pushed.pushed_at > opened_at).toBe(true)
})

test('the overview says when a repository changed last on GitHub', async () => {
  const created_at = '2026-01-04T10:00:00.000Z'
  await repository.open({ created_at, files: [editOfPay(40, ['retry()'])] })
  const { items } = (await fixture.service.api('GET', '/api/v1/repos')).body
  expect(items).toContainEqual(expect.objectContaining({ last_change_at: created_at }))
})
