/** Which open pull requests the merge order lists, and when it is incomplete. */
import { beforeEach, expect, test } from 'vitest'
import { editOf } from '../support/lines.ts'
import { liveRecords } from '../support/live-records.ts'

let records: ReturnType<typeof liveRecords>
beforeEach(() => {
  records = liveRecords()
})

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)

/** A change of lines of a file from `at` on, to a text of its own. */
function edit(path: string, at: number, text: string, lines = 1) {
  const added = Array.from({ length: lines }, (_, each) => `${text}${each}()`)
  return { path, patch: editOf(FILE, at, lines, added) }
}

const urlOf = (number: number) => `https://github.com/acme/shop/pull/${number}`

/** Declares work that has the pull request `number`; returns its id. */
const open = (number: number, body: object) =>
  records.activity({ branch: `b${number}`, pr_url: urlOf(number), ...body })

/** Opens a pull request that changes these files. */
const change = (number: number, ...changes: ReturnType<typeof edit>[]) => open(number, { scope: { changes } })

const order = async () => (await records.overlaps()).merge_order

test('the merge order is empty without open pull requests', async () => {
  await records.activity({ scope: { changes: [edit('a.ts', 10, 'mine')] } })
  expect(await order()).toEqual({ items: [], clear: [] })
})

test('the merge order lists pull requests that conflict by lines, and names those that do not, the newest first', async () => {
  const wide = await change(1, edit('a.ts', 10, 'wide'), edit('b.ts', 10, 'wide'))
  const far = await change(2, edit('a.ts', 100, 'far'))
  const small = await change(3, edit('a.ts', 10, 'small'))
  const large = await change(4, edit('b.ts', 10, 'large', 5))
  const alone = await change(5, edit('c.ts', 10, 'alone'), edit('CHANGELOG.md', 1, 'x'))
  const noise = await change(6, edit('CHANGELOG.md', 1, 'y'))
  expect(await order()).toMatchObject({
    items: [
      { activity_id: large, pr_url: urlOf(4), reason: '1 conflict: #1; 10 changed lines' },
      { activity_id: small, pr_url: urlOf(3), conflicts_with: [wide], position: 2 },
      { activity_id: wide, pr_url: urlOf(1), conflicts_with: [large, small], position: 3 },
    ],
    clear: [noise, alone, far],
  })
})

test('the merge order compares pull requests with each other only, not with other declared work', async () => {
  const own = await change(1, edit('a.ts', 10, 'own'))
  await records.activity({ branch: 'other', scope: { changes: [edit('a.ts', 10, 'other')] } })
  await records.activity({ branch: 'plan', scope: { paths: ['**'] } })
  expect(await order()).toEqual({ items: [], clear: [own] })
})

test('the merge order counts the activities of one pull request as one, and names the one that follows it', async () => {
  const ofGithub = { source: 'pull_request' as const, scope_is_literal: true, pushed_files: [] }
  const followed = await records.activity({ branch: 'b1', pr_url: urlOf(1) }, ofGithub)
  await open(1, { branch: 'aside', scope: { changes: [edit('a.ts', 10, 'one')] } })
  await open(1, { branch: 'again', scope: { changes: [edit('a.ts', 10, 'two')] } })
  const other = await change(2, edit('a.ts', 10, 'other'))
  const { items, clear } = await order()
  expect(clear).toEqual([])
  expect(items).toMatchObject([
    { activity_id: followed, conflicts_with: [other] },
    { activity_id: other, conflicts_with: [followed] },
  ])
})

const MINE = { changes: [edit('a.ts', 10, 'mine')] }

test.each([
  ['a file of one has no patch that the other changes', MINE, { changes: [{ path: 'a.ts' }] }],
  ['one has paths only that the other changes', MINE, { paths: ['*.ts'] }],
  ['nothing is known about their changes', {}, { areas: ['pay'] }],
])('pull requests are in neither list if %s', async (_, first, second) => {
  await open(1, { scope: first })
  await open(2, { scope: second })
  const other = await change(3, edit('docs/b.md', 10, 'other'))
  expect(await order()).toEqual({
    items: [],
    clear: [other],
    complete: false,
    reason: expect.stringMatching(/^It is not known whether 2 open pull requests have further conflicts; /),
  })
})

test('pull requests with collisions beyond the 5,000 that are compared are not clear', async () => {
  // All collide with each other. The two oldest have pull requests.
  await records.activities(102, (n) => ({
    branch: `c${n}`,
    scope: { paths: ['src/a.ts'] },
    ...(n < 2 && { pr_url: urlOf(n + 1) }),
  }))
  const clear = await change(9, edit('b.ts', 10, 'clear'))
  expect(await order()).toEqual({
    items: [],
    clear: [clear],
    complete: false,
    reason: expect.stringMatching(/^It is not known whether 2 open pull requests have/),
  })
})
