/** The changed files of tracked pull requests: read with their patches, stored as digests, replaced by pushes (contract §11). */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { file_changes } from '../../src/lines/table.ts'
import { fakeGithub } from '../support/github.ts'
import type { PullFile } from '../support/github-state.ts'
import {
  type PullRequestService,
  startPullRequestService,
  type TrackedRepository,
} from '../support/pull-request-service.ts'

const github = fakeGithub()
let fixture: PullRequestService
let repository: TrackedRepository

beforeAll(async () => {
  fixture = await startPullRequestService(github)
})
beforeEach(() => {
  repository = fixture.repository()
})
afterAll(async () => {
  await fixture.service.close()
  github.close()
})

const PATCH = '@@ -1,3 +1,4 @@\n const retries = 2\n+const delay = 100\n export default retries\n // end'

/** A modified file with a patch of about this many lines. */
function modified(filename: string, lines = 4): PullFile {
  const added = Array.from({ length: lines - 1 }, (_, index) => `+line ${index} of ${filename}`)
  return { filename, status: 'modified', patch: [`@@ -0,0 +1,${lines - 1} @@`, ...added].join('\n') }
}

const stored = () =>
  fixture.service.app.database
    .connection()
    .select()
    .from(file_changes)
    .where(eq(file_changes.repo_id, repository.id))
    .orderBy(file_changes.position, file_changes.name)
const listings = () => repository.calls().filter((route) => route.endsWith('/files')).length

describe('a tracked pull request', () => {
  test('stores its files with status, blob and digest, a renamed one under both names', async () => {
    await repository.open({
      files: [
        { filename: 'src/retry.ts', status: 'modified', patch: PATCH, sha: 'a'.repeat(40) },
        { filename: 'src/new.ts', status: 'renamed', previous_filename: 'src/old.ts', patch: PATCH },
        { filename: 'logo.png', status: 'unchanged' },
      ],
    })
    const rows = await stored()
    expect(rows.map(({ name, status, origin }) => [name, status, origin])).toEqual([
      ['src/retry.ts', 'modified', 'pushed'],
      ['src/new.ts', 'renamed', 'pushed'],
      ['src/old.ts', 'renamed', 'pushed'],
    ])
    expect(rows[0]).toMatchObject({ blob_sha: 'a'.repeat(40), changed_lines: 1, previous_path: null })
    expect(rows.map(({ digest }) => digest === null)).toEqual([false, false, false])
    expect(listings()).toBe(1)
  })

  test('replaces them with each push, and drops them when it is closed', async () => {
    const number = await repository.open({ files: [modified('a.ts'), modified('b.ts')] })
    await repository.push(number, [modified('b.ts', 9), modified('c.ts')])
    expect((await stored()).map(({ name, changed_lines }) => [name, changed_lines])).toEqual([
      ['b.ts', 8],
      ['c.ts', 3],
    ])
    expect(listings()).toBe(2)
    repository.githubRepo.close(number)
    await repository.deliver(number, 'closed')
    expect(await stored()).toEqual([])
  })
})

describe('where GitHub left patches out', () => {
  const withDigest = async () => (await stored()).filter(({ digest }) => digest !== null).length

  test('of a whole response, at most five smaller pages bring them back', async () => {
    const files = Array.from({ length: 30 }, (_, index) => modified(`f${index}.ts`, 1000))
    await repository.open({ files })
    expect(listings()).toBeLessThanOrEqual(6)
    expect((await stored()).map(({ name }) => name)).toEqual(files.map(({ filename }) => filename))
    expect(await withDigest()).toBe(30)
  })

  test('of several responses, five further pages are read altogether', async () => {
    await repository.open({
      files: Array.from({ length: 130 }, (_, index) => modified(`f${index}.ts`, 900)),
    })
    expect(listings()).toBe(7)
    expect(await stored()).toHaveLength(130)
    expect(await withDigest()).toBe(100)
  })

  test('of one large file, no further page is read', async () => {
    await repository.open({ files: [modified('large.ts', 3500), modified('small.ts')] })
    expect(listings()).toBe(1)
    expect((await stored()).map(({ name, digest }) => [name, digest === null])).toEqual([
      ['large.ts', true],
      ['small.ts', false],
    ])
  })
})
