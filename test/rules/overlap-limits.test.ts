/** The limits of a check and of the list of all collisions: how many they name, in which order, and when they are incomplete. */
import { describe, expect, test } from 'vitest'
import { CheckOverlap } from '../../src/vocabulary/contract/overlap.ts'
import { liveRecords } from '../support/live-records.ts'

const scope = { paths: ['src/pay.ts'] }
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

test.each([
  ['200 with wildcards', range(200).map((index) => `a${index}/*`), null],
  ['201 with wildcards', range(201).map((index) => `a${index}/*`), ['scope', 'paths', 200]],
  ['3,000 plain ones', range(3000).map((index) => `src/a${index}.ts`), null],
  ['3,001 plain ones', range(3001).map((index) => `src/a${index}.ts`), ['scope', 'paths']],
])('of paths, %s are accepted or refused', (_, paths, refused) => {
  const { error } = CheckOverlap.safeParse({ scope: { paths } })
  expect(error?.issues[0]?.path ?? null).toEqual(refused)
})

describe('a check lists', () => {
  test('the 200 most severe of more than 200 collisions, and the total', async () => {
    const { activities, notable, check } = liveRecords()
    const isGrave = (index: number) => index % 50 === 0
    const ids = await activities(250, (index) => ({ risk: isGrave(index) ? 'high' : 'low', scope }))
    const notes = range(200).map(() => notable({ scope }))
    const grave = notable({ importance: 'critical', scope })
    const newestFirst = range(250).reverse()
    const expected = [...newestFirst.filter(isGrave), ...newestFirst.filter((index) => !isGrave(index))]
    const listed = expected.slice(0, 200).map((index) => ids[index])
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual(listed)
    expect(result).toMatchObject({ severity: 'high', truncated: true, total_related: 451 })
    expect(result.checked_against).toMatchObject({ activities: 250, notables: 201, complete: true })
    const listedNotes = [grave, ...notes.sort().reverse()].slice(0, 200)
    expect(result.matches.map((each) => each.id)).toEqual([...listed, ...listedNotes])
    expect(result.reason).toMatch(/447 more/)
  })

  test('the newest 200 of those for another base branch', async () => {
    const { activities, check } = liveRecords()
    const ids = await activities(201, (n) => ({ branch: `b${n}`, base_branch: 'release', scope }))
    const { relationships } = await check({ base_branch: 'main', scope })
    expect(Object.keys(relationships).sort()).toEqual(ids.slice(1))
  })

  test.each([
    [2000, true],
    [2001, false],
  ])('all, if their lines are to be compared with those of %i: %s', async (count, complete) => {
    const { activity, copies, check } = liveRecords()
    const changes = { scope: { changes: [{ path: 'src/pay.ts' }] } }
    copies(await activity(changes), count - 1)
    expect((await check(changes)).checked_against).toMatchObject({ activities: count, complete })
  })

  test('at most 20 pairs of paths of each match', async () => {
    const { activity, check } = liveRecords()
    const files = range(25).map((index) => `src/a${index}.ts`)
    await activity({ scope: { paths: [...files.slice(0, 19), 'docs/**'] } })
    await activity({ scope: { paths: files } })
    const [many, some] = (await check({ scope: { paths: ['src/*'] } })).matches
    expect(some?.paths).toMatchObject(
      files.slice(0, 19).map((file) => ({ yours: 'src/*', theirs: file, example: file })),
    )
    expect(many).toMatchObject({ findings: { length: 1 }, paths: { length: 20 } })
  })
})

/** 200 valid globs of up to 512 characters with `count` alternatives each. They share no path with those of another `side`, but it is expensive to find that out. */
function hostileScope(side: 'x' | 'y' | 'z', count = 64): { paths: string[] } {
  const alternatives = range(count).map((index) => `*${String.fromCharCode(97 + (index % 26))}${index}*`)
  const paths = range(200).map((index) => {
    const head = `{${alternatives.join()}}`
    const tail = `**/*${index}*[${side}${side}]`
    const middle = '*a'.repeat(Math.floor((511 - head.length - tail.length) / 2))
    return `${head}${middle}/${tail}`
  })
  return { paths }
}

test('nothing is compared if the time is up before that', async () => {
  const { activity, notable, check, overlaps } = liveRecords({}, 0)
  await activity({ scope })
  notable({ scope })
  expect((await check({ scope })).checked_against).toMatchObject({
    activities: 0,
    notables: 0,
    complete: false,
  })
  const { checked_against } = await overlaps()
  expect(checked_against).toMatchObject({ activities: 0, complete: false })
  expect(checked_against.reason).toMatch(
    /^Only the newest 0 .* compared, because the work budget was exhausted\./,
  )
})

