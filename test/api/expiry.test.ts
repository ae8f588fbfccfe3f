/** Activities at exactly `expires_at`, in every operation that reads them, whether or not a sweep has stored the expiry. */
import { afterEach, describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import type { ActivityStatus } from '../../src/vocabulary/activity-status.ts'
import { later } from '../../src/vocabulary/clock.ts'
import { useRepository } from '../support/repository.ts'

const TTL_MS = 86_400_000
const SCOPE = { areas: ['checkout'], paths: ['src/pay/retry.ts'] }

const { service, repo } = useRepository()
afterEach(() => service.deleteRecords())

const now = () => service.clock.now.toISOString()

/** An activity in this status that expires in a day. */
async function activityIn(status: ActivityStatus) {
  const { activity } = await repo.create({ branch: 'retries', scope: SCOPE, pr_url: null })
  if (status !== 'active') await repo.patch(activity.id, { status })
  return repo.read(activity.id)
}

/** Of the lists of activities, by their status, those that have the only one. */
async function listsWith(id: string): Promise<string[]> {
  const found: string[] = []
  for (const status of ['', 'active', 'paused', 'merged', 'archived', 'expired']) {
    const { body } = await repo.request('GET', `/activity${status && `?status=${status}`}`)
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(body.items.length > 0 ? [id] : [])
    if (body.items.length > 0) found.push(status)
  }
  return found
}

/** The live work in a check: of others, of the caller's own branch, and what that branch overlaps with. */
async function seenByChecks() {
  const ofOthers = await repo.check({ scope: { paths: ['src/**'] } })
  const ofOwn = await repo.check({ branch: 'retries', scope: { areas: ['docs'] } })
  const ofStack = await repo.check({ branch: 'next', base_branch: 'retries' })
  return {
    related: ofOthers.related_activity_ids,
    own: ofOwn.expected_activity_ids,
    stacked: ofStack.expected_activity_ids,
    compared: ofOthers.checked_against.activities,
  }
}

const sweeps: [string, () => Promise<unknown>][] = [
  ['before any sweep', async () => {}],
  ['after a sweep', async () => sweep(service.app)],
]

describe.each(sweeps)('%s', (_, sweepMaybe) => {
  test('a live activity is live until a millisecond before it expires', async () => {
    const before = await activityIn('active')
    const { id } = before
    service.clock.advance(TTL_MS - 1)
    await sweepMaybe()
    expect(await repo.read(id)).toEqual({ ...before, pr_reminder_due: true })
    expect(await seenByChecks()).toEqual({ related: [id], own: [id], stacked: [id], compared: 1 })
    expect((await repo.patch(id, {})).status).toBe(200)
    expect((await repo.request('POST', `/activity/${id}/heartbeat`)).status).toBe(200)
  })

  test.each([
    ['active', 1, 'expired'],
    ['paused', 14, 'expired'],
    ['merged', 1, 'archived'],
  ] as const)('%s activity is that for %i days, and from that instant on %s', async (status, days, end) => {
    const before = await activityIn(status)
    const { id, expires_at } = before
    service.clock.advance(days * TTL_MS - 1)
    await sweepMaybe()
    expect((await repo.read(id)).status).toBe(status)
    expect(await listsWith(id)).toEqual(['', status])
    service.clock.advance(1)
    expect(now()).toBe(expires_at)
    await sweepMaybe()
    expect((await repo.read(id)).status).toBe(end)
    // However late it is read.
    service.clock.advance(1000)
    const finished = end === 'archived' && { archive_reason: 'finished', archived_at: expires_at }
    const ended = { ...before, ...finished, status: end, updated_at: expires_at, overlap: null }
    expect(await repo.read(id)).toEqual(ended)
    expect(await listsWith(id)).toEqual([end])
    const { items } = (await repo.request('GET', `/activity?status=${end}`)).body
    const { type, summary, pr_reminder_due, drift, overlap, ...brief } = ended
    expect(items).toEqual([brief])
    expect(await seenByChecks()).toEqual({ related: [], own: [], stacked: [], compared: 0 })

    const archived = await repo.archive(id)
    const archived_at = end === 'archived' ? expires_at : now()
    expect(archived.body).toEqual({ id, status: 'archived', archived_at })
    expect(await listsWith(id)).toEqual(['archived'])
  })

  test('a notable is active until a millisecond before it expires, and expired from that instant on', async () => {
    const id = await repo.createNotable({ scope: SCOPE })
    service.clock.advance(7 * TTL_MS - 1)
    await sweepMaybe()
    expect((await repo.request('GET', `/notables/${id}`)).body.status).toBe('active')
    expect((await repo.request('GET', '/notables')).body.items).toMatchObject([{ id }])
    expect((await repo.request('GET', '/notables?status=expired')).body.items).toEqual([])
    expect((await repo.check({ scope: SCOPE })).related_notable_ids).toEqual([id])
    service.clock.advance(1)
    const expired = { id, status: 'expired', expires_at: now(), updated_at: now(), archived_at: null }
    await sweepMaybe()
    service.clock.advance(1000)
    expect((await repo.request('GET', `/notables/${id}`)).body).toMatchObject(expired)
    expect((await repo.request('GET', '/notables')).body.items).toEqual([])
    expect((await repo.request('GET', '/notables?status=expired')).body.items).toMatchObject([expired])
    expect((await repo.check({ scope: SCOPE })).related_notable_ids).toEqual([])
    expect((await repo.request('PATCH', `/notables/${id}`, { body: { title: 'Other' } })).status).toBe(409)
    expect((await repo.request('POST', `/notables/${id}/archive`)).body.archived_at).toBe(now())
  })

  test('a notable applies until a millisecond before its applies_until, and is counted once when it expires too', async () => {
    const until = later(service.clock.now, TTL_MS).toISOString()
    const id = await repo.createNotable({ scope: SCOPE, applies_until: until })
    const applies = async () => {
      const { related_notable_ids, checked_against } = await repo.check({ scope: SCOPE })
      return [related_notable_ids, checked_against.notables]
    }
    service.clock.advance(TTL_MS - 1)
    expect(await applies()).toEqual([[id], 1])
    for (const ms of [1, 6 * TTL_MS]) {
      service.clock.advance(ms)
      await sweepMaybe()
      expect(await applies()).toEqual([[], 0])
    }
  })
})
