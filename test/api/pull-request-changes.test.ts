/** The changed files of tracked pull requests: read with their patches, stored as digests, replaced by pushes. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { enqueue } from '../../src/server/jobs/store.ts'
import { activities } from '../../src/server/records/activities/table.ts'
import { file_changes } from '../../src/server/records/file-changes/table.ts'
import { RECONCILE } from '../../src/server/records/repositories/installation.ts'
import type { PullFile } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests()

const PATCH = '@@ -1,3 +1,4 @@\n const retries = 2\n+const delay = 100\n export default retries\n // end'

/** A modified file with a patch of about `count` lines. */
function modified(filename: string, lines = 4): PullFile {
  const added = Array.from({ length: lines - 1 }, (_, index) => `+line ${index} of ${filename}`)
  return { filename, status: 'modified', patch: [`@@ -0,0 +1,${lines - 1} @@`, ...added].join('\n') }
}

const listings = () => repository.calls().filter((route) => route.endsWith('/files')).length

describe('a tracked pull request', () => {
  test('stores its files with status, blob and digest, a renamed one with its former name', async () => {
    await repository.open({
      files: [
        { filename: 'src/retry.ts', status: 'modified', patch: PATCH, sha: 'a'.repeat(40) },
        { filename: 'src/new.ts', status: 'renamed', previous_filename: 'src/old.ts', patch: PATCH },
      ],
    })
    const rows = await repository.files()
    expect(rows.map(({ path, previous_path, status }) => [path, previous_path, status])).toEqual([
      ['src/retry.ts', null, 'modified'],
      ['src/new.ts', 'src/old.ts', 'renamed'],
    ])
    expect(rows[0]).toMatchObject({ blob_sha: 'a'.repeat(40), changed_lines: 1, origin: 'pushed' })
    expect(rows.map(({ digest }) => digest === null)).toEqual([false, false])
    expect(listings()).toBe(1)
  })

  test('is marked from when GitHub says that it cannot be merged until its next push', async () => {
    const number = await repository.open({ head: 'retries', files: [modified('a.ts')], mergeable: null })
    const other = await repository.open({ files: [modified('a.ts', 9)] })
    const marks = async () => {
      const { body } = await repository.request('GET', '/activity?branch=retries')
      return [body.items[0].conflicts_with_base, repository.comment(other)?.includes('with its own base')]
    }
    expect(await marks()).toEqual([undefined, false])
    for (const mergeable of [false, null]) {
      repository.githubRepo.update(number, { mergeable })
      await repository.deliver(number, 'edited')
      await repository.advance(QUIET_MS)
      expect(await marks()).toEqual([true, true])
    }
    await repository.push(number, [modified('a.ts', 5)])
    await repository.advance(QUIET_MS)
    expect(await marks()).toEqual([undefined, false])
  })

  test('replaces them with each push and deletes them when it is closed', async () => {
    const number = await repository.open({ files: [modified('a.ts'), modified('b.ts')] })
    await repository.push(number, [modified('b.ts', 9), modified('c.ts')])
    expect((await repository.files()).map(({ path, changed_lines }) => [path, changed_lines])).toEqual([
      ['b.ts', 8],
      ['c.ts', 3],
    ])
    expect(listings()).toBe(2)
    await repository.close(number)
    expect(await repository.files()).toEqual([])
  })
})

test('a list says when a pull request was opened and last pushed, and whether it is by a bot', async () => {
  const opened_at = '2026-01-05T10:00:00.000Z'
  const number = await repository.open({ created_at: opened_at, files: [modified('a.ts')] })
  await repository.createActivity()
  await repository.open({ author: { login: 'renovate[bot]', type: 'Bot' } })
  const [byBot, declared, byPerson] = await repository.list()
  expect(declared).not.toHaveProperty('pushed_at')
  expect(byPerson).toMatchObject({ opened_at, pushed_at: opened_at })
  expect(byPerson).not.toHaveProperty('is_bot')
  expect(byBot).toMatchObject({ is_bot: true })
  await repository.push(number, [modified('b.ts')])
  const pushed = (await repository.list()).at(-1)
  expect(pushed.opened_at).toBe(opened_at)
  expect(pushed.pushed_at > opened_at).toBe(true)
})

describe('where GitHub omits patches', () => {
  const withDigest = async () => (await repository.files()).filter(({ digest }) => digest !== null).length

  test.each([
    ['of a whole response', 30, 1000, 6, 30],
    ['of several responses', 130, 900, 7, 100],
  ])('%s, at most five smaller pages are read to restore them', async (_, count, length, most, restored) => {
    const files = Array.from({ length: count }, (_, index) => modified(`f${index}.ts`, length))
    await repository.open({ files })
    expect(listings()).toBeLessThanOrEqual(most)
    expect((await repository.files()).map(({ path }) => path)).toEqual(files.map(({ filename }) => filename))
    expect(await withDigest()).toBe(restored)
  })
})

