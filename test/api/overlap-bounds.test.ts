/** The limits of a check and of the list of all collisions: how many they name, in which order, and when they are incomplete. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { activities } from '../../src/server/records/activities/table.ts'
import { notables } from '../../src/server/records/notables/table.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository } = fixture

const scope = { paths: ['src/pay.ts'] }

/** An id with this number; ids sort in the order of their numbers. */
const idOf = (index: number) => `act_${String(index).padStart(26, '0')}`
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

interface Item {
  activity_ids: string[]
  severity: string
  paths: unknown[]
}

const overlapsIn = async ({ request }: TestRepository) => {
  const { status, body } = await request('GET', '/overlaps')
  expect(status).toBe(200)
  const pairs = body.items.map(({ activity_ids }: Item) => activity_ids)
  return { ...body, pairs } as typeof body & { items: Item[]; pairs: string[][] }
}

describe('paths', () => {
  test.each([
    ['200 with wildcards', range(200).map((index) => `a${index}/*`)],
    ['3,000 plain ones', range(3000).map((index) => `src/a${index}.ts`)],
  ])('up to the limit are accepted: %s', async (_, paths) => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { paths } })
    expect((await check({ scope: { paths: paths.slice(-1) } })).related_activity_ids).toEqual([id])
  })

  test.each([
    ['scope.paths[200]', range(201).map((index) => `a${index}/*`)],
    ['scope.paths', range(3001).map((index) => `a${index}`)],
  ])('beyond the limit are refused, naming %s', async (param, paths) => {
    const answer = await repository().request('POST', '/activity/check', { body: { scope: { paths } } })
    expect(answer.status).toBe(422)
    expect(answer.body.error.param).toEqual(param)
  })
})

describe('a check lists', () => {
  test('the 200 most severe of more than 200 collisions, and the total', async () => {
    const { request, createActivity, createNotable, check, insertActivities } = repository()
    const isGrave = (index: number) => index % 50 === 0
    const risk = (index: number) => (isGrave(index) ? 'high' : 'low')
    await insertActivities(
      range(450).map((index) => ({ id: idOf(index), risk: risk(index), scope: { areas: [], ...scope } })),
    )
    const notable = await createNotable({ scope })
    const newestFirst = range(450).reverse()
    const expected = [...newestFirst.filter(isGrave), ...newestFirst.filter((index) => !isGrave(index))]
    const listed = expected.slice(0, 200).map(idOf)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual(listed)
    expect(result).toMatchObject({ severity: 'high', truncated: true, total_related: 451 })
    expect(result.checked_against).toMatchObject({ activities: 450, notables: 1, complete: true })
    expect(Object.keys(result.relationships).sort()).toEqual([...listed].sort())
    expect(result.matches.map((each) => each.id)).toEqual([...listed, notable])
    expect(result.reason).toMatch(/448 more/)
    const self = await createActivity({ scope: { areas: ['pay'], ...scope }, branch: 'self' })
    const { matches, ...brief } = (await request('GET', `/activity/${self}`)).body.overlap
    expect(brief).toEqual({ overlap_detected: true, severity: 'high', related_activity_ids: listed })
    expect(matches).toHaveLength(5)
  })

  test('at most 20 pairs of paths of each match', async () => {
    const { createActivity, check } = repository()
    const files = range(25).map((index) => `src/a${index}.ts`)
    const many = await createActivity({ scope: { paths: files } })
    const some = await createActivity({ scope: { paths: [...files.slice(0, 19), 'docs/**'] } })
    const { matches } = await check({ scope: { paths: ['src/*'] } })
    const pairsOf = (id: string) => matches.find((match) => match.id === id)?.paths
    expect(pairsOf(some)).toMatchObject(
      files.slice(0, 19).map((file) => ({ yours: 'src/*', theirs: file, example: file })),
    )
    expect(pairsOf(many)).toHaveLength(20)
  })
})

/** Comparisons of the test end sooner than usual. */
function endEarly(ms = 50): void {
  const { app } = fixture.service
  app.comparison_ms = ms
  onTestFinished(() => {
    delete app.comparison_ms
  })
}

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

