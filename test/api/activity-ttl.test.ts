/** An activity with its own time to live: its limits, what renews it, and when it no longer applies. */
import { expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { service, repository } = usePullRequests()

const patch = async (id: string, body: object) => (await repository.patch(id, body)).body

/** Milliseconds from now to the expiry. */
function left({ expires_at }: { expires_at: string }): number {
  return Date.parse(expires_at) - service.clock.now.getTime()
}

const pr_url = () => `https://github.com/${repository.full_name}/pull/7`

test.each<[string, () => object, number | null]>([
  ['replaces that of the repository', () => ({ ttl_ms: 10 * MINUTE_MS }), 10 * MINUTE_MS],
  ['is lowered to that of the repository', () => ({ ttl_ms: 90 * DAY_MS }), DAY_MS],
  ['is that of the repository if it is null', () => ({ ttl_ms: null }), null],
  ['is that of the repository if it is omitted', () => ({}), null],
  ['does not apply beside a pull request', () => ({ ttl_ms: 10 * MINUTE_MS, pr_url: pr_url() }), null],
])('ttl_ms of a create %s', async (_, bodyOf, ttl_ms) => {
  const activity = await repository.read(await repository.createActivity(bodyOf()))
  expect(activity.ttl_ms).toBe(ttl_ms)
  expect(left(activity)).toBe(ttl_ms ?? DAY_MS)
})

test.each<[string, (id: string) => Promise<unknown>]>([
  ['an update', (id) => patch(id, { pr_url: pr_url() })],
  ['an event of the pull request', () => repository.open({ head: 'retries' })],
])('ttl_ms no longer applies after a link to a pull request by %s', async (_, link) => {
  const id = await repository.createActivity({ branch: 'retries', ttl_ms: MINUTE_MS })
  await link(id)
  const activity = await repository.read(id)
  expect(activity.ttl_ms).toBeNull()
  expect(left(activity)).toEqual(DAY_MS)
})

// `test/rules/lifecycle.test.ts` has every case.
test('paused work is kept for 14 days after its last push or change of scope, whatever its heartbeats, and less if it goes on', async () => {
  const id = await repository.createActivity({ ttl_ms: 10 * MINUTE_MS })
  expect(left(await patch(id, { branch: 'retries', status: 'paused' }))).toBe(14 * DAY_MS)
  await repository.advance(13 * DAY_MS)
  const { updated_at } = await patch(id, { scope: { paths: ['a.ts'] } })
  expect(left(await repository.read(id))).toBe(14 * DAY_MS)
  await repository.advance(13 * DAY_MS)
  await repository.deliverPush(repository.githubRepo.push('retries'))
  expect(left(await repository.read(id))).toBe(14 * DAY_MS)
  await repository.advance(DAY_MS)
  await repository.request('POST', `/activity/${id}/heartbeat`)
  expect(await repository.read(id)).toMatchObject({ status: 'paused', summary: 'Retries twice.', updated_at })
  expect(left(await repository.read(id))).toBe(13 * DAY_MS)
  expect(left(await patch(id, { status: 'active' }))).toBe(10 * MINUTE_MS)
  await patch(id, { status: 'paused' })
  await repository.advance(14 * DAY_MS)
  expect((await repository.read(id)).status).toBe('expired')
})
