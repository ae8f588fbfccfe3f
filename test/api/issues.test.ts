/** Which activity holds an issue, who else is on it, and which merged pull request closes it (docs/contract/issues.md). */
import { describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'

const { repository } = usePullRequests()

const DAY_MS = 86_400_000
const request = (...given: Parameters<typeof repository.request>) => repository.request(...given)
const get = async (path: string) => (await request('GET', path)).body
const create = async (body: object) => {
  const given = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ben', ...body }
  const { status, body: created } = await request('POST', '/activity', { body: given })
  expect(status, JSON.stringify(created)).toBe(201)
  return created
}
const start = async (body: object) => (await create({ issue: 7, ...body })).activity.id as string
const patch = (id: string, body: object) => request('PATCH', `/activity/${id}`, { body })
const claimOf = async (id: string) => (await get(`/activity/${id}`)).issue
const idsOn = async (number: number) => {
  const { holder, others } = await get(`/issues/${number}`)
  return [holder, ...others].map((each) => each?.activity_id ?? null)
}
const openClosing = (head: string, body: string, title = `Edit in ${head}`) =>
  repository.open({ head, title, body, files: [`${head}.ts`] })
const pullActivity = async (branch: string) => (await get(`/activity?branch=${branch}`)).items[0]

describe('the first live activity on an issue', () => {
  test('holds it, and the create says so', async () => {
    const { activity, issue } = await create({ issue: 7, agent: 'codex', branch: '7-retry' })
    const holder = {
      activity_id: activity.id,
      actor: 'Ben',
      agent: 'codex',
      branch: '7-retry',
      pr_url: null,
      since: activity.created_at,
    }
    expect(activity.issue).toBe(7)
    expect(issue).toEqual({ number: 7, claimed: true, holder, done_by: null })
    expect(await claimOf(activity.id)).toEqual(issue)
    expect(await get('/issues/7')).toEqual({ number: 7, holder, others: [], done_by: null })
    expect((await pullActivity('7-retry')).issue).toBe(7)
  })

  test('is named to those that come later, who do not hold it', async () => {
    const first = await start({ branch: 'one' })
    const second = await create({ issue: 7, branch: 'two' })
    expect(second.issue).toMatchObject({
      number: 7,
      claimed: false,
      holder: { activity_id: first, branch: 'one' },
    })
    const third = await start({ branch: 'three' })
    expect(await idsOn(7)).toEqual([first, second.activity.id, third])
  })

  test('is followed by the next one when it ends, and by nobody after the last', async () => {
    const [first, second] = [await start({ branch: 'one' }), await start({ branch: 'two' })]
    await patch(first, { status: 'merged' })
    expect(await claimOf(second)).toMatchObject({ claimed: true, holder: { activity_id: second } })
    expect(await claimOf(first)).toMatchObject({ claimed: false, holder: { activity_id: second } })
    await patch(second, { status: 'archived' })
    expect(await get('/issues/7')).toEqual({ number: 7, holder: null, others: [], done_by: null })
  })

  test('is followed by the next one at the instant at which it expires', async () => {
    const first = await start({ branch: 'one', ttl_ms: 60_000 })
    const second = await start({ branch: 'two' })
    await repository.advance(59_999)
    expect(await claimOf(second)).toMatchObject({ claimed: false, holder: { activity_id: first } })
    await repository.advance(1)
    expect(await claimOf(second)).toMatchObject({ claimed: true })
    expect(await idsOn(7)).toEqual([second])
  })
})

describe('an update', () => {
  test('puts an activity on an issue, behind those that are on it', async () => {
    const older = await start({ issue: null, branch: 'one' })
    const holder = await start({ branch: 'two' })
    expect((await patch(older, { issue: 7 })).body.issue).toBe(7)
    expect(await idsOn(7)).toEqual([holder, older])
  })

  test('that repeats the issue keeps its place', async () => {
    const [first, second] = [await start({ branch: 'one' }), await start({ branch: 'two' })]
    await patch(first, { issue: 7, risk: 'high' })
    expect(await idsOn(7)).toEqual([first, second])
  })

  test('takes it off with null, and to another issue', async () => {
    const [first, second] = [await start({ branch: 'one' }), await start({ branch: 'two' })]
    expect((await patch(first, { issue: null })).body.issue).toBeNull()
    expect(await claimOf(first)).toBeNull()
    expect(await idsOn(7)).toEqual([second])
    // The highest number of an issue.
    await patch(second, { issue: 2_147_483_647 })
    expect([await idsOn(7), await idsOn(2_147_483_647)]).toEqual([[null], [second]])
    await patch(first, { issue: 7 })
    expect(await idsOn(7)).toEqual([first])
  })
})

test.each(['01', '2147483648', '7x'])('there is no issue %s', async (number) => {
  expect((await request('GET', `/issues/${number}`)).body.error.type).toBe('not_found')
})

describe('of the issues that a pull request closes', () => {
  test('it holds each that is free, by title and whole description', async () => {
    const body = 'Retries twice.\n\nLong text.\n\nResolves #9, closes GH-8.'
    await openClosing('retry', body, 'Fix #7: retry')
    const { id, issue } = await pullActivity('retry')
    expect(issue).toBe(7)
    expect([await idsOn(7), await idsOn(8), await idsOn(9)]).toEqual([[id], [id], [id]])
    const pr_url = `https://github.com/${repository.full_name}/pull/1`
    expect(await claimOf(id)).toMatchObject({ number: 7, claimed: true, holder: { pr_url } })
  })

  test('the activity that declared the work keeps its place', async () => {
    const first = await start({ branch: 'retry' })
    const second = await start({ branch: 'two' })
    await openClosing('retry', 'Closes #7 and closes #8')
    expect([await idsOn(7), await idsOn(8)]).toEqual([[first, second], [first]])
  })

  test('they are free again when it is closed', async () => {
    const number = await openClosing('retry', 'Closes #7')
    await repository.close(number)
    expect(await get('/issues/7')).toEqual({ number: 7, holder: null, others: [], done_by: null })
  })
})

test('a pull request for another branch than the default one closes no issue', async () => {
  const number = await repository.open({ head: 'backport', base: 'release/1.x', body: 'Fixes #77' })
  expect((await repository.request('GET', '/issues/77')).body).toMatchObject({ holder: null })
  await repository.merge(number)
  expect((await repository.request('GET', '/issues/77')).body).toMatchObject({ done_by: null })
})

test('an issue that a merged pull request closes is done for 30 days', async () => {
  const closing = await openClosing('retry', 'Closes #7')
  await repository.merge(closing)
  const { number, merged_at } = repository.githubRepo.pull(closing)
  const pr_url = `https://github.com/${repository.full_name}/pull/${number}`
  const done_by = { pr_url, merged_at: new Date(merged_at as string).toISOString() }
  expect(await get('/issues/7')).toEqual({ number: 7, holder: null, others: [], done_by })
  expect((await create({ issue: 7, branch: 'late' })).issue).toMatchObject({ claimed: true, done_by })
  await repository.advance(31 * DAY_MS)
  expect((await get('/issues/7')).done_by).toBeNull()
})