describe('a check that is too expensive', () => {
  const theirs = hostileScope('x')
  const mine = { paths: [...scope.paths, ...hostileScope('y', 4).paths.slice(1)] }

  // Threat: Globs that are expensive to compare
  test('reports that it is incomplete, and names the most severe of what it compared', async () => {
    endEarly(200)
    const { request, create, createActivity, createNotable, insertCopies } = repository()
    const pattern = (end: string) => ({ paths: [`src/p*${end}`] })
    const grave = await createActivity({ risk: 'critical', scope: pattern('y.ts') })
    const older = await createActivity({ scope: pattern('.ts') })
    await insertCopies(activities, await createActivity({ scope: theirs }), 4)
    const plain = await createActivity({ scope })
    const graveNote = await createNotable({ blocking: true, scope: pattern('?.ts') })
    await insertCopies(notables, await createNotable({ scope: hostileScope('z') }), 4)
    const { activity, overlap } = await create({ scope: mine, branch: 'mine' })
    expect(overlap.checked_against.complete).toBe(false)
    expect(overlap.related_activity_ids).toEqual([grave, plain])
    expect(overlap.related_activity_ids).not.toContain(older)
    expect(overlap.related_notable_ids).toContain(graveNote)
    expect(overlap.reason).toMatch(/exhausted its work budget/)
    const brief = (await request('POST', `/activity/${activity.id}/heartbeat`)).body.overlap
    expect(brief).toMatchObject({ severity: 'high', related_activity_ids: [grave, plain] })
  })

  test('is not that of the largest ordinary scope with as many patterns', async () => {
    const { check, insertActivities } = repository()
    const patterns = range(2000).map((index) => `packages/p${index}/**/*.{spec,test}.ts`)
    await insertActivities(
      range(20).map((index) => ({
        id: idOf(index),
        scope: { areas: [], paths: patterns.slice(100 * index, 100 * index + 100) },
      })),
    )
    const mine = range(200).map((index) =>
      index % 20 === 0 ? `**/part-${index}/*.md` : `packages/p${index}/src/*_{a,b}.md`,
    )
    const files = range(2800).map((index) => `packages/q${index % 50}/src/file-${index}.ts`)
    const result = await check({ scope: { paths: [...mine, ...files] } })
    expect(result.related_activity_ids).toEqual([])
    expect(result.checked_against).toMatchObject({ activities: 20, complete: true })
  })

  const hard = (index: number, end: string) => [`${'*a'.repeat(20)}${index}[${end}]`]
  const rows = range(300).map((index) => ({
    id: idOf(index),
    scope: { areas: [], paths: hard(index, 'xx') },
  }))
  const body = { scope: { paths: [`${'*a'.repeat(250)}[yy]`] } }

  test('is one of two of its caller at a time, so that a check of another one ends before most of ten', async () => {
    endEarly()
    const [one, other] = [repository(), repository()]
    for (const { insertActivities } of [one, other]) await insertActivities(rows)
    let ended = 0
    const many = range(10).map(() => one.check(body).then(() => (ended += 1)))
    await other.request('POST', '/activity/check', { body, token: 'rita' })
    expect(ended).toBeLessThan(6)
    await Promise.all(many)
  })

  // Threat: Globs that are expensive to compare
  test('does not block other requests', async () => {
    const { check, createNotable, insertActivities } = repository()
    await insertActivities(rows)
    for (const nth of range(10))
      await createNotable({ scope: { paths: range(30).flatMap((index) => hard(30 * nth + index, 'zz')) } })
    const ended: string[] = []
    const long = check(body)
    void long.then(() => ended.push('the check'))
    for (let count = 0; count < 3; count += 1) {
      expect((await fixture.service.api('GET', '/healthz')).status).toBe(200)
    }
    ended.push('3 requests, one after another')
    const { checked_against } = await long
    expect(ended).toEqual(['3 requests, one after another', 'the check'])
    expect(checked_against.complete).toBe(false)
    expect(checked_against.activities).toBeGreaterThan(10)
  })

  test('has an end if the directory of each file is compared with hostile globs of the settings', async () => {
    endEarly()
    const { check, configure } = repository()
    const globs = range(100).map((index) => `${'*a'.repeat(100 + index)}[xy]`)
    await configure({ number_directories: Object.fromEntries(globs.map((glob) => [glob, true])) })
    const changes = range(3000).map((n) => ({ path: `${'a'.repeat(220)}${n}/1.sql`, status: 'added' }))
    expect((await check({ scope: { changes } })).checked_against.complete).toBe(false)
  })

  test('is not that with 20,000 activities of equal globs', async () => {
    const { createActivity, check, insertCopies } = repository()
    await createActivity({ scope: { paths: ['docs/**'] } })
    const related = await createActivity({ scope: { paths: ['**/*.ts'] } })
    await insertCopies(activities, await createActivity({ scope: { paths: ['*.md'] } }), 20_000)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual([related])
    expect(result.checked_against).toMatchObject({ activities: 20_003, complete: true })
  })
})

