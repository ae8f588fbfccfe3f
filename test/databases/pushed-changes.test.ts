/** Changed files from GitHub's list: stored with their digests, and deleted when the activity ends. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { changeOf, type FileChange, type FileEntry } from '../../src/engine/lines/change.ts'
import { lineHasher } from '../../src/engine/lines/line-hash.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { getActivity } from '../../src/server/records/activities/activities.ts'
import { saveFiles } from '../../src/server/records/activities/activity-files.ts'
import { listChangeSet } from '../../src/server/records/file-changes/store.ts'
import { file_changes } from '../../src/server/records/file-changes/table.ts'
import { inTransaction, openKnownRepo } from '../../src/server/records/repositories/repo.ts'
import { dumpDatabase } from '../support/database-dump.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'
import { pathOf, ROUTES } from '../support/routes.ts'

const fixture = useRepositories()
const { repository } = fixture

const PATCH = '@@ -1,3 +1,4 @@\n const retries = 2\n+const delay = 100\n export default retries\n // end\n'

/** Stores changed files in the same way as the import of a pull request. */
async function push(repo: TestRepository, id: string, entries: FileEntry[]) {
  const ctx = await openKnownRepo(fixture.service.app, repo.id, fixture.service.clock.now)
  if (!ctx) throw new Error('the repository is not known')
  const hash = lineHasher(ctx.repo.line_key)
  const files = entries.map((entry) => changeOf(entry, hash) as FileChange)
  await inTransaction(ctx, async (within) => {
    await saveFiles(within, await getActivity(within, id), { origin: 'pushed', files })
  })
  return files
}

const rowsOf = (repo: TestRepository) =>
  fixture.service.app.database
    .connection()
    .select()
    .from(file_changes)
    .where(eq(file_changes.repo_id, repo.id))

describe('the changes of a pull request', () => {
  test('are stored in their order, with their digests', async () => {
    const repo = repository()
    const id = await repo.createActivity({})
    const files = await push(repo, id, [
      {
        filename: 'src/new.ts',
        previous_filename: 'src/old.ts',
        status: 'renamed',
        patch: PATCH,
        additions: 1,
        deletions: 0,
      },
      { filename: `src/${'ß'.repeat(3000)}.ts`, sha: 'a'.repeat(40) },
    ])
    const db = fixture.service.app.database.connection()
    const set = { repo_id: repo.id, activity_id: id }
    expect(await listChangeSet(db, { ...set, origin: 'pushed' })).toEqual(files)
    expect(await listChangeSet(db, { ...set, origin: 'declared' })).toEqual([])
  })

  test.each(['archive', 'merge', 'expiry'])('are deleted when the activity ends by %s', async (end) => {
    const repo = repository()
    const id = await repo.createActivity({})
    await push(repo, id, [{ filename: 'a.ts', patch: PATCH }])
    expect(await rowsOf(repo)).toHaveLength(1)
    if (end === 'archive') await repo.request('POST', `/activity/${id}/archive`)
    else if (end === 'merge') await repo.request('PATCH', `/activity/${id}`, { body: { status: 'merged' } })
    else {
      fixture.service.clock.advance(90_000_000)
      await sweep(fixture.service.app)
    }
    expect(await rowsOf(repo)).toEqual([])
  })
})

test('whoever may only read stores nothing', async () => {
  const repo = repository()
  await repo.createActivity({ scope: { changes: [{ path: 'migrations/0001_a.sql', status: 'added' }] } })
  const stored = await dumpDatabase(fixture.service)
  const changes = [{ path: 'migrations/0001_b.sql', status: 'added', patch: PATCH }]
  for (const each of ROUTES.filter(({ access, record }) => access === 'read' && record === null)) {
    const body = each.method === 'POST' ? { scope: { changes } } : undefined
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
