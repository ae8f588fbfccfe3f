/** The list of all collisions by lines over HTTP: what it says, what it costs, and when it is incomplete. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getActivity } from '../../src/server/activities/activities.ts'
import { replacePushedChanges } from '../../src/server/activities/activity-files.ts'
import { changeOf, type FileChange, type FileEntry } from '../../src/server/line-verdicts/change.ts'
import { readLineHasher } from '../../src/server/repositories/line-key.ts'
import { inTransaction, openKnownRepo } from '../../src/server/repositories/repo.ts'
import { fakeGithub } from '../support/github.ts'
import { editOf } from '../support/lines.ts'
import { freshRepositories, type TestRepository } from '../support/repository.ts'
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

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)

/** A change of one line; without `at`, one without a patch. */
function edit(path: string, at?: number, text = 'changed()') {
  return { path, ...(at !== undefined && { patch: editOf(FILE, at, 1, [text]) }) }
}

async function listed(repo: TestRepository) {
  const { status, body } = await repo.request('GET', '/overlaps')
  expect(status).toBe(200)
  return body
}

/** What is listed of two activities. */
async function pairOf(older: object, newer: object) {
  const repo = repository()
  const ids = [await repo.createActivity({ ...older, branch: 'a' })]
  ids.push(await repo.createActivity({ actor: 'Eve', ...newer, branch: 'b' }))
  return { repo, ids, body: await listed(repo) }
}

const declared = (...changes: object[]) => ({ scope: { changes } })

test('a pair is listed with its verdict, and the lines of both', async () => {
  const older = declared(edit('a.ts', 10), edit('b.ts', 40, 'mine()'))
  const { ids, body } = await pairOf(older, declared(edit('a.ts', 100), edit('b.ts', 40, 'its()')))
  expect(body.items).toEqual([
    {
      activity_ids: ids,
      severity: 'high',
      areas: [],
      paths: [
        {
          globs: ['b.ts', 'b.ts'],
          example: 'b.ts',
          verdict: 'conflict',
          confidence: 'proved',
          line_ranges: [
            [40, 40],
            [40, 40],
          ],
        },
        expect.objectContaining({ example: 'a.ts', verdict: 'far', confidence: null }),
      ],
      lines: 'conflict',
      duplicate: null,
      sequence: [],
      moved: null,
      proof: null,
      proof_log_url: null,
      same_author: false,
      cut: false,
    },
  ])
  expect(body).toMatchObject({ total: 1, checked_against: { complete: true, reason: null } })
})

test('lines are those of each on its own base, in the order of the activities', async () => {
  const drifted = [...Array.from({ length: 9 }, (_, at) => `a line of the base branch ${at}`), ...FILE]
  const newer = { path: 'a.ts', patch: editOf(drifted, 49, 1, ['its()']) }
  const { body } = await pairOf(declared(edit('a.ts', 40)), declared(newer))
  expect(body.items[0].paths).toMatchObject([
    {
      line_ranges: [
        [40, 40],
        [49, 49],
      ],
    },
  ])
})

test('a pair that shares only noise is no collision', async () => {
  const { body } = await pairOf(declared(edit('CHANGELOG.md', 1)), declared(edit('CHANGELOG.md', 1, 'x')))
  expect(body).toMatchObject({ items: [], total: 0, checked_against: { activities: 2, complete: true } })
})

test('a duplicate, and the same author on two branches, are marked', async () => {
  const { body } = await pairOf(
    { ...declared(edit('a.ts', 10)), title: 'Fix #7', actor: 'Ben' },
    { ...declared(edit('a.ts', 100)), title: 'Closes #7', actor: 'Ben' },
  )
  expect(body.items).toMatchObject([
    { severity: 'high', lines: 'far', duplicate: { issue: 7 }, same_author: true },
  ])
})

test('files beyond the first 300 shared ones are not compared, and the pair is marked', async () => {
  const numbered = (count: number, at: number) =>
    declared(...Array.from({ length: count }, (_, n) => edit(`f${String(n).padStart(3, '0')}`, at)))
  const { body } = await pairOf(numbered(301, 10), numbered(301, 100))
  expect(body.items).toMatchObject([{ lines: 'unknown', severity: 'low', cut: true }])
  const { body: whole } = await pairOf(numbered(300, 10), numbered(300, 100))
  expect(whole.items).toMatchObject([{ lines: 'far', severity: 'low', cut: false }])
})

describe('a text that stands at several places', () => {
  const alike = Array.from({ length: 60 }, () => 'const value = read()')
  const at = (line: number, text: string) => declared({ path: 'a.ts', patch: editOf(alike, line, 1, [text]) })
  const [one, other] = ['a'.repeat(40), 'b'.repeat(40)]
  test.each([
    ['the same base', one, one, 'far'],
    ['different bases', one, other, 'conflict'],
    ['an unknown base', one, null, 'conflict'],
  ])('is distinguished by its line numbers only on one base: %s', async (_, mine, its, lines) => {
    const { body } = await pairOf(
      { ...at(10, 'mine()'), base_sha: mine },
      { ...at(50, 'its()'), base_sha: its },
    )
    expect(body.items).toMatchObject([{ lines }])
  })
})