test('the list names at most three shared paths of a collision', async () => {
  const repo = repository()
  const scope = { paths: ['a.ts', 'b.ts', 'c.ts', 'd.ts'] }
  for (const branch of ['a', 'b']) await repo.createActivity({ branch, scope })
  const { items } = await overlapsIn(repo)
  expect(items.map((each: Item) => each.paths.length)).toEqual([3])
})

test('a stack is found through an activity that is too old to be compared itself', async () => {
  const repo = repository()
  const scope = { paths: ['src/**'] }
  await repo.insertActivities([{ id: idOf(0), branch: 'b', base_branch: 'a' }])
  const filler = await repo.createActivity({ branch: 'filler' })
  await repo.insertCopies(activities, filler, 999)
  await repo.createActivity({ branch: 'a', base_branch: 'main', scope })
  await repo.createActivity({ branch: 'c', base_branch: 'b', scope })
  expect(await overlapsIn(repo)).toMatchObject({
    items: [],
    checked_against: { activities: 1000, complete: false },
  })
})

describe('the list is complete', () => {
  test('when an activity has more collisions than a check lists', async () => {
    const repo = repository()
    await repo.insertActivities([
      ...range(250).map((n) => ({
        id: idOf(n),
        branch: `b${n}`,
        scope: { areas: [], paths: [`src/f${n}.ts`] },
      })),
      { id: idOf(250), branch: 'all', scope: { areas: [], paths: ['src/**'] } },
    ])
    const { items, ...answer } = await overlapsIn(repo)
    expect(items).toHaveLength(250)
    expect(answer).toMatchObject({ total: 250, checked_against: { activities: 251, complete: true } })
  })

  test('unless there are more than 1,000 collisions: the most severe, then the newest are listed', async () => {
    const repo = repository()
    const scope = { areas: [], paths: ['src/a.ts'] }
    await repo.insertActivities(range(45).map((n) => ({ id: idOf(n), branch: `b${n}`, scope })))
    const all = await overlapsIn(repo)
    expect(all.items).toHaveLength(990)
    expect(all).toMatchObject({ total: 990, checked_against: { complete: true } })

    await repo.insertActivities(range(55).map((n) => ({ id: idOf(n + 45), branch: `b${n + 45}`, scope })))
    await repo.request('PATCH', `/activity/${idOf(3)}`, { body: { blocking: true } })
    const { pairs, items, ...answer } = await overlapsIn(repo)
    expect(answer).toMatchObject({ total: 4950, checked_against: { activities: 100, complete: false } })
    const newestFirst = range(100).reverse()
    const ofBlocking = newestFirst.filter((n) => n !== 3).map((n) => (n > 3 ? [3, n] : [n, 3]))
    const others = newestFirst.flatMap((newer) =>
      newestFirst
        .filter((older) => older < newer && older !== 3 && newer !== 3)
        .map((older) => [older, newer]),
    )
    const expected = [...ofBlocking, ...others].slice(0, 1000)
    expect(pairs).toEqual(expected.map((pair) => pair.map((n) => idOf(n as number))))
    expect(items.filter(({ severity }: Item) => severity === 'high')).toHaveLength(99)
  })

  test('unless more than 5,000 pairs share files: as many are named as are listed', async () => {
    const repo = repository()
    const patch = (n: number) => `@@ -${50 * n + 1} +${50 * n + 1} @@\n-old ${n}\n+new ${n}`
    const create = (n: number) =>
      repo.createActivity({ branch: `b${n}`, scope: { changes: [{ path: 'a.ts', patch: patch(n) }] } })
    await Promise.all(range(112).map(create))
    const { items, total, checked_against } = await overlapsIn(repo)
    expect(items).toEqual([])
    expect(total).toBe(1216)
    expect(checked_against.reason).toContain('Only 0 of 1216 collisions are listed.')
  })

  test('unless there are more than 1,000 live activities: the newest are compared', async () => {
    const repo = repository()
    const scope = { paths: ['src/**'] }
    const template = await repo.createActivity({ branch: 'far', scope: { paths: ['far/**'] } })
    await repo.insertCopies(activities, template, 998)
    const one = await repo.createActivity({ branch: 'a', scope })
    expect(await overlapsIn(repo)).toMatchObject({ checked_against: { activities: 1000, complete: true } })
    const other = await repo.createActivity({ branch: 'b', scope })
    expect(await overlapsIn(repo)).toMatchObject({
      pairs: [[one, other]],
      checked_against: { activities: 1000, complete: false },
    })
  })

  test('unless the deadline is over: the newest are compared, and other requests are not blocked', async () => {
    endEarly()
    const repo = repository()
    const hard = (n: number) => range(20).map((m) => `${'*a'.repeat(100)}${n}x${m}[${'abcdefgh'[n % 8]}z]*`)
    await repo.insertActivities(
      range(60).map((n) => ({ id: idOf(n), branch: `b${n}`, scope: { areas: [], paths: hard(n) } })),
    )
    const one = await repo.createActivity({ branch: 'one', scope: { paths: ['src/**'] } })
    const other = await repo.createActivity({ branch: 'other', scope: { paths: ['src/a.ts'] } })
    const ended: string[] = []
    const long = overlapsIn(repo)
    void long.then(() => ended.push('the comparison'))
    for (let count = 0; count < 5; count += 1)
      expect((await fixture.service.api('GET', '/healthz')).status).toBe(200)
    ended.push('5 requests, one after another')
    const { pairs, checked_against } = await long
    expect(ended[0]).toBe('5 requests, one after another')
    expect(pairs).toContainEqual([one, other])
    expect(checked_against.complete).toBe(false)
    expect(checked_against.activities).toBeGreaterThanOrEqual(2)
    expect(checked_against.activities).toBeLessThan(62)
  })
})

