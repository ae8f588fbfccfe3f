/** All collisions among the live activities of a repository, as the page shows them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activities } from '../../src/server/activities/table.ts'
import { fakeGithub } from '../support/github.ts'
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

const DAY_MS = 86_400_000
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
/** An id with this number; ids sort in the order of their numbers. */
const idOf = (index: number) => `act_${String(index).padStart(26, '0')}`

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

test('each collision is listed once, with the globs of both and an example', async () => {
  const { request, createActivity } = repository()
  const older = await createActivity({ branch: 'a', scope: { paths: ['src/checkout/**'] } })
  const newer = await createActivity({ branch: 'b', scope: { paths: ['src/**/retry.ts'] } })
  await createActivity({ branch: 'c', scope: { paths: ['docs/**'] } })
  const { status, body } = await request('GET', '/overlaps')
  expect(status).toBe(200)
  expect(body).toEqual({
    items: [
      {
        activity_ids: [older, newer],
        severity: 'medium',
        areas: [],
        paths: [
          {
            globs: ['src/checkout/**', 'src/**/retry.ts'],
            example: 'src/checkout/retry.ts',
            verdict: null,
            confidence: null,
            line_ranges: null,
          },
        ],
        lines: null,
        duplicate: null,
        sequence: [],
        moved: null,
        proof: null,
        proof_log_url: null,
        same_author: true,
        cut: false,
      },
    ],
    total: 1,
    checked_against: {
      activities: 3,
      as_of: service.clock.now.toISOString(),
      complete: true,
      reason: null,
    },
  })
})

test('of three activities, each pair is a collision with at most three shared paths', async () => {
  const repo = repository()
  const paths = ['a.ts', 'b.ts', 'c.ts', 'd.ts']
  const [first, second, third] = [
    await repo.createActivity({ branch: 'a', scope: { paths } }),
    await repo.createActivity({ branch: 'b', scope: { paths } }),
    await repo.createActivity({ branch: 'c', scope: { paths } }),
  ]
  const { items, pairs, total, checked_against } = await overlapsIn(repo)
  expect(pairs).toEqual([
    [second, third],
    [first, third],
    [first, second],
  ])
  expect(total).toBe(3)
  expect(items.map((each: Item) => each.paths.length)).toEqual([3, 3, 3])
  expect(checked_against.complete).toBe(true)
})

test.each([
  ['older', ['high', 'low']],
  ['newer', ['low', 'high']],
])('the severity is the higher of both directions: the %s is risky', async (_, [one, other]) => {
  const repo = repository()
  await repo.createActivity({ branch: 'a', risk: one, scope: { paths: ['src'] } })
  await repo.createActivity({ branch: 'b', risk: other, scope: { paths: ['src/a.ts'] } })
  const { items } = await overlapsIn(repo)
  expect(items).toMatchObject([{ severity: 'high' }])
})

test('a shared area is a collision without a path', async () => {
  const repo = repository()
  await repo.createActivity({ branch: 'a', scope: { areas: ['Checkout'] } })
  await repo.createActivity({ branch: 'b', scope: { areas: ['checkout'] } })
  const { items } = await overlapsIn(repo)
  expect(items).toMatchObject([{ severity: 'low', areas: ['Checkout'], paths: [] }])
})

test('own and stacked activities are left out', async () => {
  const repo = repository()
  const scope = { paths: ['src/**'] }
  await repo.createActivity({ branch: 'a', base_branch: 'main', scope })
  await repo.createActivity({ branch: 'a', base_branch: 'main', scope })
  await repo.createActivity({ branch: 'b', base_branch: 'a', scope })
  await repo.createActivity({ branch: 'c', base_branch: 'b', scope })
  expect(await overlapsIn(repo)).toMatchObject({
    items: [],
    total: 0,
    checked_against: { activities: 4, complete: true },
  })
})