test('a push is compared once, and rechecks the others that its lines meet if it changes any', async () => {
  const at = (line: number, text: string): [PullFile] => {
    const patch = PATCH.replace('-1,3 +1,4', `-${line},3 +${line},4`).replace('100', text)
    return [{ ...modified('a.ts'), sha: 'a'.repeat(40), patch }]
  }
  const number = await repository.open({ files: at(1, '100') })
  const met = await repository.open({ files: at(1, '200') })
  await repository.open({ files: at(900, '300') })
  const jobs = async () => (await service.jobs()).filter(({ kind }) => /^(change|recheck)$/.test(kind))
  const enqueuedBy = async (files: [PullFile], pushed = number) => {
    const known = (await jobs()).map(({ id, enqueued }) => `${id} ${enqueued}`)
    await repository.push(pushed, files)
    return (await jobs()).flatMap(({ id, enqueued }) => (known.includes(`${id} ${enqueued}`) ? [] : id))
  }
  expect(await enqueuedBy(at(1, '100'))).toEqual([`recheck:${repository.id}:${number}`])
  const compared = expect.stringContaining('change:')
  expect(await enqueuedBy(at(1, '400'))).toEqual([compared, `recheck:${repository.id}:${met}`])
  // Nothing stands on the first one, and what the other one brought about is only shown there.
  await repository.advance(QUIET_MS)
  await repository.advance(QUIET_MS)
  expect(await enqueuedBy(at(1, '500'), met)).toEqual([compared])
})

describe('a declared activity', () => {
  const names = async () => (await repository.files()).map(({ path }) => path)
  test('gets the files of the pull request from its branch, which replace the declared ones once it is ready', async () => {
    const id = await repository.createActivity({ branch: 'retries', scope: { paths: ['docs/plan.md'] } })
    const number = await repository.open({ head: 'retries', draft: true, files: [modified('a.ts')] })
    expect((await repository.files()).map(({ activity_id, path }) => [activity_id, path])).toEqual([
      [id, 'a.ts'],
    ])
    expect((await repository.read(id)).drift).toBeNull()
    repository.githubRepo.update(number, { draft: false })
    await repository.deliver(number, 'ready_for_review')
    // `test/rules/drift.test.ts` has every rule.
    expect((await repository.read(id)).drift).toEqual({
      declared_only: ['docs/plan.md'],
      changed_only: ['a.ts'],
    })
    await repository.push(number, [modified('b.ts')])
    expect(await names()).toEqual(['b.ts'])
    expect(listings()).toBe(2)
    expect(await repository.read(id)).toMatchObject({
      source: 'api',
      title: 'Retry payments',
      scope: { paths: ['docs/plan.md'] },
    })
    await repository.archive(id)
    expect((await repository.read(id)).drift).toBeNull()
  })

  test('gets them when a caller links it, and with another link those of the other one', async () => {
    const first = await repository.open({ files: [modified('a.ts')] })
    const second = await repository.open({ files: [modified('b.ts')] })
    const url = (number: number) => `https://github.com/${repository.full_name}/pull/${number}`
    const own = async (id: string) =>
      (await repository.files()).filter(({ activity_id }) => activity_id === id).map(({ path }) => path)
    const id = await repository.createActivity({ pr_url: url(first) })
    expect(await own(id)).toEqual(['a.ts'])
    await repository.patch(id, { pr_url: url(second) })
    await service.runDueJobs()
    expect(await own(id)).toEqual(['b.ts'])
    expect(listings()).toBe(4)
  })
})

describe('pull requests whose files were not read', () => {
  const unread = async () => {
    const db = service.db
    await db.delete(file_changes).where(eq(file_changes.repo_id, repository.id))
    await db.update(activities).set({ pushed_files: null }).where(eq(activities.repo_id, repository.id))
  }
  const reconcile = async () => {
    const { app, clock } = service
    const { id: repo_id, full_name } = repository
    const owner = full_name.split('/')[0] as string
    const place = { kind: RECONCILE, priority: 'reconcile' as const, repo_id, owner, run_at: clock.now }
    await enqueue(app.database.connection(), [{ id: `${RECONCILE}:${repo_id}`, ...place }], clock.now)
    await service.runDueJobs()
  }

  test('are read once, at most twenty by one reconciliation', async () => {
    for (let count = 0; count < 22; count += 1)
      repository.githubRepo.open({ files: [modified(`f${count}.ts`)] })
    await service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
    expect(await repository.files()).toHaveLength(22)
    await unread()
    const before = listings()
    const read = () => listings() - before
    await reconcile()
    expect(read()).toBe(20)
    await reconcile()
    expect(read()).toBe(22)
    expect(await repository.files()).toHaveLength(22)
    await reconcile()
    expect(read()).toBe(22)
  })
})