test('after the deadline, older pairs count by path, and the list and the merge order are incomplete', async () => {
  endEarly()
  const repo = repository()
  const hostile = Array.from(
    { length: 2_000 },
    (_, at) => `@@ -${2 * at + 1} +${2 * at + 1} @@\n-one line again\n+y${at}`,
  )
  const ids: string[] = []
  for (let n = 0; n < 14; n += 1) {
    const patch = `${hostile.join('\n')}z${n}`
    const pr_url = `https://github.com/acme/r${repo.id - 1000}/pull/${n + 1}`
    const scope = { changes: [{ path: 'a.ts', patch }] }
    ids.push(await repo.createActivity({ branch: `b${n}`, pr_url, scope }))
  }
  const { items, total, checked_against } = await overlapsIn(repo)
  expect(total).toBe(91)
  const byIds = new Map(items.map((each: Item) => [each.activity_ids.join(), each]))
  expect(byIds.get([ids[12], ids[13]].join())).toMatchObject({ paths: [{ verdict: expect.any(String) }] })
  expect(byIds.get([ids[0], ids[1]].join())).toMatchObject({
    consequence: 'possible',
    severity: 'medium',
    paths: [{ globs: ['a.ts', 'a.ts'], example: 'a.ts', verdict: null }],
  })
  expect(checked_against).toMatchObject({ activities: 14, complete: false })
  expect(checked_against.reason).toMatch(/ranked by their paths and not by their lines/)
  const { body: order } = await repo.request('GET', '/merge-order')
  expect(order).toMatchObject({ clear: [], complete: false })
  expect(order.reason).toMatch(/^It is not known whether/)
})
