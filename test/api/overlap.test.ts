/** What the rules find (test/rules/overlap.test.ts) is found among stored records, over HTTP. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/vocabulary/clock.ts'
import { newId } from '../../src/vocabulary/contract/field.ts'
import { useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository } = fixture

const paths = (...globs: string[]) => ({ scope: { paths: globs } })
const scope = { paths: ['src/pay.ts'] }
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
/** An id with this number; ids sort in the order of their numbers. */
const idOf = (index: number) => `act_${String(index).padStart(26, '0')}`

test('a check is the work of its caller', async () => {
  const { request, createActivity } = repository()
  await createActivity({ scope })
  const asked = async (token: string) =>
    (await request('POST', '/activity/check', { body: { scope }, token })).body.matches
  expect(await asked('ada')).toMatchObject([{ same_author: true }])
  expect(await asked('rita')).toMatchObject([{ same_author: false }])
})

test('the names of a pull request’s files count literally until a user sets the scope', async () => {
  const { request, check, insertActivities } = repository()
  const id = newId('act', new Date())
  const pull = {
    source: 'pull_request',
    pr_number: 7,
    pr_url: 'https://github.com/acme/shop/pull/7',
  } as const
  await insertActivities([
    { ...pull, id, scope_is_literal: true, scope: { areas: [], paths: ['docs/a*.md'] } },
  ])
  const related = async () => (await check(paths('docs/ab.md'))).related_activity_ids
  expect(await related()).toEqual([])
  await request('PATCH', `/activity/${id}`, { body: paths('docs/a*.md') })
  expect(await related()).toEqual([id])
})

// `test/rules/glob.test.ts` has every form of a glob that is refused.
test('a path that leaves the repository is refused and named by every operation', async () => {
  const { request, createActivity } = repository()
  const scope = { paths: ['src/fine.ts', '../secrets'] }
  const text = { title: 'Pay', summary: 'Pay.' }
  const id = await createActivity({})
  const note = { ...text, importance: 'low', category: 'warning', scope }
  const answers = [
    await request('POST', '/activity/check', { body: { scope } }),
    await request('POST', '/activity', { body: { ...text, actor: 'Ben', scope } }),
    await request('PATCH', `/activity/${id}`, { body: { scope } }),
    await request('POST', '/notables', { body: note }),
  ]
  for (const { status, body } of answers) {
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ type: 'validation_error', param: 'scope.paths[1]' })
  }
})

test('a check without an overlap names the numbers compared, and when, and creates nothing', async () => {
  const { request, createActivity, createNotable, check } = repository()
  await createActivity(paths('docs/**'))
  await createActivity({ scope: { areas: ['docs'] } })
  await createNotable(paths('docs/**'))
  expect(await check({ ...paths('src/**'), branch: 'retries', tags: ['pay'] })).toEqual({
    overlap_detected: false,
    severity: null,
    related_activity_ids: [],
    related_notable_ids: [],
    expected_activity_ids: [],
    relationships: {},
    reuse_opportunities: [],
    matches: [],
    same_file: { total: 0, activity_ids: [] },
    truncated: false,
    total_related: 0,
    reason: 'No overlap with 2 live activities and 1 active notable.',
    recommended_action: expect.stringMatching(/^Go ahead, and create an activity/),
    checked_against: {
      activities: 2,
      notables: 1,
      as_of: fixture.service.clock.now.toISOString(),
      complete: true,
    },
  })
  expect((await request('GET', '/activity')).body.items).toHaveLength(2)
})

test('a recently merged activity that overlaps is suggested, archived or not', async () => {
  const { request, full_name, createActivity, check } = repository()
  const url = `https://github.com/${full_name}/pull/7`
  const text = { title: 'Retry payments', summary: 'Retries twice.' }
  const id = await createActivity({ ...text, pr_url: url, scope: { paths: ['src/**'] } })
  const abandoned = await createActivity({ scope })
  expect((await check({ scope })).reuse_opportunities).toEqual([])
  await request('PATCH', `/activity/${abandoned}`, { body: { status: 'abandoned' } })
  await request('PATCH', `/activity/${id}`, { body: { status: 'merged' } })
  const offered = [{ type: 'activity', id, ...text, url, reason: expect.stringMatching(/merged/i) }]
  const result = await check({ scope })
  expect(result.reuse_opportunities).toEqual(offered)
  expect(result).toMatchObject({ overlap_detected: false, relationships: {}, total_related: 0 })
  await request('POST', `/activity/${id}/archive`)
  expect((await check({ scope })).reuse_opportunities).toEqual(offered)
  fixture.service.clock.advance(7 * DAY_MS)
  expect((await check({ scope })).reuse_opportunities).toEqual([])
})

test('a merged activity is found behind many later ones that do not overlap', async () => {
  const { insertActivities, check } = repository()
  const merged = (index: number, path: string) => ({
    id: idOf(index),
    status: 'archived' as const,
    archive_reason: 'pull_request_merged' as const,
    archived_at: fixture.service.clock.now,
    merged_at: new Date(fixture.service.clock.now.getTime() - HOUR_MS + index),
    scope: { areas: [], paths: [path] },
  })
  await insertActivities(
    Array.from({ length: 600 }, (_, index) => merged(index, index === 0 ? 'src/pay.ts' : 'docs/a')),
  )
  const { reuse_opportunities } = await check({ scope })
  expect(reuse_opportunities.map((each) => each.id)).toEqual([merged(0, '').id])
})

describe('a check that is too expensive', () => {
  const hard = (index: number, end: string) => [`${'*a'.repeat(20)}${index}[${end}]`]
  const rows = range(300).map((index) => ({
    id: idOf(index),
    scope: { areas: [], paths: hard(index, 'xx') },
  }))
  const body = { scope: { paths: [`${'*a'.repeat(250)}[yy]`] } }

  test('is one of two of its caller at a time, so that a check of another one ends before most of twenty', async () => {
    fixture.service.app.comparison_ms = 50
    onTestFinished(() => {
      delete fixture.service.app.comparison_ms
    })
    const [one, other] = [repository(), repository()]
    for (const { insertActivities } of [one, other]) await insertActivities(rows)
    const checkOther = (given: object) =>
      other.request('POST', '/activity/check', { body: given, token: 'rita' })
    await checkOther({ scope: { paths: ['a.md'] } })
    let ended = 0
    const many = range(20).map(() => one.check(body).then(() => (ended += 1)))
    await checkOther(body)
    expect(ended).toBeLessThan(8)
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
})
