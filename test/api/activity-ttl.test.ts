/** The time to live of an activity's own: what it lowers, what renews it, and what ends it (contract §4 and §5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import {
  type PullRequestService,
  startPullRequestService,
  type TrackedRepository,
} from '../support/pull-request-service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const github = fakeGithub()
let fixture: PullRequestService
let repository: TrackedRepository

beforeAll(async () => {
  fixture = await startPullRequestService(github)
})
beforeEach(() => {
  repository = fixture.repository()
})
afterAll(async () => {
  await fixture.service.close()
  github.close()
})

const read = async (id: string) => (await repository.request('GET', `/activity/${id}`)).body
const patch = async (id: string, body: object) =>
  (await repository.request('PATCH', `/activity/${id}`, { body })).body

/** Milliseconds from now to the expiry. */
function left({ expires_at }: { expires_at: string }): number {
  return Date.parse(expires_at) - fixture.service.clock.now.getTime()
}

const pr_url = () => `https://github.com/${repository.full_name}/pull/7`

describe('on create', () => {
  test('it replaces that of the repository and is returned', async () => {
    const activity = await read(await repository.createActivity({ ttl_ms: 10 * MINUTE_MS }))
    expect(activity.ttl_ms).toBe(10 * MINUTE_MS)
    expect(left(activity)).toBe(10 * MINUTE_MS)
  })

  test('a longer one is lowered to that of the repository', async () => {
    const activity = await read(await repository.createActivity({ ttl_ms: 90 * DAY_MS }))
    expect([activity.ttl_ms, left(activity)]).toEqual([DAY_MS, DAY_MS])
  })

  test.each([59_999, 60_000.5, '60000', -1])('%o is refused', async (ttl_ms) => {
    const body = { title: 'Retry', summary: 'Twice.', actor: 'Ben', ttl_ms }
    const refused = await repository.request('POST', '/activity', { body })
    expect([refused.status, refused.body.error.param]).toEqual([422, 'ttl_ms'])
  })

  test.each([{ ttl_ms: null }, {}])('%o means that of the repository', async (given) => {
    const activity = await read(await repository.createActivity(given))
    expect([activity.ttl_ms, left(activity)]).toEqual([null, DAY_MS])
  })

  test('it is dropped if there is a pull request', async () => {
    const given = { ttl_ms: 10 * MINUTE_MS, pr_url: pr_url() }
    const activity = await read(await repository.createActivity(given))
    expect([activity.ttl_ms, left(activity)]).toEqual([null, DAY_MS])
  })
})

describe('it is what renews the activity', () => {
  let id: string
  beforeEach(async () => {
    id = await repository.createActivity({ branch: 'retries', ttl_ms: 10 * MINUTE_MS })
    await repository.advance(4 * MINUTE_MS)
  })

  test('by a heartbeat', async () => {
    await repository.request('POST', `/activity/${id}/heartbeat`)
    expect(left(await read(id))).toBe(10 * MINUTE_MS)
  })

  test('by an update with a heartbeat', async () => {
    await patch(id, { heartbeat: true })
    expect(left(await read(id))).toBe(10 * MINUTE_MS)
  })

  test('but not by an update without one', async () => {
    await patch(id, { title: 'Retry twice' })
    expect(left(await read(id))).toBe(6 * MINUTE_MS)
  })

  test('also after that of the repository became shorter', async () => {
    await repository.writeFile('.github/deconflict.yml', 'activity_ttl_ms: 480000\n')
    await repository.request('POST', `/activity/${id}/heartbeat`)
    expect(left(await read(id))).toBe(8 * MINUTE_MS)
    await patch(id, { heartbeat: true })
    expect(left(await read(id))).toBe(8 * MINUTE_MS)
  })

  test('and without one the activity expires', async () => {
    await repository.advance(6 * MINUTE_MS)
    expect((await read(id)).status).toBe('expired')
  })
})

describe('it no longer applies after a link to a pull request', () => {
  let id: string
  beforeEach(async () => {
    id = await repository.createActivity({ branch: 'retries', ttl_ms: MINUTE_MS })
  })

  test('by an update', async () => {
    const updated = await patch(id, { pr_url: pr_url() })
    expect([updated.ttl_ms, left(updated)]).toEqual([null, DAY_MS])
  })

  test('by its event', async () => {
    await repository.open({ head: 'retries' })
    const activity = await read(id)
    expect([activity.ttl_ms, left(activity)]).toEqual([null, DAY_MS])
  })
})
