/** Making up for webhooks that never came: failed deliveries are asked for again, and repositories are looked through hourly (issue: reconciliation). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, type Shop, startToldService, type ToldService } from '../support/told-service.ts'
import { installationEvent, pushEvent } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

const github = fakeGithub()
let told: ToldService
let shop: Shop

beforeAll(async () => {
  told = await startToldService(github)
})
beforeEach(async () => {
  shop = told.shop()
  // What starting asked for is over before anything fails.
  await told.rest()
})
afterAll(async () => {
  github.mend()
  await told.service.close()
  github.close()
})

interface Item {
  id: string
  title: string
  branch: string | null
  status: string
  pr_url: string | null
}
const items = async (query = ''): Promise<Item[]> => (await shop.ask('GET', `/activity${query}`)).body.items
const archived = () => items('?status=archived')
const reasonOf = async (id: string) => (await shop.ask('GET', `/activity/${id}`)).body.archive_reason
/** Until the next run of a job that repeats itself, wherever earlier tests have left the clock. */
const untilNext = async (kind: 'redeliver' | 'reconcile_all') => {
  const [job] = await told.service.jobs(kind)
  const wait = (job?.run_at.getTime() ?? 0) - told.service.clock.now.getTime()
  told.service.clock.advance(Math.max(0, wait))
  await told.rest()
}
const anHour = () => untilNext('reconcile_all')

describe('failed deliveries', () => {
  const soon = () => untilNext('redeliver')
  const asked = () => github.app.redelivered()

  test('are asked for again, unless they got through another time', async () => {
    const failed = github.app.delivered({ event: 'pull_request', status_code: 503 })
    const timedOut = github.app.delivered({ event: 'push', status_code: 0 })
    github.app.delivered({ event: 'push', status_code: 202 })
    const mended = github.app.delivered({ event: 'push', status_code: 500 })
    github.app.delivered({ event: 'push', status_code: 202, guid: mended.guid, redelivery: true })
    const twice = github.app.delivered({ event: 'push', status_code: 500 })
    const again = github.app.delivered({
      event: 'push',
      status_code: 500,
      guid: twice.guid,
      redelivery: true,
    })
    await soon()
    const ids = asked()
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining([failed.id, timedOut.id]))
    expect(ids.filter((id) => id === twice.id || id === again.id)).toHaveLength(1)
    for (const { guid, event } of [failed, timedOut, twice])
      github.app.delivered({ event, guid, status_code: 202, redelivery: true })
    await soon()
    expect(asked()).toHaveLength(3)
  })

  test('are found on later pages, and the look is repeated every ten minutes', async () => {
    await soon()
    const known = asked().length
    const failed = github.app.delivered({ event: 'push', status_code: 502 })
    for (let count = 0; count < 250; count += 1) github.app.delivered({ event: 'push', status_code: 202 })
    const looks = () => github.calls('GET /app/hook/deliveries')
    const before = looks()
    await shop.pass(9 * MINUTE_MS)
    expect(looks()).toBe(before)
    await shop.pass(MINUTE_MS)
    expect(looks()).toBe(before + 3)
    expect(asked().slice(known)).toEqual([failed.id])
    github.app.delivered({ event: 'push', guid: failed.guid, status_code: 202, redelivery: true })
  })

  test('are found although GitHub failed when it was asked', async () => {
    await soon()
    const known = asked().length
    const failed = github.app.delivered({ event: 'push', status_code: 502 })
    github.fault('GET /app/hook/deliveries', 'unavailable', 1)
    told.service.clock.advance(10 * MINUTE_MS)
    await told.rest()
    expect(asked()).toHaveLength(known)
    await soon()
    expect(asked().slice(known)).toEqual([failed.id])
    github.app.delivered({ event: 'push', guid: failed.guid, status_code: 202, redelivery: true })
  })
})

