import { describe, expect, test } from 'vitest'
import { dumpDatabase } from '../support/database-dump.ts'
import { useRepository } from '../support/repository.ts'

const { service, repo } = useRepository()

const SECRET = 'const distinctive_zebra_crossing = 4711'
const PATCH = `@@ -1,3 +1,4 @@\n const retries = 2\n+${SECRET}\n export default retries\n // the end\n`
const SHA = 'a1'.repeat(20)
const OTHER_SHA = 'b2'.repeat(20)

const digests = async () =>
  (await repo.files()).map(({ digest }) => digest && Buffer.from(digest).toString('hex'))

const shown = (path: string, over: object = {}) => ({
  path,
  previous_path: null,
  status: 'modified',
  blob_sha: null,
  ...over,
})

describe('declared changes', () => {
  test('stand in a list with at most 20 of all paths, one of each folder first, and how many there are', async () => {
    const named = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
    const paths = [...named('src', 25), 'docs/**', 'a.ts']
    const changes = [...named('src', 2), 'a.ts', 'lib/[b].ts'].map((path) => ({ path }))
    const id = await repo.createActivity({ scope: { areas: ['till'], paths, changes } })
    const [{ scope }] = await repo.list()
    expect(scope).toEqual({
      areas: ['till'],
      paths: [...named('src', 17), 'docs/**', 'a.ts'],
      changes,
      path_count: 28,
    })
    expect((await repo.read(id)).scope.paths).toEqual(paths)
  })

  test('are returned without their patches, in their order', async () => {
    const changes = [
      {
        path: 'src/z*[a].ts',
        status: 'renamed',
        previous_path: '!old name',
        blob_sha: SHA.toUpperCase(),
        patch: PATCH,
      },
      { path: 'a.ts' },
    ]
    const { activity } = await repo.create({ scope: { changes }, base_sha: OTHER_SHA })
    const all = [
      shown('src/z*[a].ts', { previous_path: '!old name', status: 'renamed', blob_sha: SHA }),
      shown('a.ts'),
    ]
    expect(activity.scope).toEqual({ areas: [], paths: [], changes: all })
    expect(activity.base_sha).toBe(OTHER_SHA)
    const body = await repo.read(activity.id)
    expect(body.scope.changes).toEqual(all)
    const back = await repo.patch(activity.id, { scope: body.scope })
    expect(back.body.scope.changes).toEqual(all)
    expect(back.body.base_sha).toBeNull()
  })

  test('are replaced by an update with a scope, and kept by one without', async () => {
    const id = await repo.createActivity({ scope: { changes: [{ path: 'a.ts', patch: PATCH }] } })
    const patch = (body: object) => repo.patch(id, body)
    expect((await patch({ title: 'Other' })).body.scope.changes).toEqual([shown('a.ts')])
    expect((await patch({ scope: { changes: [{ path: 'b.ts' }] } })).body.scope.changes).toEqual([
      shown('b.ts'),
    ])
    expect(await digests()).toEqual([null])
    expect((await patch({ scope: {} })).body.scope.changes).toEqual([])
    expect(await digests()).toEqual([])
  })

  test('keep the digest of the stored blob when they are sent without a patch', async () => {
    const id = await repo.createActivity({
      scope: { changes: [{ path: 'a.ts', blob_sha: SHA, patch: PATCH }] },
    })
    const [digest] = await digests()
    expect(digest).toMatch(/^[0-9a-f]{20,}$/)
    const send = async (changes: object[]) => {
      await repo.patch(id, { scope: { changes } })
      return digests()
    }
    expect(await send([{ path: 'b.ts' }, { path: 'a.ts', blob_sha: SHA }])).toEqual([null, digest])
    expect(await send([{ path: 'a.ts', blob_sha: OTHER_SHA }])).toEqual([null])
    expect(await send([{ path: 'a.ts', blob_sha: SHA }])).toEqual([null])
  })

  test('without a difference change nothing; a different patch does', async () => {
    const changes = [{ path: 'a.ts', blob_sha: SHA, patch: PATCH, status: 'added' }]
    const { activity } = await repo.create({ scope: { changes } })
    service.clock.advance(1000)
    const send = async (body: object[]) =>
      (await repo.patch(activity.id, { scope: { changes: body } })).body.updated_at
    expect(await send(changes)).toBe(activity.updated_at)
    expect(await send([{ ...changes[0], patch: PATCH.replace('= 2', '= 3') }])).not.toBe(activity.updated_at)
  })

  test('are not compared after the activity ended, but still returned', async () => {
    const id = await repo.createActivity({ scope: { changes: [{ path: 'a.ts', patch: PATCH }] } })
    const body = { status: 'merged', scope: { changes: [{ path: 'b.ts', patch: PATCH }] } }
    const merged = await repo.patch(id, body)
    expect(merged.body.scope.changes).toEqual([shown('b.ts')])
    expect(await digests()).toEqual([])
    await repo.patch(id, { scope: { changes: [{ path: 'c.ts', patch: PATCH }] } })
    expect(await digests()).toEqual([])
  })

  // Threat: Code at rest in the service's database
  test('leave no line of a patch in the database', async () => {
    const body = { scope: { changes: [{ path: 'a.ts', patch: PATCH }] }, base_sha: SHA }
    const { activity } = await repo.create(body)
    const headers = { 'Idempotency-Key': 'once' }
    const words = { title: 'a', summary: 'a', actor: 'a' }
    expect((await repo.request('POST', '/activity', { body: { ...words, ...body }, headers })).status).toBe(
      201,
    )
    await repo.patch(activity.id, body)
    await repo.check(body)
    const stored = await dumpDatabase(service)
    expect(stored).not.toMatch(/zebra/)
    expect(stored).toContain(activity.id)
  })
})

test.each(['a\u0000b', 'a\ud800b'])(
  'a patch that names %j, which a database rejects, is accepted by a create, an update and a check',
  async (name) => {
    const lines = [`+revision = "${name}"`, `+down_revision = "${name}"`]
    const patch = `@@ -0,0 +1,2 @@\n${lines.join('\n')}\n`
    const scope = { changes: [{ path: 'versions/a.py', status: 'added', patch }] }
    const { activity } = await repo.create({ scope })
    const again = await repo.patch(activity.id, { scope })
    expect(again.status).toBe(200)
    expect((await repo.request('POST', '/activity/check', { body: { scope } })).status).toBe(200)
  },
)

// `test/rules/lines-digest.test.ts` has every patch that is refused.
test('a patch without a hunk is rejected by its place', async () => {
  const body = { scope: { changes: [{ path: 'b' }, { path: 'a', patch: 'Binary files differ' }] } }
  const { status, body: answer } = await repo.request('POST', '/activity/check', { body })
  expect([status, answer.error.param]).toEqual([422, 'scope.changes[1].patch'])
})

// Threat: Patches that are expensive to parse
test('a check takes 3,000 files and 512 KiB of patches', async () => {
  const rows = Array.from({ length: 500 }, (_, row) => `+${String(row).padStart(900, 'x')}`)
  const patch = `@@ -0,0 +1,500 @@\n${rows.join('\n')}\n`
  const changes = Array.from({ length: 3000 }, (_, index) => ({
    path: `f${index}`,
    ...(index === 7 && { patch }),
  }))
  const id = await repo.createActivity({ scope: { changes } })
  expect((await repo.check({ scope: { changes } })).related_activity_ids).toEqual([id])
})
