/** Recovery of missed webhooks: failed deliveries are redelivered, and repositories are reconciled hourly. */
import { desc, isNotNull, like } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { CHECK_LINKS } from '../../src/server/github/tracking/stack-links.ts'
import { DELIVERY, enqueue, jobOn } from '../../src/server/jobs/store.ts'
import { jobs } from '../../src/server/jobs/table.ts'
import { activities } from '../../src/server/records/activities/table.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { newId } from '../../src/vocabulary/contract/field.ts'
import { whileBroken } from '../support/broken-table.ts'
import { contentsOf } from '../support/github-pulls.ts'
import { timestamp } from '../support/github-state.ts'
import { type TrackedRepository, usePullRequests } from '../support/pull-request-service.ts'
import type { PushDetails } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests()

beforeEach(async () => {
  // Runs the jobs of a start before any fault is injected. Later runs are scheduled from this time.
  await service.enqueueFirstJobs()
  await service.runDueJobs()
})

const titles = async () => (await repository.list()).map(({ title }) => title)
const reasonOf = async (id: string) => (await repository.read(id)).archive_reason
/** Advances the clock to the next search for failed deliveries. */
const untilRedelivery = async () => {
  const [job] = await service.jobs('redeliver')
  const wait = (job?.run_at.getTime() ?? 0) - service.clock.now.getTime()
  service.clock.advance(Math.max(0, wait))
  await service.runDueJobs()
}
/** Later than earlier events, because GitHub uses the real clock. */
const inAMinute = () => timestamp(new Date(Date.now() + MINUTE_MS))
/** The turn of a repository comes once in any hour. */
const anHour = async (hours = 1) => {
  service.clock.advance(hours * HOUR_MS)
  await service.runDueJobs()
}

describe('failed deliveries', () => {
  const asked = () => github.app.redelivered()

  test('are redelivered unless another attempt succeeded, or GitHub refuses it', async () => {
    const refused = github.app.addDelivery({ event: 'push', status_code: 503 })
    github.fault(`POST /app/hook/deliveries/${refused.id}/attempts`, 'unprocessable')
    const failed = github.app.addDelivery({ event: 'pull_request', status_code: 503 })
    const timedOut = github.app.addDelivery({ event: 'push', status_code: 0 })
    github.app.addDelivery({ event: 'push', status_code: 202 })
    const mended = github.app.addDelivery({ event: 'push', status_code: 500 })
    github.app.addDelivery({ event: 'push', status_code: 202, guid: mended.guid, redelivery: true })
    const anHourAgo = { delivered_at: timestamp(new Date(Date.now() - HOUR_MS)) }
    const twice = github.app.addDelivery({ event: 'push', status_code: 500, ...anHourAgo })
    const { id: _, ...again } = twice
    github.app.addDelivery({ ...again, redelivery: true })
    await untilRedelivery()
    expect(asked()).toEqual([failed.id, timedOut.id, twice.id])
    for (const { guid, event } of [failed, timedOut, twice])
      github.app.addDelivery({ event, guid, status_code: 202, redelivery: true })
    await untilRedelivery()
    expect(asked()).toHaveLength(3)
    github.app.addDelivery({ event: 'push', guid: refused.guid, status_code: 202, redelivery: true })
  })

  test('are not found with a rejected key, which the log names at a route without a query', async () => {
    github.fault('GET /app/hook/deliveries', 'bad_credentials', 1)
    await untilRedelivery()
    const line = /"call":"GET \/app\/hook\/deliveries".*check APP_ID and PRIVATE_KEY/
    expect(service.log.join('')).toMatch(line)
  })

  test('are found on later pages, and the search repeats every ten minutes', async () => {
    await untilRedelivery()
    const known = asked().length
    const failed = github.app.addDelivery({ event: 'push', status_code: 502 })
    for (let count = 0; count < 250; count += 1) github.app.addDelivery({ event: 'push', status_code: 202 })
    const looks = () => github.calls('GET /app/hook/deliveries')
    const before = looks()
    await repository.advance(9 * MINUTE_MS)
    expect(looks()).toBe(before)
    await repository.advance(MINUTE_MS)
    expect(looks()).toBe(before + 3)
    expect(asked().slice(known)).toEqual([failed.id])
    github.app.addDelivery({ event: 'push', guid: failed.guid, status_code: 202, redelivery: true })
  })
})

