/** The order in which to merge open pull requests over HTTP: who is listed, and when it is incomplete. */
import { describe, expect, test } from 'vitest'
import { getActivity } from '../../src/server/activities/activities.ts'
import { replacePushedChanges } from '../../src/server/activities/activity-files.ts'
import { changeOf, type FileChange } from '../../src/server/line-verdicts/change.ts'
import { readLineHasher } from '../../src/server/repositories/line-key.ts'
import { inTransaction, openKnownRepo } from '../../src/server/repositories/repo.ts'
import type { MergeOrder } from '../../src/vocabulary/contract/merge-order.ts'
import { editOf } from '../support/lines.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository, github } = fixture

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)

/** A change of lines of a file from `at` on, to a text of its own. */
function edit(path: string, at: number, text: string, lines = 1) {
  const added = Array.from({ length: lines }, (_, each) => `${text}${each}()`)
  return { path, patch: editOf(FILE, at, lines, added) }
}

const urlOf = (repo: TestRepository, number: number) =>
  `https://github.com/acme/r${repo.id - 1000}/pull/${number}`

/** Declares work that has the pull request `number`; returns its id. */
function open(
  repo: TestRepository,
  number: number,
  { scope, ...body }: { scope?: object; [field: string]: unknown },
) {
  return repo.createActivity({ branch: `b${number}`, pr_url: urlOf(repo, number), scope, ...body })
}

/** Opens a pull request that changes these files. */
const change = (repo: TestRepository, number: number, ...changes: ReturnType<typeof edit>[]) =>
  open(repo, number, { scope: { changes } })

async function orderIn(repo: TestRepository): Promise<MergeOrder> {
  const { status, body } = await repo.request('GET', '/merge-order')
  expect(status).toBe(200)
  return body
}

test('the merge order is empty without open pull requests', async () => {
  const repo = repository()
  await repo.createActivity({ scope: { changes: [edit('a.ts', 10, 'mine')] } })
  expect(await orderIn(repo)).toEqual({ items: [], clear: [] })
})

test('the merge order lists pull requests that conflict by lines, and names those that do not, the newest first', async () => {
  const repo = repository()
  const wide = await change(repo, 1, edit('a.ts', 10, 'wide'), edit('b.ts', 10, 'wide'))
  const far = await change(repo, 2, edit('a.ts', 100, 'far'))
  const small = await change(repo, 3, edit('a.ts', 10, 'small'))
  const large = await change(repo, 4, edit('b.ts', 10, 'large', 5))
  const alone = await change(repo, 5, edit('c.ts', 10, 'alone'), edit('CHANGELOG.md', 1, 'x'))
  const noise = await change(repo, 6, edit('CHANGELOG.md', 1, 'y'))
  expect(await orderIn(repo)).toEqual({
    items: [
      { activity_id: large, pr_url: urlOf(repo, 4), conflicts_with: [wide], position: 1 },
      { activity_id: small, pr_url: urlOf(repo, 3), conflicts_with: [wide], position: 2 },
      { activity_id: wide, pr_url: urlOf(repo, 1), conflicts_with: [large, small], position: 3 },
    ],
    clear: [noise, alone, far],
  })
})

test('the merge order compares pull requests with each other only, not with other declared work', async () => {
  const repo = repository()
  const own = await change(repo, 1, edit('a.ts', 10, 'own'))
  await repo.createActivity({ branch: 'other', scope: { changes: [edit('a.ts', 10, 'other')] } })
  await repo.createActivity({ branch: 'plan', scope: { paths: ['**'] } })
  expect(await orderIn(repo)).toEqual({ items: [], clear: [own] })
})

test('the merge order counts the activities of one pull request as one, and names the one that follows it', async () => {
  const repo = repository()
  const followed = `act_${'0'.repeat(26)}`
  await repo.insertActivities([
    {
      id: followed,
      branch: 'b1',
      source: 'pull_request',
      pr_number: 1,
      pr_url: urlOf(repo, 1),
      scope_is_literal: true,
      pushed_files: [],
    },
  ])
  await open(repo, 1, { branch: 'aside', scope: { changes: [edit('a.ts', 10, 'one')] } })
  await open(repo, 1, { branch: 'again', scope: { changes: [edit('a.ts', 10, 'two')] } })
  const other = await change(repo, 2, edit('a.ts', 10, 'other'))
  const { items, clear } = await orderIn(repo)
  expect(clear).toEqual([])
  expect(items).toMatchObject([
    { activity_id: followed, conflicts_with: [other] },
    { activity_id: other, conflicts_with: [followed] },
  ])
})