describe('a check that is too expensive', () => {
  // Threat: Globs that are expensive to compare
  test('reports that it is incomplete, and names the most severe of what it compared', async () => {
    const { activity, activities, notable, check } = liveRecords({}, 500)
    const pattern = (end: string) => ({ paths: [`src/p*${end}`] })
    await activities(5, () => ({ scope: hostileScope('x') }))
    await activity({ scope: pattern('.ts') })
    const grave = await activity({ risk: 'critical', scope: pattern('y.ts') })
    const plain = await activity({ scope })
    const note = notable({ blocking: true, scope: pattern('?.ts') })
    for (const _ of range(5)) notable({ scope: hostileScope('z') })
    const result = await check({ scope: { paths: [...scope.paths, ...hostileScope('y', 4).paths.slice(1)] } })
    expect(result.checked_against.complete).toBe(false)
    expect(result.related_activity_ids).toEqual([grave, plain])
    expect(result.related_notable_ids).toEqual([note])
    expect(result.reason).toMatch(/exhausted its work budget/)
  })

  test('is not that of the largest ordinary scope with as many patterns', async () => {
    const { activities, check } = liveRecords()
    const patterns = range(2000).map((index) => `packages/p${index}/**/*.{spec,test}.ts`)
    await activities(20, (index) => ({ scope: { paths: patterns.slice(100 * index, 100 * index + 100) } }))
    const mine = range(200).map((index) =>
      index % 20 === 0 ? `**/part-${index}/*.md` : `packages/p${index}/src/*_{a,b}.md`,
    )
    const files = range(2800).map((index) => `packages/q${index % 50}/src/file-${index}.ts`)
    const result = await check({ scope: { paths: [...mine, ...files] } })
    expect(result.related_activity_ids).toEqual([])
    expect(result.checked_against).toMatchObject({ activities: 20, complete: true })
  })

  test('has an end if the directory of each file is compared with hostile globs of the settings', async () => {
    const globs = range(100).map((index) => `${'*a'.repeat(100 + index)}[xy]`)
    const { check } = liveRecords(
      { number_directories: Object.fromEntries(globs.map((glob) => [glob, true])) },
      50,
    )
    const changes = range(3000).map((n) => ({ path: `${'a'.repeat(220)}${n}/1.sql`, status: 'added' }))
    expect((await check({ scope: { changes } })).checked_against.complete).toBe(false)
  })

  test('is not that with 20,000 activities of equal globs', async () => {
    const { activity, copies, check } = liveRecords()
    await activity({ scope: { paths: ['docs/**'] } })
    const related = await activity({ scope: { paths: ['**/*.ts'] } })
    copies(await activity({ scope: { paths: ['*.md'] } }), 20_000)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual([related])
    expect(result.checked_against).toMatchObject({ activities: 20_003, complete: true })
  })
})

test('the list names at most three shared paths of a collision', async () => {
  const { activities, overlaps } = liveRecords()
  await activities(2, (n) => ({ branch: `b${n}`, scope: { paths: ['a.ts', 'b.ts', 'c.ts', 'd.ts'] } }))
  expect((await overlaps()).items.map(({ paths }) => paths.length)).toEqual([3])
})

test('a stack is found through an activity that is too old to be compared itself', async () => {
  const { activity, activities, overlaps } = liveRecords()
  await activity({ branch: 'b', base_branch: 'a' })
  await activities(999, () => ({ branch: 'filler' }))
  await activity({ branch: 'a', base_branch: 'main', scope })
  await activity({ branch: 'c', base_branch: 'b', scope })
  expect(await overlaps()).toMatchObject({
    items: [],
    checked_against: { activities: 1000, complete: false },
  })
})

