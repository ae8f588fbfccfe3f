/** What a check makes of the changed lines of others: of changes that many make (docs/contract/lines.md#duplicates), and of those that are no overlap. */
import { expect, test } from 'vitest'
import { change, editOf } from '../support/lines.ts'
import { liveRecords } from '../support/live-records.ts'

const FILE = Array.from({ length: 120 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const edit = (path: string, at = 10, text = 'bumped()') => ({ path, patch: editOf(FILE, at, 1, [text]) })
const pull = (number: number) => ({
  branch: `b${number}`,
  pr_url: `https://github.com/acme/shop/pull/${number}`,
})
const [BUMP, BOTH] = [[edit('a')], [edit('a'), edit('b')]]
const UPDATE = { path: 'package.json', patch: '@@ -3 +3 @@\n-  "a": "1.0.0",\n+  "a": "1.1.0",' }

test.each<[string, { ours: object[]; theirs: object[][]; open: number; own?: boolean }, number[]]>([
  ['two pull requests of three', { ours: BUMP, theirs: [BUMP, BUMP], open: 3 }, [2, 1]],
  ['three of nine', { ours: BUMP, theirs: [BUMP, BUMP, BUMP], open: 9 }, [0, 0]],
  ['three of ten', { ours: BUMP, theirs: [BUMP, BUMP, BUMP], open: 10 }, [3, 3]],
  ['two and our own', { ours: BUMP, theirs: [BUMP, BUMP], open: 9, own: true }, [0, 1]],
  ['three that do more', { ours: BUMP, theirs: [BOTH, BOTH, BOTH], open: 9 }, [0, 0]],
  ['two, and a third that does less', { ours: BOTH, theirs: [BOTH, BOTH, BUMP], open: 9 }, [2, 1]],
  [
    'three that change a manifest',
    { ours: [UPDATE], theirs: [[UPDATE], [UPDATE], [UPDATE]], open: 9 },
    [0, 0],
  ],
])('the same changes are made by %s', async (_, { ours, theirs, open, own }, [duplicates, pairs]) => {
  const { activity, check, overlaps } = liveRecords()
  if (own) await activity({ ...pull(99), scope: { paths: ['docs/own.md'] } })
  for (const [at, changes] of theirs.entries()) await activity({ ...pull(at), scope: { changes } })
  for (let at = theirs.length + (own ? 1 : 0); at < open; at += 1)
    await activity({ ...pull(at), scope: { paths: [`docs/${at}.md`] } })
  const { matches, total_related } = await check({ branch: 'b99', scope: { changes: ours } })
  expect(matches.map(({ consequence }) => consequence)).toEqual(Array(duplicates).fill('same_work'))
  expect([total_related, (await overlaps()).total]).toEqual([duplicates, pairs])
})

test('changes from commits that both have, and the base branch has not, are the work of neither', async () => {
  const own = 'act_00000000000000000000000000'
  const since = async (id: string | null) =>
    id === own ? [{ ...change({ path: 'b' }), origin: 'pushed' as const, base_sha: null }] : undefined
  const { activity, checkActivity, check } = liveRecords({}, undefined, { since })
  const scope = (text: string) => ({ changes: [edit('a', 10, text), edit('b', 10, text)] })
  await activity({ branch: 'ours', scope: { changes: [...scope('x()').changes, { path: 'plan' }] } })
  await activity({ branch: 'theirs', scope: { changes: [...scope('y()').changes, edit('plan')] } })
  const shared = ({ matches }: Awaited<ReturnType<typeof check>>) =>
    matches.map(({ paths }) => paths.map(({ example, verdict }) => `${example}: ${verdict}`).sort())
  expect(shared(await checkActivity(own))).toEqual([['b: unknown', 'plan: unknown']])
  const all = [['a: conflict', 'b: conflict']]
  expect(shared(await check({ branch: 'ours', scope: scope('x()') }))).toEqual(all)
})