describe('pull requests are in neither list', () => {
  const undecided = (count: string) => ({
    complete: false,
    reason: expect.stringMatching(`^It is not known whether ${count} further conflicts; `),
  })

  test.each([
    ['a file of one has no patch', { changes: [{ path: 'a.ts' }] }],
    ['one has paths only', { paths: ['*.ts'] }],
  ])('if %s that the other changes', async (_, scope) => {
    const repo = repository()
    await change(repo, 1, edit('a.ts', 10, 'mine'))
    await open(repo, 2, { scope })
    const other = await change(repo, 3, edit('docs/b.md', 10, 'other'))
    expect(await orderIn(repo)).toEqual({
      items: [],
      clear: [other],
      ...undecided('2 open pull requests have'),
    })
  })

  test('if nothing is known about their changes', async () => {
    const repo = repository()
    const other = await change(repo, 1, edit('a.ts', 10, 'other'))
    await open(repo, 2, {})
    await open(repo, 3, { scope: { areas: ['pay'] } })
    expect(await orderIn(repo)).toEqual({
      items: [],
      clear: [other],
      ...undecided('2 open pull requests have'),
    })
  })

  test('if a draft declares paths that another one changes; once it is ready, its files count', async () => {
    const repo = repository()
    const draft = await open(repo, 1, { draft_pr: true, scope: { paths: ['a.ts'], areas: ['pay'] } })
    await push(repo, draft, [edit('b.ts', 10, 'draft')])
    const other = await open(repo, 2, { scope: { areas: ['pay'], changes: [edit('a.ts', 10, 'other')] } })
    expect(await orderIn(repo)).toEqual({ items: [], clear: [], ...undecided('2 open pull requests have') })
    await repo.request('PATCH', `/activity/${draft}`, { body: { draft_pr: false } })
    expect(await orderIn(repo)).toEqual({ items: [], clear: [other, draft] })
  })
})

/** Stores what reading the files of a pull request does. */
async function push(repo: TestRepository, id: string, edits: ReturnType<typeof edit>[]) {
  const ctx = await openKnownRepo(fixture.service.app, repo.id, fixture.service.clock.now)
  if (!ctx) throw new Error('the repository is not known')
  const hash = await readLineHasher(ctx)
  const files = edits.map(({ path, patch }) => changeOf({ filename: path, patch }, hash) as FileChange)
  await inTransaction(ctx, async (within) => {
    await replacePushedChanges(within, await getActivity(within, id), {
      files,
      base_sha: null,
      is_complete: true,
    })
  })
}

describe('the merge order is incomplete', () => {
  const idOf = (n: number) => `act_${String(n).padStart(26, '0')}`
  /** Activities that all collide with each other. The oldest ones have the pull requests 1, 2, … */
  const collide = (repo: TestRepository, { count, pulls }: { count: number; pulls: number }) =>
    repo.insertActivities(
      Array.from({ length: count }, (_, n) => ({
        id: idOf(n),
        branch: `c${n}`,
        scope: { areas: [], paths: ['src/a.ts'] },
        ...(n < pulls && { pr_number: n + 1, pr_url: urlOf(repo, n + 1) }),
      })),
    )

  test('if pull requests have collisions beyond the 5,000 that are compared: they are not clear', async () => {
    const repo = repository()
    await collide(repo, { count: 102, pulls: 2 })
    const clear = await change(repo, 9, edit('b.ts', 10, 'clear'))
    expect(await orderIn(repo)).toEqual({
      items: [],
      clear: [clear],
      complete: false,
      reason: expect.stringMatching(/^It is not known whether 2 open pull requests have/),
    })
  })

  test('once the budget of lines is exhausted: pull requests that were not compared are not clear', async () => {
    const repo = repository()
    const hostile = Array.from(
      { length: 2_000 },
      (_, at) => `@@ -${2 * at + 1} +${2 * at + 1} @@\n-one line again\n+y${at}`,
    )
    for (let n = 1; n <= 12; n += 1) {
      const patch = `${hostile.join('\n')}z${n}`
      await open(repo, n, { scope: { changes: [{ path: 'a.ts', patch }] } })
    }
    const order = await orderIn(repo)
    expect(order.clear).toEqual([])
    expect(order).toMatchObject({
      complete: false,
      reason: expect.stringMatching(/^It is not known whether/),
    })
  })
})

test('the merge order needs read access to this repository, and takes no parameters', async () => {
  const { request } = repository()
  expect((await request('GET', '/merge-order', { token: 'rita' })).status).toBe(200)
  expect((await request('GET', '/merge-order', { token: null })).status).toBe(401)
  expect((await request('GET', '/merge-order', { token: 'nobody' })).status).toBe(401)
  github.token('eve', { login: 'eve', id: 3, permissions: {} })
  expect((await request('GET', '/merge-order', { token: 'eve' })).body.error.type).toBe('forbidden')
  expect((await request('GET', '/merge-order?limit=5')).body.error).toMatchObject({
    type: 'invalid_request',
    param: 'limit',
  })
})