describe('the list is complete', () => {
  test('when an activity has more collisions than a check lists', async () => {
    const { activity, activities, overlaps } = liveRecords()
    await activities(250, (n) => ({ branch: `b${n}`, scope: { paths: [`src/f${n}.ts`] } }))
    await activity({ branch: 'all', scope: { paths: ['src/**'] } })
    const { items, ...answer } = await overlaps()
    expect(items).toHaveLength(250)
    expect(answer).toMatchObject({ total: 250, checked_against: { activities: 251, complete: true } })
  })

  test('unless there are more than 1,000 collisions: the most severe, then the newest are listed', async () => {
    const { activities, overlaps } = liveRecords()
    const ids = await activities(45, (n) => ({ branch: `b${n}`, blocking: n === 3, scope }))
    expect(await overlaps()).toMatchObject({ total: 990, checked_against: { complete: true } })

    ids.push(...(await activities(10, (n) => ({ branch: `c${n}`, scope }))))
    const { items, ...answer } = await overlaps()
    expect(answer).toMatchObject({ total: 1485, checked_against: { activities: 55, complete: false } })
    const newestFirst = range(55).reverse()
    const ofBlocking = newestFirst.filter((n) => n !== 3).map((n) => (n > 3 ? [3, n] : [n, 3]))
    const others = newestFirst.flatMap((newer) =>
      newestFirst
        .filter((older) => older < newer && older !== 3 && newer !== 3)
        .map((older) => [older, newer]),
    )
    const expected = [...ofBlocking, ...others].slice(0, 1000)
    expect(items.map(({ activity_ids }) => activity_ids)).toEqual(
      expected.map((pair) => pair.map((n) => ids[n as number])),
    )
    expect(items.filter(({ severity }) => severity === 'high')).toHaveLength(54)
  })

  test('unless more than 5,000 pairs share files: as many are named as are listed', async () => {
    const { activities, overlaps } = liveRecords()
    const patch = (n: number) => `@@ -${50 * n + 1} +${50 * n + 1} @@\n-old ${n}\n+new ${n}`
    const ids = await activities(112, (n) => ({
      branch: `b${n}`,
      pr_url: `https://github.com/acme/shop/pull/${n}`,
      scope: { changes: [{ path: 'a.ts', patch: patch(n) }] },
    }))
    const { items, total, same_file, checked_against, merge_order } = await overlaps()
    expect(items).toEqual([])
    expect(total).toBe(1216)
    expect(same_file).toMatchObject({ total: 5000, pairs: { length: 100 } })
    // Of the older ones, some pairs are not compared by lines.
    expect(merge_order.clear).toEqual(ids.slice(-62).reverse())
    expect(checked_against.reason).toContain('Only 0 of 1216 collisions are listed.')
  })

  test('unless there are more than 1,000 live activities: the newest are compared', async () => {
    const { activity, activities, overlaps } = liveRecords()
    await activities(999, () => ({ branch: 'far' }))
    const one = await activity({ branch: 'a', scope })
    expect((await overlaps()).checked_against).toMatchObject({ activities: 1000, complete: true })
    const other = await activity({ branch: 'b', scope })
    expect(await overlaps()).toMatchObject({
      items: [{ activity_ids: [one, other] }],
      checked_against: {
        ...{ activities: 1000, complete: false },
        reason: 'Only the newest 1000 live activities were compared.',
      },
    })
  })

  test('unless the deadline is over: the newest are compared', async () => {
    const { activity, activities, overlaps } = liveRecords({}, 50)
    const hard = (n: number) => range(20).map((m) => `${'*a'.repeat(100)}${n}x${m}[${'abcdefgh'[n % 8]}z]*`)
    await activities(60, (n) => ({ branch: `b${n}`, scope: { paths: hard(n) } }))
    const one = await activity({ branch: 'one', scope: { paths: ['src/**'] } })
    const other = await activity({ branch: 'other', scope: { paths: ['src/a.ts'] } })
    const { items, checked_against } = await overlaps()
    expect(items.map(({ activity_ids }) => activity_ids)).toContainEqual([one, other])
    expect(checked_against.complete).toBe(false)
    expect(checked_against.activities).toBeGreaterThanOrEqual(2)
    expect(checked_against.activities).toBeLessThan(62)
  })
})

test('after the deadline, older pairs count by path, and the list and the merge order are incomplete', async () => {
  const { activities, overlaps } = liveRecords({}, 400)
  const hostile = range(2000).map((at) => `@@ -${2 * at + 1} +${2 * at + 1} @@\n-one line again\n+y${at}`)
  const ids = await activities(40, (n) => ({
    branch: `b${n}`,
    pr_url: `https://github.com/acme/shop/pull/${n + 1}`,
    scope: { changes: [{ path: 'a.ts', patch: `${hostile.join('\n')}z${n}` }] },
  }))
  const { items, total, checked_against, merge_order } = await overlaps()
  expect(total).toBe(780)
  const byIds = new Map(items.map((each) => [each.activity_ids.join(), each]))
  expect(byIds.get([ids[38], ids[39]].join())).toMatchObject({ paths: [{ verdict: expect.any(String) }] })
  expect(byIds.get([ids[0], ids[1]].join())).toMatchObject({
    consequence: 'possible',
    severity: 'medium',
    paths: [{ globs: ['a.ts', 'a.ts'], example: 'a.ts', verdict: null }],
  })
  expect(checked_against).toMatchObject({ activities: 40, complete: false })
  expect(checked_against.reason).toMatch(/ranked by their paths and not by their lines/)
  expect(merge_order).toMatchObject({ clear: [], complete: false })
  expect(merge_order.reason).toMatch(/^It is not known whether/)
})
