/** Notables in an overlap check, the severity of each match, and merged work to reuse. */
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

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const scope = { paths: ['src/pay.ts'] }

describe('notables', () => {
  test.each([
    ['a path', { paths: ['src/**'] }, [{ yours: 'src/pay.ts', theirs: 'src/**', example: 'src/pay.ts' }], []],
    ['an area', { areas: ['Pay'] }, [], ['pay']],
  ])('match by %s', async (_, theirs, paths, areas) => {
    const { createNotable, check } = repository()
    const id = await createNotable({ scope: theirs })
    const result = await check({ scope: { ...scope, areas: ['pay'] } })
    expect(result).toMatchObject({
      overlap_detected: true,
      related_activity_ids: [],
      related_notable_ids: [id],
      relationships: {},
      total_related: 1,
    })
    expect(result.matches).toMatchObject([{ id, severity: 'low', areas, paths }])
    expect(result.reason).toMatch(/“Tills are frozen”/)
    expect((await check({ scope: { paths: ['docs/**'] } })).related_notable_ids).toEqual([])
  })

  test('without a scope apply to the whole repository, whatever the proposal', async () => {
    const { createNotable, check } = repository()
    const id = await createNotable({ importance: 'medium' })
    for (const body of [{ scope }, { tags: ['any'] }, { branch: 'lone' }, {}]) {
      expect(await check(body)).toMatchObject({
        overlap_detected: true,
        severity: 'medium',
        related_notable_ids: [id],
        matches: [{ id, areas: [], paths: [] }],
      })
    }
  })

  test('stop applying when they are archived or superseded', async () => {
    const { request, createNotable, check } = repository()
    const archived = await createNotable({ scope })
    const superseded = await createNotable({ scope })
    await request('POST', `/notables/${archived}/archive`)
    const successor = await createNotable({ scope, supersedes: [superseded] })
    const result = await check({ scope })
    expect(result.related_notable_ids).toEqual([successor])
    expect(result.checked_against.notables).toBe(1)
  })

  test('stop applying at applies_until, and at the latest when they expire', async () => {
    const { createNotable, check } = repository()
    const untilTomorrow = new Date(service.clock.now.getTime() + DAY_MS).toISOString()
    const short = await createNotable({ scope, applies_until: untilTomorrow })
    const long = await createNotable({ scope })
    const related = async () => (await check({ scope })).related_notable_ids
    service.clock.advance(DAY_MS - 1)
    expect(await related()).toEqual([long, short])
    service.clock.advance(1)
    expect(await related()).toEqual([long])
    expect((await check({ scope })).checked_against.notables).toBe(1)
    service.clock.advance(6 * DAY_MS - 1)
    expect(await related()).toEqual([long])
    service.clock.advance(1)
    expect(await related()).toEqual([])
  })
})

describe('severity', () => {
  test.each([
    ['area', 'low', false, 'low'],
    ['area', 'medium', false, 'low'],
    ['area', 'high', false, 'medium'],
    ['area', 'critical', false, 'medium'],
    ['area', 'low', true, 'high'],
    ['path', 'low', false, 'medium'],
    ['path', 'medium', false, 'medium'],
    ['path', 'high', false, 'high'],
    ['path', 'critical', false, 'high'],
    ['path', 'low', true, 'high'],
    ['area and path', 'low', false, 'medium'],
  ])(
    'a collision by %s with an activity of %s risk, blocking %s, is %s',
    async (by, risk, blocking, severity) => {
      const { request, create, createActivity, check } = repository()
      const theirs = {
        areas: by.includes('area') ? ['pay'] : [],
        paths: by.includes('path') ? ['src/pay.ts'] : [],
      }
      const id = await createActivity({ risk, blocking, scope: theirs })
      const result = await check({ scope: { areas: ['pay'], paths: ['src/**'] } })
      expect(result).toMatchObject({ severity, matches: [{ id, severity }] })
      expect(result.recommended_action).toMatch(/ada/)
      // The caller's own risk does not raise the severity.
      const mine = await create({ risk: 'critical', blocking: true, branch: 'mine', scope: theirs })
      expect(mine.overlap.matches[0]).toMatchObject({ id, severity })
      expect((await request('GET', `/activity/${mine.activity.id}`)).body.overlap.severity).toBe(severity)
    },
  )

  test.each([
    ['low', false, 'low'],
    ['medium', false, 'medium'],
    ['high', false, 'high'],
    ['critical', false, 'high'],
    ['low', true, 'high'],
  ])('a notable of %s importance, blocking %s, is %s', async (importance, blocking, severity) => {
    const { createNotable, check } = repository()
    const id = await createNotable({ importance, blocking, scope })
    expect(await check({ scope })).toMatchObject({ severity, matches: [{ id, severity }] })
  })

  test.each([
    ['low', 'low', 'low'],
    ['low', 'high', 'high'],
    ['high', 'low', 'medium'],
  ])(
    'of an activity of %s risk and a notable of %s importance in one area is %s',
    async (risk, importance, all) => {
      const { createActivity, createNotable, check } = repository()
      await createActivity({ risk, scope: { areas: ['pay'] } })
      await createNotable({ importance, scope: { areas: ['pay'] } })
      expect((await check({ tags: ['pay'] })).severity).toBe(all)
    },
  )

  test('the advice begins with the most severe result', async () => {
    const { createActivity, createNotable, check } = repository()
    await createActivity({ scope: { areas: ['pay'] } })
    await createNotable({
      title: 'Tills are frozen',
      blocking: true,
      decision_url: 'https://acme.example/7',
      scope,
    })
    const { recommended_action } = await check({ scope: { ...scope, areas: ['pay'] } })
    expect(recommended_action).toMatch(/^Read the notable ntb_\w+ first\. .* ada/)
  })
})

