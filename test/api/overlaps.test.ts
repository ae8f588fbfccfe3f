/** All collisions among the live activities of a repository, as the page shows them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})
afterAll(async () => {
  await service.close()
  github.close()
})

test('each collision is listed once, with the globs of both and an example', async () => {
  const { ask, work } = repository()
  const older = await work({ branch: 'a', scope: { paths: ['src/checkout/**'] } })
  const newer = await work({ branch: 'b', scope: { paths: ['src/**/retry.ts'] } })
  await work({ branch: 'c', scope: { paths: ['docs/**'] } })
  const { status, body } = await ask('GET', '/overlaps')
  expect(status).toBe(200)
  expect(body).toEqual({
    items: [
      {
        activity_ids: [older, newer],
        severity: 'medium',
        areas: [],
        paths: [{ globs: ['src/checkout/**', 'src/**/retry.ts'], example: 'src/checkout/retry.ts' }],
      },
    ],
    checked_against: { activities: 3, as_of: service.clock.now.toISOString(), complete: true },
  })
})

test.each([
  ['older', ['high', 'low']],
  ['newer', ['low', 'high']],
])('the severity is the higher of what each is told: the %s is risky', async (_, [one, other]) => {
  const { ask, work } = repository()
  await work({ branch: 'a', risk: one, scope: { paths: ['src'] } })
  await work({ branch: 'b', risk: other, scope: { paths: ['src/a.ts'] } })
  const { body } = await ask('GET', '/overlaps')
  expect(body.items.map(({ severity }: { severity: string }) => severity)).toEqual(['high'])
})

test('an area that both name is a collision without a path', async () => {
  const { ask, work } = repository()
  await work({ branch: 'a', scope: { areas: ['Checkout'] } })
  await work({ branch: 'b', scope: { areas: ['checkout'] } })
  const { body } = await ask('GET', '/overlaps')
  expect(body.items).toMatchObject([{ severity: 'low', paths: [] }])
  expect(body.items[0].areas).toHaveLength(1)
})

test('own and stacked work, and what has ended, are left out', async () => {
  const { ask, work } = repository()
  const scope = { paths: ['src/**'] }
  await work({ branch: 'a', base_branch: 'main', scope })
  await work({ branch: 'a', base_branch: 'main', scope })
  await work({ branch: 'b', base_branch: 'a', scope })
  const ended = await work({ branch: 'c', base_branch: 'main', scope })
  await ask('POST', `/activity/${ended}/archive`)
  const { body } = await ask('GET', '/overlaps')
  expect(body).toMatchObject({ items: [], checked_against: { activities: 3 } })
})

test('is refused to who cannot see the repository', async () => {
  const { ask } = repository()
  expect((await ask('GET', '/overlaps', { token: 'nobody' })).status).toBe(401)
  expect((await ask('GET', '/overlaps?limit=5')).body.error).toMatchObject({
    type: 'invalid_request',
    param: 'limit',
  })
})
