/** Activities over HTTP: each operation works, returns exactly its fields, rejects invalid requests, and checks access. */
import { beforeEach, describe, expect, test } from 'vitest'
import { useRepository } from '../support/repository.ts'

const HOUR_MS = 3_600_000

const { service, repo } = useRepository()

beforeEach(() => service.clock.advance(60_000))

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const whole = {
  ...activityBody,
  agent: 'claude-code',
  branch: 'retries',
  base_branch: 'main',
  scope: { areas: ['checkout'], paths: ['src/pay/**'] },
  risk: 'medium',
  draft_pr: true,
  blocking: true,
}
const now = () => service.clock.now.toISOString()
const pullUrl = () => `https://github.com/${repo.full_name}/pull/7`

/** The activity without the fields that only a retrieval has. */
async function read(id: string) {
  const { pr_reminder_due: _, drift: __, overlap: ___, ...fields } = await repo.read(id)
  return fields
}

describe('creating', () => {
  test('with the required fields applies the defaults', async () => {
    const answer = await repo.request('POST', '/activity', { body: activityBody })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(['activity', 'issue', 'overlap'])
    const { activity } = answer.body
    expect(activity.id).toMatch(/^act_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(activity).toEqual({
      ...activityBody,
      id: activity.id,
      type: 'activity',
      agent: null,
      status: 'active',
      risk: 'low',
      branch: null,
      base_branch: null,
      scope: { areas: [], paths: [], changes: [] },
      base_sha: null,
      issue: null,
      changes_complete: true,
      pr_url: null,
      draft_pr: false,
      blocking: false,
      heartbeat_at: null,
      ttl_ms: null,
      expires_at: new Date(service.clock.now.getTime() + 24 * HOUR_MS).toISOString(),
      created_at: now(),
      updated_at: now(),
      archived_at: null,
      archive_reason: null,
      created_by: 'ada',
      archived_by: null,
      source: 'api',
    })
  })

  test('with every field stores each, which a retrieval returns with the reminder and the current overlap', async () => {
    const sent = { ...whole, pr_url: pullUrl() }
    const { activity } = await repo.create(sent)
    expect(activity).toMatchObject(sent)
    const body = await repo.read(activity.id)
    const overlap = { overlap_detected: false, severity: null, related_activity_ids: [], matches: [] }
    expect(body).toEqual({ ...activity, pr_reminder_due: false, drift: null, overlap })
  })
})

describe('a pull request is due', () => {
  const due = async (id: string) => (await repo.read(id)).pr_reminder_due

  test.each([
    ['two hours', {}, 2 * HOUR_MS],
    ['the setting of the repository', { pr_reminder_after_ms: 1000 }, 1000],
  ])('when an activity on a branch is older than %s', async (_, settings, ms) => {
    const id = await repo.createActivity({ branch: 'retries' })
    await repo.configure(settings)
    service.clock.advance(ms)
    expect(await due(id)).toBe(false)
    service.clock.advance(1)
    expect(await due(id)).toBe(true)
  })

  test('never without a branch, with a pull request, or when the activity is not live', async () => {
    const branchless = await repo.createActivity({})
    const linked = await repo.createActivity({ branch: 'a', pr_url: pullUrl() })
    const merged = await repo.createActivity({ branch: 'b' })
    const archived = await repo.createActivity({ branch: 'c' })
    const live = await repo.createActivity({ branch: 'd' })
    await repo.patch(merged, { status: 'merged' })
    await repo.archive(archived)
    service.clock.advance(3 * HOUR_MS)
    const all = await Promise.all([branchless, linked, merged, archived, live].map(due))
    expect(all).toEqual([false, false, false, false, true])
    service.clock.advance(21 * HOUR_MS)
    expect(await due(live)).toBe(false)
  })
})

describe('updating', () => {
  test('changes only the fields that are sent', async () => {
    const { activity } = await repo.create(whole)
    service.clock.advance(1000)
    const answer = await repo.patch(activity.id, { risk: 'critical' })
    expect(answer.status).toBe(200)
    const { overlap, ...record } = answer.body
    expect(overlap).toEqual(expect.objectContaining({ overlap_detected: false }))
    const changed = { ...activity, risk: 'critical', updated_at: now() }
    expect(await read(activity.id)).toEqual(changed)
    const { type, summary, ...brief } = changed
    expect(record).toEqual(brief)
  })

  test('replaces the scope as a whole; an omitted list becomes empty', async () => {
    const { activity } = await repo.create(whole)
    const empty = { areas: [], paths: [], changes: [] }
    for (const scope of [{ paths: ['docs'] }, { areas: ['till'] }, {}]) {
      await repo.patch(activity.id, { scope })
      expect((await read(activity.id)).scope).toEqual({ ...empty, ...scope })
    }
  })

  test('clears a field that is sent as null', async () => {
    const { activity } = await repo.create({ ...whole, pr_url: pullUrl() })
    const cleared = { branch: null, base_branch: null, pr_url: null }
    await repo.patch(activity.id, cleared)
    expect(await read(activity.id)).toMatchObject(cleared)
  })

  test('to the current values changes nothing', async () => {
    const { activity } = await repo.create(whole)
    service.clock.advance(1000)
    const { agent, actor, ...same } = whole
    const answer = await repo.patch(activity.id, { ...same, status: 'active' })
    expect(answer).toMatchObject({ status: 200, body: { updated_at: activity.updated_at } })
    expect(await read(activity.id)).toEqual(activity)
  })
})
