/** Which merged work a check names: what was merged lately (docs/contract/overlap.md#reuse), and what has done the work already (docs/contract/issues.md#done-already). */
import { expect, test } from 'vitest'
import type { Source } from '../../src/engine/check/source.ts'
import { comparedActivity, DONE_BY } from '../support/conclusion.ts'
import { liveRecords } from '../support/live-records.ts'

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const DAYS_7 = 7 * 86_400_000
const paths = (...globs: string[]) => ({ areas: [] as string[], paths: globs })
const merged = (id: string, scope: ReturnType<typeof paths>, ago_ms: number) =>
  comparedActivity(id, { scope, merged_at: new Date(NOW - ago_ms) })

/** The ids that a check suggests of merged work, of which the last merged comes first. */
async function suggested(rows: ReturnType<typeof merged>[], body: object) {
  const { check } = liveRecords({}, undefined, {
    merged: async ({ since, before, limit }) => {
      const recent = rows.filter(({ merged_at }) => (merged_at as Date) > since)
      const from = before ? recent.indexOf(before) + 1 : 0
      return recent.slice(from, from + limit)
    },
  })
  return (await check(body)).reuse_opportunities.map(({ id }) => id)
}
const many = (count: number, path: string) =>
  Array.from({ length: count }, (_, at) => merged(`act_${String(9999 - at)}`, paths(path), at))
const OURS = { scope: { paths: ['src/pay.ts'], areas: ['till'] } }

test.each<[string, ReturnType<typeof merged>[], string[]]>([
  ['a path', [merged('a', paths('src/*'), 0)], ['a']],
  ['an area', [merged('a', { areas: ['Till'], paths: [] }, 0)], ['a']],
  ['nothing', [merged('a', { areas: ['docs'], paths: ['docs/*'] }, 0)], []],
  ['a path, and was merged almost seven days ago', [merged('a', paths('src/*'), DAYS_7 - 1)], ['a']],
  ['a path, but was merged seven days ago', [merged('a', paths('src/*'), DAYS_7)], []],
  ['a path, behind 600 others', [...many(600, 'docs/*'), merged('a', paths('src/*'), 600)], ['a']],
  ['a path, but 2,000 were merged later', [...many(2000, 'docs/*'), merged('a', paths('src/*'), 2000)], []],
])('merged work is suggested or not that shares %s', async (_, rows, ids) => {
  expect(await suggested(rows, OURS)).toEqual(ids)
})

test('of much merged work the last ten are suggested', async () => {
  expect(await suggested(many(300, 'src/*'), OURS)).toEqual(many(10, '').map(({ id }) => id))
})

const RETRY = { path: 'retry.ts', status: 'added', patch: '@@ -0,0 +1 @@\n+  till.retryPayment()' }
const adds = (...changes: object[]) => ({ branch: 'retry', scope: { changes } })
const pull = { pr_url: 'https://github.com/acme/shop/pull/7', base_branch: 'v1' }
/** Answers only if it is asked for all that is known of the work, its one line and its pull request. */
const doneBy: Source['doneBy'] = async ({ added, is_complete }, { branch, base_branch, numbers }) =>
  added.length === 1 && is_complete && `${branch} ${base_branch} ${numbers}` === 'retry v1 7' ? DONE_BY : null

test.each<[string, object, object, boolean]>([
  ['the work of a branch, such as a manifest', {}, adds({ ...RETRY, path: 'go.mod' }), true],
  ['its activities, without a scope of its own', adds(RETRY), {}, true],
  ['its activities, which make it again', { title: 'Revert "Drop retries"', ...adds(RETRY) }, {}, false],
  ['work that is made again', { title: 'Revert "Drop retries"' }, adds(RETRY), false],
  ['work that changes no file', {}, { scope: { paths: ['retry.ts'] } }, false],
  ['work in which only noise is changed', {}, adds({ ...RETRY, path: 'yarn.lock' }), false],
])('merged work has done, or is not asked for, %s', async (_, live, body, isDone) => {
  const always: Source['doneBy'] = async (...asked) => (isDone ? doneBy(...asked) : DONE_BY)
  const { activity, check, checkActivity } = liveRecords({}, undefined, { doneBy: always })
  const id = await activity({ branch: 'retry', ...pull, ...live })
  const done = isDone ? [{ id: '#40', findings: [{ kind: 'done' }] }] : []
  expect((await check({ branch: 'retry', ...body })).matches).toMatchObject(done)
  if ('scope' in live) expect((await checkActivity(id)).matches).toMatchObject(done)
})

test.each([
  ['ada', 'Retry', { is_by_newcomer: false }, true],
  ['ben', '#40', { is_by_newcomer: true }, false],
])(
  'work that %s has done is named “%s”, and is of one author: %#',
  async (author, title, given, same_author) => {
    const { check } = liveRecords({}, undefined, { doneBy: async () => ({ ...DONE_BY, author, ...given }) })
    const { matches, reuse_opportunities } = await check(adds(RETRY))
    expect(matches).toMatchObject([{ id: '#40', actor: author, title, same_author }])
    expect(reuse_opportunities).toMatchObject([{ type: 'merged', title }])
  },
)

test('nothing is done already in a repository whose pull requests are not known', async () => {
  const { check, ctx } = liveRecords({}, undefined, { doneBy: async () => DONE_BY })
  Object.assign(ctx.repo, { is_tracked: false })
  expect((await check(adds(RETRY))).matches).toEqual([])
})
