/** How live work relates to a proposal: own, stacked, for another base branch, or colliding (docs/contract/overlap.md#relationships). */
import { expect, test } from 'vitest'
import { liveRecords } from '../support/live-records.ts'

const scope = { paths: ['src/pay.ts'] }

const LABELS: Record<string, string> = { o: 'own', s: 'stacked', c: 'collision' }
// main ← one ← two ← three ← four, one ← fork, main ← side; and an activity on two without a branch.
const STACK = [
  ['one', 'main'],
  ['two', 'one'],
  ['three', 'two'],
  ['four', 'three'],
  ['fork', 'one'],
  ['side', 'main'],
  [null, 'two'],
] as const
test.each([
  [{ branch: 'new' }, 'ccccccc'],
  [{ branch: 'new', base_branch: 'four' }, 'ssssccc'],
  [{ base_branch: 'two' }, 'ssccccc'],
  [{ branch: 'one', base_branch: 'main' }, 'osssscs'],
  [{ branch: 'One' }, 'ccccccc'],
  [{ branch: 'one' }, 'osssscs'],
  [{ branch: 'two', base_branch: 'one' }, 'sossccs'],
  [{ branch: 'two' }, 'sossccs'],
  [{ branch: 'four', base_branch: 'three' }, 'sssoccc'],
  [{ branch: 'side', base_branch: 'main' }, 'cccccoc'],
])('%o relates to one, two, three, four, fork, side and the last as %o', async (proposal, given) => {
  const labels = [...given].map((letter) => LABELS[letter] as string)
  const { activity, check } = liveRecords()
  const ids: string[] = []
  for (const [branch, base_branch] of STACK) ids.push(await activity({ branch, base_branch, scope }))
  const result = await check({ ...proposal, scope })
  expect(result.relationships).toEqual(Object.fromEntries(labels.map((label, index) => [ids[index], label])))
  const newestFirst = (isListed: (label: string) => boolean) =>
    ids.filter((_, index) => isListed(labels[index] as string)).reverse()
  expect(result.expected_activity_ids).toEqual(newestFirst((label) => label !== 'collision'))
  expect(result.related_activity_ids).toEqual(newestFirst((label) => label === 'collision'))
})

test('all work of a branch is built on what some of it is based on', async () => {
  const { activity, check, overlaps } = liveRecords()
  const lower = await activity({ branch: 'one', base_branch: 'main', scope })
  const upper = await activity({ branch: 'two', base_branch: 'one', scope })
  const other = await activity({ branch: 'two', scope })
  const { relationships } = await check({ branch: 'one', scope })
  expect(relationships).toEqual({ [lower]: 'own', [upper]: 'stacked', [other]: 'stacked' })
  expect((await overlaps()).items).toEqual([])
})

test('the list has each pair that a check of either side has, and no other', async () => {
  const { activity, link, overlaps } = liveRecords()
  const names = new Map<string, string>()
  const works = [...STACK, ['linked', 'main'], ['old', 'release'], ['older', 'release']] as const
  for (const [branch, base_branch] of works)
    names.set(await activity({ branch, base_branch, scope }), branch ?? 'none')
  link('linked', 'two')
  const pairs = (await overlaps()).items.map(({ activity_ids }) =>
    activity_ids.map((id) => names.get(id)).join(' '),
  )
  const [upper, lower] = ['two fork, two side, three fork, three none, three side', 'one side']
  const linked = 'three linked, four linked, fork linked, side linked, none linked'
  const others = 'four fork, four none, four side, fork none, fork side, side none, old older'
  expect(pairs.sort()).toEqual([upper, lower, linked, others].join(', ').split(', ').sort())
})

test('commits relate as base branches do: over several steps, but not two branches on one', async () => {
  const { activity, link, check } = liveRecords()
  for (const [branch, base] of [
    ['middle', 'lower'],
    ['upper', 'middle'],
    ['aside', 'middle'],
  ] as const)
    link(branch, base)
  const [lower, upper, aside] = [
    await activity({ branch: 'lower', scope }),
    await activity({ branch: 'upper', scope }),
    await activity({ branch: 'aside', scope }),
  ]
  expect((await check({ branch: 'upper', scope })).relationships).toEqual({
    [upper]: 'own',
    [lower]: 'stacked',
    [aside]: 'collision',
  })
  expect((await check({ branch: 'lower', scope })).relationships).toMatchObject({ [upper]: 'stacked' })
  link('lower', 'upper')
  expect((await check({ branch: 'lower', scope })).relationships).toMatchObject({ [upper]: 'stacked' })
})

test('work for another base branch is named in `relationships` only', async () => {
  const { activity, check, overlaps } = liveRecords()
  const fix = await activity({ branch: 'fix', base_branch: 'main', issue: 7, scope })
  const backport = await activity({ branch: 'backport', base_branch: 'release/1.x', issue: 7, scope })
  expect(await check({ base_branch: 'main', scope })).toMatchObject({
    related_activity_ids: [fix],
    expected_activity_ids: [],
    relationships: { [fix]: 'collision', [backport]: 'other_base' },
    total_related: 1,
  })
  expect(await check({ base_branch: 'release/2.x', scope })).toMatchObject({
    overlap_detected: false,
    matches: [],
    relationships: { [fix]: 'other_base', [backport]: 'other_base' },
    checked_against: { activities: 2, complete: true },
  })
  expect((await check({ scope })).related_activity_ids).toEqual([backport, fix])
  // A check of a branch has the base branch of its other work.
  for (const activity_id of [undefined, backport])
    expect((await check({ branch: 'backport', activity_id, scope })).related_activity_ids).toEqual([])
  expect(await overlaps()).toMatchObject({ items: [], same_file: { total: 0 } })
  const loose = await activity({ branch: 'backport', scope })
  expect((await check({ base_branch: 'main', scope })).related_activity_ids).toEqual([loose, fix])
  expect((await check({ branch: 'backport', scope })).related_activity_ids).toEqual([])
})

test('a branch without a scope has the newest of its scopes, of 2 MB together', async () => {
  const { activity, activities, check, checkActivity } = liveRecords()
  await activities(4, (n) => ({
    branch: 'retries',
    scope: { paths: Array.from({ length: 3000 }, (_, at) => `${n}/${'x'.repeat(300)}${at}`) },
  }))
  await activity({ branch: 'old', scope: { paths: ['1/*'] } })
  const near = await activities(2, (n) => ({ branch: `new${n}`, scope: { paths: [`${n + 2}/*`] } }))
  const found = { related_activity_ids: near.toReversed(), checked_against: { complete: true } }
  expect(await check({ branch: 'retries' })).toMatchObject(found)
  expect(await checkActivity(await activity({ branch: 'retries' }))).toMatchObject(found)
  const own = { areas: ['till'], paths: ['docs/a.md'] }
  expect((await check({ branch: 'retries', scope: own })).matches).toEqual([])
})