/** Stores what a pull request's import would. */
async function push(repo: TestRepository, id: string, entries: FileEntry[]) {
  const ctx = await openKnownRepo(service.app, repo.id, service.clock.now)
  if (!ctx) throw new Error('the repository is not known')
  const hash = await readLineHasher(ctx)
  const files = entries.map((entry) => changeOf(entry, hash) as FileChange)
  await inTransaction(ctx, async (within) => {
    await replacePushedChanges(within, await getActivity(within, id), {
      files,
      names: [],
      base_sha: null,
      is_complete: true,
    })
  })
}

const pushed = (filename: string, at: number, text?: string) => ({
  filename,
  additions: 1,
  deletions: 1,
  patch: edit(filename, at, text).patch as string,
})

describe('files of a pull request', () => {
  const prOf = (repo: TestRepository) => `https://github.com/acme/r${repo.id - 1000}/pull/7`

  test('without a patch are unknown: of low severity, unless declared work sent none', async () => {
    const repo = repository()
    const [one, other] = [await repo.createActivity({}), await repo.createActivity({})]
    const large = { filename: 'a.ts', additions: 9_000, deletions: 1 }
    await push(repo, one, [large])
    await push(repo, other, [pushed('a.ts', 40)])
    expect((await listed(repo)).items).toMatchObject([{ lines: 'unknown', severity: 'low' }])
    const plan = await repo.createActivity({ branch: 'plan', ...declared(edit('a.ts')) })
    const { items } = await listed(repo)
    expect(
      items.filter((each: { activity_ids: string[] }) => each.activity_ids.includes(plan)),
    ).toMatchObject([
      { lines: 'unknown', severity: 'medium' },
      { lines: 'unknown', severity: 'medium' },
    ])
  })

  test('count beside the declared ones while it is a draft, and in their place afterwards', async () => {
    const repo = repository()
    const work = await repo.createActivity({
      branch: 'a',
      pr_url: prOf(repo),
      draft_pr: true,
      ...declared(edit('a.ts', 40, 'mine()')),
    })
    await push(repo, work, [pushed('a.ts', 100), pushed('b.ts', 40, 'mine()')])
    const other = await repo.createActivity({
      branch: 'b',
      ...declared(edit('a.ts', 40, 'its()'), edit('b.ts', 60)),
    })
    const places = async () => {
      const { items } = await listed(repo)
      expect(items).toMatchObject([{ activity_ids: [work, other] }])
      const [{ severity, lines, paths }] = items
      return [
        severity,
        lines,
        ...paths.map((each: FileEntry & { example: string; verdict: string }) => [
          each.example,
          each.verdict,
        ]),
      ]
    }
    expect(await places()).toEqual([
      'high',
      'conflict',
      ['a.ts', 'conflict'],
      ['b.ts', 'near'],
      ['a.ts', 'far'],
    ])
    await repo.request('PATCH', `/activity/${work}`, { body: { draft_pr: false } })
    expect(await places()).toEqual(['low', 'near', ['b.ts', 'near'], ['a.ts', 'far']])
  })

  test('that are pushed again with other lines change the list at once', async () => {
    const repo = repository()
    const work = await repo.createActivity({})
    await push(repo, work, [pushed('a.ts', 10)])
    await repo.createActivity({ branch: 'b', ...declared(edit('a.ts', 100, 'its()')) })
    expect((await listed(repo)).items).toMatchObject([{ lines: 'far', severity: 'low' }])
    await push(repo, work, [pushed('a.ts', 100)])
    expect((await listed(repo)).items).toMatchObject([{ lines: 'conflict', severity: 'high' }])
  })
})

test('once the budget of lines is exhausted, older pairs count by path, and the list is marked as incomplete', async () => {
  const repo = repository()
  const hostile = Array.from(
    { length: 2_000 },
    (_, at) => `@@ -${2 * at + 1} +${2 * at + 1} @@\n-one line again\n+y${at}`,
  )
  const ids: string[] = []
  for (let n = 0; n < 14; n += 1) {
    const patch = `${hostile.join('\n')}z${n}`
    ids.push(await repo.createActivity({ branch: `b${n}`, ...declared({ path: 'a.ts', patch }) }))
  }
  const { items, total, checked_against } = await listed(repo)
  expect(total).toBe(91)
  const byIds = new Map(items.map((each: { activity_ids: string[] }) => [each.activity_ids.join(), each]))
  expect(byIds.get([ids[12], ids[13]].join())).toMatchObject({ lines: expect.any(String) })
  expect(byIds.get([ids[0], ids[1]].join())).toMatchObject({
    lines: null,
    severity: 'medium',
    paths: [{ globs: ['a.ts', 'a.ts'], example: 'a.ts', verdict: null }],
  })
  expect(checked_against).toMatchObject({ activities: 14, complete: false })
  expect(checked_against.reason).toMatch(/ranked by their paths and not by their lines/)
})
