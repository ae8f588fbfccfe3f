/** The lifecycle of an activity over HTTP: transitions, heartbeats, archiving, and its time to live. */
import { describe, expect, test } from 'vitest'
import { type ActivityStatus, isLive } from '../../src/vocabulary/activity-status.ts'
import { useRepository } from '../support/repository.ts'

const HOUR_MS = 3_600_000
const TTL_MS = 24 * HOUR_MS
const INVALID = { status: 409, body: { error: { type: 'invalid_transition' } } }

const { service, repo } = useRepository()

const heartbeat = (id: string) => repo.request('POST', `/activity/${id}/heartbeat`)
const now = () => service.clock.now.toISOString()
const archivedNow = () => ({ archived_at: now(), archive_reason: 'requested', archived_by: 'ada' })
const inHours = (hours: number) => new Date(service.clock.now.getTime() + hours * HOUR_MS).toISOString()

async function read(id: string) {
  const { status, body } = await repo.request('GET', `/activity/${id}`)
  expect(status).toBe(200)
  const { overlap: _, ...fields } = body
  return fields
}

/** An activity that reached this status a second ago. */
async function activityIn(status: ActivityStatus) {
  const { activity } = await repo.create({ branch: 'retries' })
  if (status === 'expired') service.clock.advance(TTL_MS)
  else if (status !== 'active') expect((await repo.patch(activity.id, { status })).status).toBe(200)
  service.clock.advance(1000)
  const fields = await read(activity.id)
  expect(fields.status).toBe(status)
  return fields
}

describe('a PATCH of the status', () => {
  test.each<[ActivityStatus, ActivityStatus]>([
    ['active', 'blocked'],
    ['active', 'paused'],
    ['paused', 'active'],
    ['active', 'merged'],
    ['merged', 'archived'],
  ])('moves %s to %s', async (from, to) => {
    const before = await activityIn(from)
    const answer = await repo.patch(before.id, { status: to })
    expect(answer.status).toBe(200)
    const closed = to === 'archived' ? archivedNow() : {}
    const isPaused = from === 'paused' || to === 'paused'
    const life = isPaused && to !== 'archived' && { expires_at: inHours(to === 'paused' ? 14 * 24 : 24) }
    const moved = { ...before, status: to, updated_at: now(), ...closed, ...life }
    const { overlap, ...record } = answer.body
    expect(moved).toMatchObject(record)
    expect(overlap === null).toBe(!isLive(to))
    expect(await read(before.id)).toEqual(moved)
  })

  test('that is rejected names the possible ones, and does not change the other fields', async () => {
    const before = await activityIn('merged')
    const { status, body } = await repo.patch(before.id, { status: 'active', title: 'Other' })
    expect([status, body.error.param]).toEqual([409, 'status'])
    expect(body.error.message).toMatch(/merged.*active.*archived/)
    expect(await read(before.id)).toEqual(before)
  })
})

test('a PATCH can change the fields of an activity that is finished', async () => {
  const { id } = await activityIn('merged')
  expect((await repo.patch(id, { title: 'Other' })).status).toBe(200)
  expect(await read(id)).toMatchObject({ title: 'Other', status: 'merged', updated_at: now() })
})

describe('a heartbeat', () => {
  // `test/rules/lifecycle.test.ts` has every expiry.
  test('by its own operation extends only expires_at', async () => {
    const before = await activityIn('blocked')
    service.clock.advance(HOUR_MS)
    const signs = { heartbeat_at: now(), expires_at: inHours(24) }
    const overlap = { overlap_detected: false, severity: null, related_activity_ids: [], matches: [] }
    expect((await heartbeat(before.id)).body).toEqual({ id: before.id, ...signs, overlap })
    expect(await read(before.id)).toEqual({ ...before, ...signs })
  })

  test('by PATCH has the same effect, with the scope that it has too', async () => {
    const before = await activityIn('blocked')
    const compared = async () => (await repo.request('GET', '/overlaps')).headers.get('etag')
    const version = await compared()
    service.clock.advance(HOUR_MS)
    expect((await repo.patch(before.id, { heartbeat: true, scope: {} })).status).toBe(200)
    expect(await compared()).toBe(version)
    const signs = { heartbeat_at: now(), expires_at: inHours(24) }
    expect(await read(before.id)).toEqual({ ...before, ...signs })
  })

  test.each<[ActivityStatus, object[]]>([
    ['merged', []],
    ['archived', [{}, { title: 'Other' }, { heartbeat: false }, { scope: {} }]],
    ['expired', [{}, { title: 'Other' }, { heartbeat: false }, { scope: {} }]],
  ])('is rejected on an activity that is %s, as is a PATCH by any of %j', async (status, bodies) => {
    const before = await activityIn(status)
    expect(await heartbeat(before.id)).toMatchObject(INVALID)
    for (const body of [{ heartbeat: true }, ...bodies])
      expect(await repo.patch(before.id, body)).toMatchObject(INVALID)
    expect(await read(before.id)).toEqual(before)
  })
})

describe('the archive operation', () => {
  test.each(['active', 'merged', 'expired'] as const)('archives an activity that is %s', async (status) => {
    const before = await activityIn(status)
    const answer = await repo.archive(before.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: before.id, status: 'archived', archived_at: now() })
    const archived = { ...before, ...archivedNow(), status: 'archived', updated_at: now() }
    expect(await read(before.id)).toEqual(archived)
  })

  test('returns the first archived_at again and changes nothing', async () => {
    const before = await activityIn('archived')
    service.clock.advance(HOUR_MS)
    const answer = await repo.archive(before.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: before.id, status: 'archived', archived_at: before.archived_at })
    expect(await read(before.id)).toEqual(before)
    service.clock.advance(TTL_MS)
    expect((await repo.archive(before.id)).body.archived_at).toBe(before.archived_at)
    expect(await read(before.id)).toEqual(before)
  })
})

test('an archived activity stays archived when other fields are written', async () => {
  for (let round = 0; round < 10; round++) {
    const { activity } = await repo.create({})
    const [archived, ...others] = await Promise.all([
      repo.archive(activity.id),
      heartbeat(activity.id),
      repo.patch(activity.id, { status: 'paused', heartbeat: true }),
      repo.patch(activity.id, { title: 'Other' }),
    ])
    expect(archived.status).toBe(200)
    for (const { status } of others) expect(status).toBeOneOf([200, 409])
    const { status, archived_at } = await read(activity.id)
    expect({ status, archived_at }).toEqual({ status: 'archived', archived_at: archived.body.archived_at })
  }
})
