/** How a proposal relates to live work: own, stacked and colliding activities, and when each side sees the other. */
import { describe, expect, test } from 'vitest'
import { useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository } = fixture
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

  test('uses the newest of its scopes, of 2 MB together', async () => {
    const { createActivity, check, insertActivities } = repository()
    const rows = ['a', 'b', 'c', 'd'].map((name) => {
      const paths = Array.from({ length: 3000 }, (_, at) => `${name}/${'x'.repeat(300)}${at}`)
      return { id: `act_${name.padStart(26, '0')}`, branch: 'retries', scope: { areas: [], paths } }
    })
    await insertActivities(rows)
    await createActivity({ branch: 'old', scope: { paths: ['a/*'] } })
    const near = await createActivity({ branch: 'new', scope: { paths: ['d/*'] } })
    expect((await check({ branch: 'retries' })).related_activity_ids).toEqual([near])
  })
})

describe('current overlap', () => {
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
          worktree: null,
          severity: 'high',
          consequence: null,
          findings: [{ kind: 'notable', path: null, url: null }],
          ...{ same_author: false, is_bot: false },
          example: null,
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
})
