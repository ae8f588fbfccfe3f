import { expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { openKnownRepo } from '../../src/server/records/repositories/repo.ts'
import { dumpDatabase } from '../support/database-dump.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'
import { pathOf, ROUTES } from '../support/routes.ts'

const fixture = useRepositories()
const { repository } = fixture

const PATCH = '@@ -1,3 +1,4 @@\n const retries = 2\n+const delay = 100\n export default retries\n // end\n'
const scope = { changes: [{ path: 'migrations/0001_b.sql', status: 'added', patch: PATCH }] }

test.each(['archive', 'merge', 'expiry'])('they are deleted when the activity ends by %s', async (end) => {
  const repo = repository()
  const id = await repo.createActivity({ scope })
  expect(await repo.files()).toMatchObject([{ path: 'migrations/0001_b.sql', origin: 'declared' }])
  if (end === 'archive') await repo.archive(id)
  else if (end === 'merge') await repo.patch(id, { status: 'merged' })
  else {
    fixture.service.clock.advance(90_000_000)
    await sweep(fixture.service.app)
  }
  expect(await repo.files()).toEqual([])
})

test('whoever may only read stores nothing', async () => {
  const repo = repository()
  await repo.createActivity({ scope: { changes: [{ path: 'migrations/0001_a.sql', status: 'added' }] } })
  const stored = await dumpDatabase(fixture.service)
  for (const each of ROUTES.filter(({ access, record }) => access === 'read' && record === null)) {
    const body = each.method === 'POST' ? { scope } : undefined
    expect((await repo.request(each.method, pathOf(each), { token: 'rita', body })).status).not.toBe(403)
  }
  expect(await dumpDatabase(fixture.service)).toBe(stored)
})

// Threat: Guessing lines from their hashes
test('each repository has one key of its own, with which its lines are hashed', async () => {
  const keyOf = async (repo: TestRepository) =>
    (await openKnownRepo(fixture.service.app, repo.id, fixture.service.clock.now))?.repo.line_key
  const [first, second] = [repository(), repository()]
  await first.createActivity({})
  await second.createActivity({})
  expect(await keyOf(first)).toHaveLength(16)
  expect(await keyOf(first)).toEqual(await keyOf(first))
  expect(await keyOf(first)).not.toEqual(await keyOf(second))
})