describe('reuse', () => {
  const pr_url = 'https://github.com/acme/r0/pull/7'

  test('a recently merged activity that overlaps is suggested, archived or not', async () => {
    const { request, id: repo_id, createActivity, check } = repository()
    const url = pr_url.replace('r0', `r${repo_id - 1000}`)
    const text = { title: 'Retry payments', summary: 'Retries twice.' }
    const id = await createActivity({ ...text, pr_url: url, scope: { paths: ['src/**'] } })
    const elsewhere = await createActivity({ scope: { paths: ['docs/**'] } })
    const abandoned = await createActivity({ scope })
    expect((await check({ scope })).reuse_opportunities).toEqual([])
    await request('PATCH', `/activity/${abandoned}`, { body: { status: 'abandoned' } })
    for (const each of [id, elsewhere])
      await request('PATCH', `/activity/${each}`, { body: { status: 'merged' } })
    const offered = [{ type: 'activity', id, ...text, url, reason: expect.stringMatching(/merged/i) }]
    const result = await check({ scope })
    expect(result.reuse_opportunities).toEqual(offered)
    expect(result).toMatchObject({ overlap_detected: false, relationships: {}, total_related: 0 })
    await request('POST', `/activity/${id}/archive`)
    expect((await check({ scope })).reuse_opportunities).toEqual(offered)
    service.clock.advance(7 * DAY_MS - 1)
    expect((await check({ scope })).reuse_opportunities).toEqual(offered)
    service.clock.advance(1)
    expect((await check({ scope })).reuse_opportunities).toEqual([])
  })

  test('a matching notable of the category pattern is suggested, others are not', async () => {
    const { createNotable, check } = repository()
    const decision_url = 'https://acme.example/retries'
    const text = { title: 'Retry with backoff', summary: 'See the page.' }
    const id = await createNotable({ ...text, category: 'pattern', decision_url, scope })
    await createNotable({ category: 'pattern', scope: { paths: ['docs/**'] } })
    await createNotable({ category: 'architecture', scope })
    expect((await check({ scope })).reuse_opportunities).toEqual([
      { type: 'notable', id, ...text, url: decision_url, reason: expect.stringMatching(/pattern/i) },
    ])
  })

  test('the ten newest are suggested, newest first', async () => {
    const { request, createActivity, createNotable, check } = repository()
    const newestFirst: string[] = []
    for (let round = 0; round < 4; round += 1) {
      const [merged, also] = [await createActivity({ scope }), await createActivity({ scope })]
      newestFirst.unshift(
        await createNotable({ category: 'pattern', importance: round === 0 ? 'high' : 'low', scope }),
      )
      for (const id of [merged, also]) {
        service.clock.advance(HOUR_MS)
        await request('PATCH', `/activity/${id}`, { body: { status: 'merged' } })
        newestFirst.unshift(id)
      }
      service.clock.advance(HOUR_MS)
    }
    const offered = (await check({ scope })).reuse_opportunities.map((each) => each.id)
    expect(offered).toEqual(newestFirst.slice(0, 10))
  })

  test('patterns of the same instant are suggested newest first', async () => {
    const { createNotable, check } = repository()
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1)
      ids.unshift(await createNotable({ category: 'pattern', scope }))
    expect((await check({ scope })).reuse_opportunities.map((each) => each.id)).toEqual(ids)
  })

  test('a merged activity is found behind many later ones that do not overlap', async () => {
    const { insertActivities, check } = repository()
    const merged = (index: number, path: string) => ({
      id: `act_${String(index).padStart(26, '0')}`,
      status: 'archived' as const,
      archive_reason: 'pull_request_merged' as const,
      archived_at: service.clock.now,
      merged_at: new Date(service.clock.now.getTime() - HOUR_MS + index),
      scope: { areas: [], paths: [path] },
    })
    await insertActivities(
      Array.from({ length: 600 }, (_, index) => merged(index, index === 0 ? 'src/pay.ts' : 'docs/a')),
    )
    const { reuse_opportunities } = await check({ scope })
    expect(reuse_opportunities.map((each) => each.id)).toEqual([merged(0, '').id])
  })
})