describe('hourly reconciliation', () => {
  test('archives the activity of a pull request whose merge or close event was missed', async () => {
    const merged = await repository.open({ title: 'Merged', head: 'a' })
    const closed = await repository.open({ title: 'Closed', head: 'b' })
    await repository.open({ title: 'Open', head: 'c' })
    repository.githubRepo.merge(merged)
    repository.githubRepo.close(closed)
    await anHour()
    expect(await titles()).toEqual(['Open'])
    const reasons = await Promise.all(
      (await repository.list('?status=archived')).map(async ({ id, title }) => [title, await reasonOf(id)]),
    )
    expect(Object.fromEntries(reasons)).toEqual({
      Merged: 'pull_request_merged',
      Closed: 'pull_request_closed',
    })
  })

  describe('a pull request that GitHub removed', () => {
    const remove = (number: number) => {
      const contents = contentsOf(github.state, repository.githubRepo.repository)
      contents.pulls = contents.pulls.filter((pull) => pull.number !== number)
    }

    test('is closed', async () => {
      const removed = await repository.open({ title: 'Removed', head: 'a' })
      await repository.open({ title: 'Open', head: 'b' })
      remove(removed)
      await anHour()
      const [item] = await repository.list('?status=archived')
      expect([item.title, await reasonOf(item.id)]).toEqual(['Removed', 'pull_request_closed'])
      const before = repository.calls().length
      await anHour()
      expect(repository.calls().slice(before)).not.toContain(`GET /pulls/${removed}`)
    })

    test('is tracked again when GitHub shows it again', async () => {
      const removed = await repository.open({ title: 'Removed', head: 'a' })
      const { pulls } = contentsOf(github.state, repository.githubRepo.repository)
      remove(removed)
      await anHour()
      expect(await repository.list()).toEqual([])
      contentsOf(github.state, repository.githubRepo.repository).pulls = pulls
      await anHour()
      expect(await titles()).toEqual(['Removed'])
    })

    test.each([
      ['does not list its pull requests', '/repos/*/pulls', 'unavailable'],
      ['answers with half a JSON text', '*', 'nonsense'],
    ] as const)('stays, as the App does, while GitHub %s', async (_, route, fault) => {
      const removed = await repository.open({ title: 'Removed', head: 'a' })
      remove(removed)
      github.fault(`GET ${route}`, fault)
      await anHour()
      github.clearFaults()
      expect(await titles()).toEqual(['Removed'])
      expect((await repository.request('GET', '/settings')).body.is_tracked).toBe(true)
    })
  })

  test('keeps `updated_at`, and when the repository was last pushed', async () => {
    await repository.open()
    const [item] = await repository.list()
    const { updated_at, heartbeat_at } = await repository.read(item.id)
    await anHour()
    const after = await repository.read(item.id)
    expect(after.updated_at).toBe(updated_at)
    expect(Date.parse(after.heartbeat_at)).toBeGreaterThan(Date.parse(heartbeat_at))
    const { items: repositories } = (await service.api('GET', '/api/v1/repos')).body
    const own = repositories.find(({ owner }: { owner: string }) =>
      repository.full_name.startsWith(`${owner}/`),
    )
    expect(own.last_change_at).toBe(item.pushed_at)
  })

  test('imports a pull request without a delivery, with its files, also after that failed too often', async () => {
    await repository.open({ title: 'Known' })
    repository.githubRepo.open({ title: 'Missed', head: 'u', files: ['src/missed.ts'] })
    const db = service.db
    await whileBroken(db, { trigger: 'before insert on pull_requests for each row' }, async () => {
      await anHour()
      await anHour()
      // The next attempt is the last one.
      await db.update(jobs).set({ attempts: 11 }).where(isNotNull(jobs.last_error))
      await anHour()
    })
    await anHour()
    const missed = (await repository.list()).find(({ title }) => title === 'Missed')
    expect(await repository.read(missed.id)).toMatchObject({
      source: 'pull_request',
      branch: 'u',
      scope: { paths: ['src/missed.ts'] },
    })
  })

  test.each<[string, Parameters<TrackedRepository['githubRepo']['update']>[1], object]>([
    ['a new title', { title: 'Other words' }, { title: 'Other words' }],
    [
      'another base, with the files against it',
      { base: 'release', files: ['src/release.ts'] },
      { base_branch: 'release', scope: { areas: [], paths: ['src/release.ts'] } },
    ],
  ])('a missed change is applied: %s', async (_, changes, expected) => {
    const number = await repository.open({ title: 'Words', draft: true })
    await repository.advance(MINUTE_MS)
    Object.assign(repository.githubRepo.update(number, changes), { updated_at: inAMinute() })
    await anHour()
    const [item] = await repository.list()
    expect(await repository.read(item.id)).toMatchObject(expected)
  })

  test('publishes by missed settings, although their rechecks could not be enqueued at first', async () => {
    await repository.createActivity({ scope: { paths: ['src/pay.ts'] } })
    await repository.open({ files: ['src/pay.ts'] })
    repository.githubRepo.write('.github/deconflict.yml', 'check_run: true\ncomment: {audience: both}')
    const broken = { trigger: "before insert on jobs for each row when (new.kind like 'recheck%')" }
    await whileBroken(service.db, broken, () => anHour())
    await anHour()
    expect(repository.githubRepo.checkRuns()).toHaveLength(1)
  })

  test('publishes what GitHub failed to take more often than a job tries', async () => {
    await repository.createActivity({ scope: { paths: ['src/pay.ts'] } })
    github.fault(`POST /repos/${repository.full_name}/issues/*`, 'unavailable')
    await repository.open({ files: ['src/pay.ts'] }).catch(() => {})
    await service.db.update(jobs).set({ attempts: 11 }).where(isNotNull(jobs.last_error))
    await anHour()
    expect((await service.jobs('change')).map(({ state }) => state)).toContain('dead')
    github.clearFaults()
    await anHour()
    expect(repository.comment(1)).toContain('Severity: ')
  })

  test('tries again what failed too often, such as the check of a stack, but no delivery', async () => {
    await repository.open()
    const repo = { id: repository.id, owner: repository.full_name.split('/')[0] as string }
    const given = { about: 'b', priority: 'live', payload: { branch: 'b', base: 'main' } } as const
    const dead = [CHECK_LINKS, DELIVERY].map((kind) => jobOn(repo, kind, { ...given, run_at: new Date() }))
    await enqueue(service.db, dead, new Date())
    await service.db.update(jobs).set({ state: 'dead' }).where(like(jobs.id, '%:b'))
    await anHour()
    const tried = (await service.jobs()).filter(({ id }) => id.endsWith(':b'))
    expect(tried.map(({ state }) => state)).toEqual(['done', 'dead'])
  })

  test('a comment on a pull request, which changes its updated_at, costs no call', async () => {
    const number = await repository.open()
    await anHour()
    Object.assign(repository.githubRepo.pull(number), { updated_at: inAMinute() })
    const before = repository.calls().length
    await anHour()
    expect(repository.calls().slice(before)).toEqual(['GET ', 'GET /pulls', 'GET /git/trees/HEAD'])
  })

  describe('an open pull request', () => {
    test('extends the activity created from it and no other', async () => {
      const number = await repository.open()
      const { id, created_at } = await repository.only()
      const pr_url = `https://github.com/${repository.full_name}/pull/${number}`
      const declared = await repository.createActivity({ branch: 'elsewhere', pr_url })
      for (const _ of [1, 2, 3]) await anHour(10)
      expect((await repository.list()).map((item) => item.id)).toEqual([id])
      const { heartbeat_at, expires_at } = await repository.only()
      expect(Date.parse(expires_at) - Date.parse(heartbeat_at)).toBe(DAY_MS)
      expect(Date.parse(heartbeat_at) - Date.parse(created_at)).toBeGreaterThan(DAY_MS)
      expect((await repository.read(declared)).status).toBe('expired')
    })

    test('does not extend beyond max_activity_ttl_ms and creates no replacement', async () => {
      await repository.writeFile('.github/deconflict.yml', `max_activity_ttl_ms: ${DAY_MS + HOUR_MS}`)
      await repository.open()
      const { id } = await repository.only()
      for (const _ of [1, 2]) await anHour(10)
      const { created_at, expires_at } = await repository.only()
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(DAY_MS + HOUR_MS)
      await anHour(10)
      await anHour()
      expect(await repository.list()).toEqual([])
      expect((await repository.read(id)).status).toBe('expired')
    })

    test.each([
      ['is imported again if it expired because no reconciliation ran', '', 1],
      ['is not imported again if the settings expire it earlier', 'activity_ttl_ms: 1800000', 0],
      ['is not imported again if nothing is tracked', 'track_pull_requests: false', 0],
    ])('%s', async (_, settings, count) => {
      await repository.open()
      const { id } = await repository.only()
      if (settings) await repository.writeFile('.github/deconflict.yml', settings)
      service.clock.advance(2 * DAY_MS)
      expect(await repository.list()).toEqual([])
      await service.runDueJobs()
      await anHour()
      expect(await repository.list()).toHaveLength(count)
      expect((await repository.list()).map((item) => item.id)).not.toContain(id)
    })
  })

  test('checks every one of more than a hundred branches in turn', async () => {
    await repository.open({ title: 'Known' })
    const names = Array.from({ length: 105 }, (_, index) => `b/${String(index).padStart(3, '0')}`)
    const [first] = names.map((branch) => repository.githubRepo.push(branch)) as [PushDetails]
    await repository.createActivity({ branch: names[0], scope: {} })
    await repository.deliverPush(first)
    // Copies the activity onto the others.
    const db = service.db
    const [row] = await db.select().from(activities).orderBy(desc(activities.id)).limit(1)
    const { expires_hour: _, ...fields } = row as typeof activities.$inferSelect
    const rows = names.slice(1).map((branch) => ({ ...fields, id: newId('act', new Date()), branch }))
    await db.insert(activities).values(rows)
    const asked = () => repository.calls().filter((route) => route.startsWith('GET /branches/b'))
    await anHour()
    expect(asked()).toHaveLength(100)
    await anHour()
    expect(new Set(asked()).size).toBe(105)
    const before = asked().length
    await anHour()
    expect(asked().length - before).toBe(100)
  })

  test('a deleted or renamed branch archives its activity; one that was never pushed does not', async () => {
    await repository.open({ title: 'Known' })
    const pushed = await repository.createActivity({ branch: 'feature/pushed', scope: {} })
    const renamed = await repository.createActivity({ branch: 'feature/renamed', scope: {} })
    const kept = await repository.createActivity({ branch: 'feature/kept', scope: {} })
    const local = await repository.createActivity({ branch: 'local', scope: {} })
    for (const branch of ['feature/pushed', 'feature/renamed', 'feature/kept'])
      await repository.deliverPush(repository.githubRepo.push(branch))
    repository.githubRepo.deleteBranch('feature/pushed')
    repository.githubRepo.renameBranch('feature/renamed', 'feature/new')
    await anHour()
    for (const id of [pushed, renamed]) expect(await reasonOf(id)).toBe('branch_deleted')
    expect((await repository.list()).map(({ id }) => id)).toEqual(expect.arrayContaining([kept, local]))
  })
})