describe('an activity that is no longer live', () => {
  test.each([
    ['merged', { status: 'merged' }],
    ['abandoned', { status: 'abandoned' }],
    ['archived', { status: 'archived' }],
  ])('is not compared: %s', async (_, change) => {
    const repo = repository()
    const scope = { paths: ['src/**'] }
    const ended = await repo.createActivity({ branch: 'a', scope })
    const live = await repo.createActivity({ branch: 'b', scope })
    expect((await overlapsIn(repo)).pairs).toEqual([[ended, live]])
    expect((await repo.request('PATCH', `/activity/${ended}`, { body: change })).status).toBe(200)
    expect(await overlapsIn(repo)).toMatchObject({ items: [], total: 0, checked_against: { activities: 1 } })
  })

  test('is not compared from the instant at which it expires, swept or not', async () => {
    const repo = repository()
    const scope = { paths: ['src/**'] }
    const older = await repo.createActivity({ branch: 'a', scope })
    service.clock.advance(1000)
    const newer = await repo.createActivity({ branch: 'b', scope })
    service.clock.advance(DAY_MS - 1001)
    expect((await overlapsIn(repo)).pairs).toEqual([[older, newer]])
    service.clock.advance(1)
    expect(await overlapsIn(repo)).toMatchObject({ items: [], checked_against: { activities: 1 } })
  })
})

test('an activity without a scope has no collisions, even if others on its branch have a scope', async () => {
  const repo = repository()
  const declared = await repo.createActivity({ branch: 'a', scope: { paths: ['src/**'] } })
  await repo.createActivity({ branch: 'a' })
  const other = await repo.createActivity({ branch: 'b', scope: { paths: ['src/x.ts'] } })
  expect(await overlapsIn(repo)).toMatchObject({
    pairs: [[declared, other]],
    total: 1,
    checked_against: { activities: 3, complete: true },
  })
})

test('a stack is found through an activity that is too old to be compared itself', async () => {
  const repo = repository()
  const scope = { paths: ['src/**'] }
  await repo.insertActivities([{ id: idOf(0), branch: 'b', base_branch: 'a' }])
  const filler = await repo.createActivity({ branch: 'filler' })
  await repo.request('POST', `/activity/${filler}/archive`)
  await repo.insertActivities(range(999).map((n) => ({ id: idOf(n + 1) })))
  await repo.createActivity({ branch: 'a', base_branch: 'main', scope })
  await repo.createActivity({ branch: 'c', base_branch: 'b', scope })
  expect(await overlapsIn(repo)).toMatchObject({
    items: [],
    checked_against: { activities: 1000, complete: false },
  })
})

describe('the result is complete', () => {
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
    const { items, total, checked_against } = await overlapsIn(repo)
    expect(items).toHaveLength(250)
    expect({ total, checked_against }).toMatchObject({
      total: 250,
      checked_against: { activities: 251, complete: true },
    })
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
    const { pairs, items, total, checked_against } = await overlapsIn(repo)
    expect({ total, checked_against }).toMatchObject({
      total: 4950,
      checked_against: { activities: 100, complete: false },
    })
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

  test('unless the work budget is exhausted: the newest are compared, and other requests are not blocked', async () => {
    const repo = repository()
    const hard = (n: number) => range(20).map((m) => `${'*a'.repeat(100)}${n}x${m}[${'abcdefgh'[n % 8]}z]*`)
    await repo.insertActivities(
      range(60).map((n) => ({ id: idOf(n), branch: `b${n}`, scope: { areas: [], paths: hard(n) } })),
    )
    const one = await repo.createActivity({ branch: 'one', scope: { paths: ['src/**'] } })
    const other = await repo.createActivity({ branch: 'other', scope: { paths: ['src/a.ts'] } })
    const ended: string[] = []
    const long = overlapsIn(repo).then((answer) => {
      ended.push('the comparison')
      return answer
    })
    for (let count = 0; count < 5; count += 1) expect((await service.api('GET', '/healthz')).status).toBe(200)
    ended.push('5 requests, one after another')
    const { pairs, checked_against } = await long
    expect(ended[0]).toBe('5 requests, one after another')
    expect(pairs).toContainEqual([one, other])
    expect(checked_against.complete).toBe(false)
    expect(checked_against.activities).toBeGreaterThanOrEqual(2)
    expect(checked_against.activities).toBeLessThan(62)
  })
})

test('the list needs read access', async () => {
  const { request } = repository()
  expect((await request('GET', '/overlaps', { token: 'nobody' })).status).toBe(401)
  expect((await request('GET', '/overlaps?limit=5')).body.error).toMatchObject({
    type: 'invalid_request',
    param: 'limit',
  })
})