describe('hourly', () => {
  test('the activity of a pull request that was merged or closed unheard is archived for that reason', async () => {
    const merged = await shop.open({ title: 'Merged', head: 'a' })
    const closed = await shop.open({ title: 'Closed', head: 'b' })
    await shop.open({ title: 'Open', head: 'c' })
    shop.desk.merge(merged)
    shop.desk.close(closed)
    await anHour()
    expect((await items()).map(({ title }) => title)).toEqual(['Open'])
    const reasons = await Promise.all(
      (await archived()).map(async ({ id, title }) => [title, await reasonOf(id)]),
    )
    expect(Object.fromEntries(reasons)).toEqual({
      Merged: 'pull_request_merged',
      Closed: 'pull_request_closed',
    })
  })

  test('that reaches the comments of those it overlapped with', async () => {
    const number = await shop.open({ author: 'ada' })
    const merged = await shop.open({ author: 'ben' })
    shop.desk.merge(merged)
    await anHour()
    await shop.pass(QUIET_MS)
    expect(shop.comment(number)).toContain('### No overlap any more')
  })

  test('work that was tied to a pull request by its address alone ends with it, too', async () => {
    await shop.open({ title: 'First' })
    const { number } = shop.desk.open({ head: 'x', files: ['docs/a.md'] })
    const pr_url = `https://github.com/${shop.full_name}/pull/${number}`
    const id = await shop.work({ branch: 'somewhere-else', pr_url })
    shop.desk.merge(number)
    await anHour()
    expect(await reasonOf(id)).toBe('pull_request_merged')
  })

  test('a pull request of which nothing was heard is taken in, with its files', async () => {
    await shop.open({ title: 'Known' })
    shop.desk.open({ title: 'Unheard', head: 'u', files: ['src/unheard.ts'] })
    await anHour()
    const unheard = (await items()).find(({ title }) => title === 'Unheard')
    expect((await shop.ask('GET', `/activity/${unheard?.id}`)).body).toMatchObject({
      source: 'pull_request',
      branch: 'u',
      scope: { paths: ['src/unheard.ts'] },
    })
  })

  test('a push that was not heard brings the new files', async () => {
    const number = await shop.open()
    shop.desk.pushTo(number)
    shop.desk.update(number, { files: ['src/new.ts'] })
    await anHour()
    const [item] = await items()
    expect((await shop.ask('GET', `/activity/${item?.id}`)).body.scope.paths).toEqual(['src/new.ts'])
  })

  test('a branch that was pushed and is gone ends its work; one that was never pushed is left alone', async () => {
    await shop.open({ title: 'Known' })
    const pushed = await shop.work({ branch: 'feature/pushed', scope: {} })
    const kept = await shop.work({ branch: 'feature/kept', scope: {} })
    const local = await shop.work({ branch: 'local', scope: {} })
    for (const branch of ['feature/pushed', 'feature/kept'])
      await told.service.play(pushEvent(github, shop.full_name, shop.desk.push(branch)))
    shop.desk.deleteBranch('feature/pushed')
    await anHour()
    expect(await reasonOf(pushed)).toBe('branch_deleted')
    expect((await items()).map(({ id }) => id)).toEqual(expect.arrayContaining([kept, local]))
  })

  test('what has not changed is asked for once, and nothing is written', async () => {
    await shop.open()
    await shop.open({ files: ['docs/a.md'] })
    await anHour()
    const before = shop.calls().length
    await shop.pass(59 * MINUTE_MS)
    expect(shop.calls().length).toBe(before)
    await shop.pass(MINUTE_MS)
    expect(shop.calls().slice(before)).toEqual(['GET /pulls'])
  })

  test('a repository that the app was taken off is left alone', async () => {
    const number = await shop.open()
    const { installation } = shop
    await told.service.play(installationEvent(github, github.app.uninstall(installation.id), 'deleted'))
    shop.desk.merge(number)
    const before = shop.calls().length
    await anHour()
    expect(shop.calls().length).toBe(before)
  })
})
