/** Notables in an overlap check, and merged work to reuse. */
import { describe, expect, test } from 'vitest'
import { useRepositories } from '../support/repository.ts'

const fixture = useRepositories()
const { repository } = fixture

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const scope = { paths: ['src/pay.ts'] }

describe('notables', () => {
  test('stop applying at applies_until', async () => {
    const { createNotable, check } = repository()
    const untilTomorrow = new Date(fixture.service.clock.now.getTime() + DAY_MS).toISOString()
    const short = await createNotable({ scope, applies_until: untilTomorrow })
    const long = await createNotable({ scope })
    const related = async () => (await check({ scope })).related_notable_ids
    fixture.service.clock.advance(DAY_MS - 1)
    expect(await related()).toEqual([long, short])
    fixture.service.clock.advance(1)
    expect(await related()).toEqual([long])
    expect((await check({ scope })).checked_against.notables).toBe(1)
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
    fixture.service.clock.advance(7 * DAY_MS - 1)
    expect((await check({ scope })).reuse_opportunities).toEqual(offered)
    fixture.service.clock.advance(1)
    expect((await check({ scope })).reuse_opportunities).toEqual([])
  })

  test('a merged activity is found behind many later ones that do not overlap', async () => {
    const { insertActivities, check } = repository()
    const merged = (index: number, path: string) => ({
      id: `act_${String(index).padStart(26, '0')}`,
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
})
