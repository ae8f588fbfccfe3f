/** How a proposal relates to live work: own, stacked and colliding activities, and when each side sees the other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories } from '../support/repository.ts'
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
const scope = { paths: ['src/pay.ts'] }

describe('relationships', () => {
  test('an activity on the same branch is own and not an overlap', async () => {
    const { createActivity, check } = repository()
    const own = await createActivity({ branch: 'retries', scope })
    const result = await check({ branch: 'retries', scope })
    expect(result).toMatchObject({
      overlap_detected: false,
      severity: null,
      related_activity_ids: [],
      expected_activity_ids: [own],
      relationships: { [own]: 'own' },
      matches: [],
      checked_against: { activities: 1 },
    })
    expect(result.reason).toMatch(/1 live activity of the same branch or stack is expected/)
    expect((await check({ branch: 'Retries', scope })).related_activity_ids).toEqual([own])
  })

  const [own, stacked, collision] = ['own', 'stacked', 'collision'] as const
  // main ← one ← two ← three ← four, one ← fork, main ← side; and an activity without a branch.
  const stack = [
    ['one', 'main'],
    ['two', 'one'],
    ['three', 'two'],
    ['four', 'three'],
    ['fork', 'one'],
    ['side', 'main'],
    [null, 'main'],
  ] as const
  test.each([
    [{ branch: 'new' }, [collision, collision, collision, collision, collision, collision]],
    [
      { branch: 'new', base_branch: 'main' },
      [collision, collision, collision, collision, collision, collision],
    ],
    [{ branch: 'new', base_branch: 'four' }, [stacked, stacked, stacked, stacked, collision, collision]],
    [{ base_branch: 'two' }, [stacked, stacked, collision, collision, collision, collision]],
    [{ branch: 'one', base_branch: 'main' }, [own, stacked, stacked, stacked, stacked, collision]],
    [{ branch: 'one' }, [own, stacked, stacked, stacked, stacked, collision]],
    [{ branch: 'two', base_branch: 'one' }, [stacked, own, stacked, stacked, collision, collision]],
    [{ branch: 'two' }, [stacked, own, stacked, stacked, collision, collision]],
    [{ branch: 'four', base_branch: 'three' }, [stacked, stacked, stacked, own, collision, collision]],
    [{ branch: 'side', base_branch: 'main' }, [collision, collision, collision, collision, collision, own]],
  ])('%o relates to one, two, three, four, fork and side as %o', async (proposal, labels) => {
    const { createActivity, check } = repository()
    const ids: string[] = []
    for (const [branch, base_branch] of stack) ids.push(await createActivity({ branch, base_branch, scope }))
    const all = [...labels, collision]
    const result = await check({ ...proposal, scope })
    expect(result.relationships).toEqual(Object.fromEntries(all.map((label, index) => [ids[index], label])))
    const newestFirst = (isListed: (label: string) => boolean) =>
      ids.filter((_, index) => isListed(all[index] as string)).reverse()
    expect(result.expected_activity_ids).toEqual(newestFirst((label) => label !== collision))
    expect(result.related_activity_ids).toEqual(newestFirst((label) => label === collision))
  })

  test('a stack continues through activities of any scope, but not through ended ones', async () => {
    const { request, createActivity, check } = repository()
    const far = await createActivity({ branch: 'far', base_branch: 'between', scope })
    const between = await createActivity({
      branch: 'between',
      base_branch: 'near',
      scope: { paths: ['docs/**'] },
    })
    const near = { branch: 'near', scope }
    expect((await check(near)).relationships).toEqual({ [far]: 'stacked', [between]: 'stacked' })
    await request('POST', `/activity/${between}/archive`)
    expect((await check(near)).relationships).toEqual({ [far]: 'collision' })
  })

  test('branches based on each other are one stack, and the search terminates', async () => {
    const { createActivity, check } = repository()
    const x = await createActivity({ branch: 'x', base_branch: 'y', scope })
    const y = await createActivity({ branch: 'y', base_branch: 'z', scope })
    const z = await createActivity({ branch: 'z', base_branch: 'x', scope })
    const self = await createActivity({ branch: 'self', base_branch: 'self', scope })
    expect((await check({ branch: 'x', base_branch: 'y', scope })).relationships).toEqual({
      [x]: 'own',
      [y]: 'stacked',
      [z]: 'stacked',
      [self]: 'other_base',
    })
    expect((await check({ branch: 'self', base_branch: 'self', scope })).relationships[self]).toBe('own')
  })

  test('own and stacked activities without a shared path are listed too, others are not', async () => {
    const { createActivity, check } = repository()
    const docs = { paths: ['docs/**'] }
    const own = await createActivity({ branch: 'retries', scope: docs })
    const above = await createActivity({ branch: 'more', base_branch: 'retries' })
    await createActivity({ branch: 'other', scope: docs })
    expect((await check({ branch: 'retries', scope })).relationships).toEqual({
      [own]: 'own',
      [above]: 'stacked',
    })
  })
})

describe('a branch without a scope', () => {
  test('uses the scopes of all live activities of the branch', async () => {
    const { request, createActivity, check } = repository()
    const first = await createActivity({ branch: 'retries', scope })
    await createActivity({ branch: 'retries', scope: { areas: ['till'] } })
    const byPath = await createActivity({ branch: 'other', scope: { paths: ['src/*'] } })
    const byArea = await createActivity({ branch: 'third', scope: { areas: ['Till'] } })
    const byTag = await createActivity({ branch: 'fourth', scope: { areas: ['docs'] } })
    const related = async (body: Record<string, unknown>) => (await check(body)).related_activity_ids
    expect(await related({ branch: 'retries' })).toEqual([byPath, byArea])
    expect(await related({ branch: 'retries', scope: {} })).toEqual([byPath, byArea])
    expect(await related({ branch: 'retries', tags: ['docs'] })).toEqual([byPath, byTag, byArea])
    await request('POST', `/activity/${first}/archive`)
    expect(await related({ branch: 'retries' })).toEqual([byArea])
  })

  test('with a scope uses only that scope', async () => {
    const { createActivity, check } = repository()
    await createActivity({ branch: 'retries', scope })
    await createActivity({ branch: 'other', scope: { paths: ['src/*'] } })
    const result = await check({ branch: 'retries', scope: { paths: ['docs/**'] } })
    expect(result.related_activity_ids).toEqual([])
  })
})

describe('included activities', () => {
  test.each([
    ['planned', true],
    ['active', true],
    ['paused', true],
    ['blocked', true],
    ['draft-pr-open', true],
    ['ready-for-review', true],
    ['merged', false],
    ['abandoned', false],
    ['archived', false],
  ])('an activity that is %s: %s', async (status, takesPart) => {
    const { request, createActivity, check } = repository()
    const id = await createActivity({ scope, branch: 'retries' })
    expect((await request('PATCH', `/activity/${id}`, { body: { status } })).status).toBe(200)
    const result = await check({ scope })
    expect(result.related_activity_ids).toEqual(takesPart ? [id] : [])
    expect(result.checked_against.activities).toBe(takesPart ? 1 : 0)
    expect((await check({ scope, branch: 'retries' })).expected_activity_ids).toEqual(takesPart ? [id] : [])
  })

  test('activities are included until they expire, own and stacked ones too', async () => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope, branch: 'retries' })
    service.clock.advance(DAY_MS - 1)
    expect((await check({ scope })).related_activity_ids).toEqual([id])
    service.clock.advance(1)
    expect(await check({ scope })).toMatchObject({
      related_activity_ids: [],
      checked_against: { activities: 0 },
    })
    expect((await check({ branch: 'retries' })).expected_activity_ids).toEqual([])
    expect((await check({ base_branch: 'retries' })).expected_activity_ids).toEqual([])
  })
})

describe('current overlap', () => {
  test('a create returns the whole overlap without itself', async () => {
    const { create, createActivity } = repository()
    const earlier = await createActivity({ scope })
    const { activity, overlap } = await create({ branch: 'retries', scope })
    expect(overlap).toMatchObject({
      overlap_detected: true,
      severity: 'medium',
      related_activity_ids: [earlier],
      expected_activity_ids: [],
      relationships: { [earlier]: 'collision' },
      matches: [{ id: earlier }],
      checked_against: { activities: 1, notables: 0, complete: true },
    })
    const second = await create({ branch: 'retries', scope })
    expect(second.overlap.relationships).toEqual({ [earlier]: 'collision', [activity.id]: 'own' })
  })

  test('the earlier activity shows a later overlap with its title, and its end', async () => {
    const { request, create, createActivity } = repository()
    const first = (await create({ branch: 'first', scope })).activity.id
    const shown = async () => {
      const got = await request('GET', `/activity/${first}`)
      const beat = await request('POST', `/activity/${first}/heartbeat`)
      const patched = await request('PATCH', `/activity/${first}`, { body: { heartbeat: true } })
      expect(beat.body.overlap).toEqual(got.body.overlap)
      expect(patched.body.overlap).toEqual(got.body.overlap)
      return got.body.overlap
    }
    const nothing = { overlap_detected: false, severity: null, related_activity_ids: [], matches: [] }
    expect(await shown()).toEqual(nothing)
    await createActivity({ branch: 'first', scope })
    expect(await shown()).toEqual(nothing)
    const later = await createActivity({
      title: 'Tidy',
      branch: 'second',
      risk: 'high',
      scope: { paths: ['src/**'] },
    })
    expect(await shown()).toEqual({
      overlap_detected: true,
      severity: 'high',
      related_activity_ids: [later],
      matches: [
        {
          id: later,
          title: 'Tidy',
          actor: 'Ben',
          branch: 'second',
          pr_url: null,
          severity: 'high',
          example: 'src/pay.ts',
          lines: null,
          proof: null,
        },
      ],
    })
    await request('PATCH', `/activity/${later}`, { body: { scope: { paths: ['docs/**'] } } })
    expect(await shown()).toEqual(nothing)
  })

  test('a notable counts in the summary and is named', async () => {
    const { request, createActivity, createNotable } = repository()
    const id = await createActivity({ scope })
    const notable = await createNotable({ importance: 'critical' })
    expect((await request('GET', `/activity/${id}`)).body.overlap).toEqual({
      overlap_detected: true,
      severity: 'high',
      related_activity_ids: [],
      matches: [
        {
          id: notable,
          title: 'Tills are frozen',
          actor: 'ada',
          branch: null,
          pr_url: null,
          severity: 'high',
          example: null,
          lines: null,
          proof: null,
        },
      ],
    })
  })

  test('the summary names the five most severe, and all are listed', async () => {
    const { request, createActivity, createNotable } = repository()
    const id = await createActivity({ scope })
    const low = await createNotable({ scope, importance: 'low' })
    const medium = [
      await createActivity({ scope }),
      await createActivity({ scope }),
      await createActivity({ scope }),
    ]
    const high = await createNotable({ scope, importance: 'high' })
    const critical = await createActivity({ scope, risk: 'critical' })
    const { matches, related_activity_ids } = (await request('GET', `/activity/${id}`)).body.overlap
    expect(related_activity_ids).toEqual([critical, ...medium.toReversed()])
    expect(matches.map((each: { id: string }) => each.id)).toEqual([critical, high, ...medium.toReversed()])
    await request('POST', `/activity/${critical}/archive`)
    const fewer = (await request('GET', `/activity/${id}`)).body.overlap.matches
    expect(fewer.map((each: { id: string }) => each.id)).toEqual([high, ...medium.toReversed(), low])
  })

  test('an update that causes an overlap returns it', async () => {
    const { request, createActivity } = repository()
    const id = await createActivity({ scope: { paths: ['docs/**'] } })
    const other = await createActivity({ scope })
    const { body } = await request('PATCH', `/activity/${id}`, { body: { scope } })
    expect(body).toMatchObject({ id, scope: { paths: ['src/pay.ts'] } })
    expect(body.overlap.related_activity_ids).toEqual([other])
  })

  test.each(['merged', 'abandoned', 'archived'])('an activity that is %s has no overlap', async (status) => {
    const { request, createActivity } = repository()
    const id = await createActivity({ scope })
    await createActivity({ scope })
    const patched = await request('PATCH', `/activity/${id}`, { body: { status } })
    expect(patched.body.overlap).toBeNull()
    expect((await request('GET', `/activity/${id}`)).body.overlap).toBeNull()
  })

  test('an expired activity has no overlap', async () => {
    const { request, createActivity } = repository()
    const id = await createActivity({ scope })
    service.clock.advance(DAY_MS)
    await createActivity({ scope })
    expect((await request('GET', `/activity/${id}`)).body.overlap).toBeNull()
  })
})
