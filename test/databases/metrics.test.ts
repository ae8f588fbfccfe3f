/** `/metrics`: which series change with use, what they never contain, and responses while the database is unavailable (docs/observability.md). */
import { request } from 'node:http'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { enqueueOnce } from '../../src/server/jobs/store.ts'
import { jobs } from '../../src/server/jobs/table.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { pairs } from '../../src/server/tell/table.ts'
import { DAY_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { type Scrape, scrape } from '../support/metrics.ts'
import { storedPair } from '../support/pull-request-service.ts'
import { useRepository } from '../support/repository.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'

const SECOND_MS = 1000
/** After this time a cached permission is revalidated. */
const STALE_MS = 60_001

const { github, service, repo, repository } = useRepository()

beforeAll(() => {
  // GitHub's rate limit resets use the real clock.
  service.clock.now = new Date()
})

/** The increase of the series during `work`. */
async function growth(series: string[], work: () => Promise<unknown>): Promise<number[]> {
  const of = (all: Scrape) => series.map((each) => all.value(each) ?? 0)
  const before = of(await scrape(service.url))
  await work()
  const after = of(await scrape(service.url))
  return after.map((value, index) => value - (before[index] as number))
}

/** Scrapes after the interval in which gauges from the database are reused. */
async function freshScrape(): Promise<Scrape> {
  service.clock.advance(15 * SECOND_MS)
  return scrape(service.url)
}

test('/metrics is Prometheus text with the metrics of the process, and supports only GET', async () => {
  const scraped = await scrape(service.url)
  expect(scraped.status).toBe(200)
  expect(scraped.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(scraped.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(scraped.value('nodejs_eventloop_lag_p99_seconds')).toBeDefined()
  expect((await service.api('POST', '/metrics')).status).toBe(405)
  // As Express reads paths, so a proxy must hide these too.
  for (const path of ['/METRICS', '/metrics/'])
    expect((await fetch(`${service.url}${path}`)).status, path).toBe(200)
})

describe('a request is counted by its operation and status:', () => {
  const count = (operation: string, status: number | string) =>
    `deconflict_request_duration_seconds_count{operation="${operation}",status="${status}"}`

  test.each([
    ['createActivity', 201, 'POST', '/activity', ACTIVITY],
    ['checkOverlap', 400, 'POST', '/activity/check', { path: 'x' }],
    ['getActivity', 404, 'GET', '/activity/none', undefined],
    ['unknown', 405, 'PUT', '/activity', undefined],
    ['unknown', 404, 'GET', '/no/such/address', undefined],
  ])('%s %s', async (operation, status, method, path, body) => {
    const grown = await growth([count(operation, status)], () => repo.request(method, path, { body }))
    expect(grown).toEqual([1])
  })

  test('healthz 200, also in the buckets of its duration', async () => {
    const bucket = 'deconflict_request_duration_seconds_bucket{operation="healthz",status="200",le="+Inf"}'
    const grown = await growth([count('healthz', 200), bucket], () => service.api('GET', '/healthz'))
    expect(grown).toEqual([1, 1])
  })

  test('one that the client aborts', async () => {
    const aborted = async () => (await scrape(service.url)).value(count('listActivities', 'aborted')) ?? 0
    const before = await aborted()
    const asked = github.requests().length
    const release = github.hold('GET /repos/acme/held')
    await new Promise<void>((resolve) => {
      const address = `${service.url}/api/v1/repos/acme/held/activity`
      const req = request(address, { headers: { authorization: 'Bearer ada' } })
      req.on('error', () => resolve())
      req.end()
      void expect
        .poll(() => github.requests().length)
        .toBe(asked + 1)
        .then(() => req.destroy())
    })
    await expect.poll(aborted).toBe(before + 1)
    release()
  })
})

describe('a permission', () => {
  const lookups = (outcome: string) => `deconflict_permission_lookups_total{outcome="${outcome}"}`
  const outcomes = ['hit', 'miss', 'revalidated', 'honoured', 'failed'].map(lookups)
  const list = () => repo.request('GET', '/activity')

  test('is read from GitHub, then cached, then revalidated', async () => {
    expect(await growth(outcomes, list)).toEqual([0, 1, 0, 0, 0])
    expect(await growth(outcomes, list)).toEqual([1, 0, 0, 0, 0])
    service.clock.advance(STALE_MS)
    expect(await growth(outcomes, list)).toEqual([0, 0, 1, 0, 0])
  })

  test('is used while GitHub is unavailable; one without an answer counts as failed', async () => {
    await list()
    service.clock.advance(STALE_MS)
    github.fault('*', 'server_error')
    const other = repository()
    expect(await growth(outcomes, list)).toEqual([0, 0, 0, 1, 0])
    expect(await growth(outcomes, () => other.request('GET', '/activity'))).toEqual([0, 0, 0, 0, 1])
    github.clearFaults()
  })
})

describe('a call to GitHub', () => {
  const calls = (status: number | string) =>
    `deconflict_github_request_duration_seconds_count{kind="caller",status="${status}"}`

  test('is counted by its status', async () => {
    expect(await growth([calls(200)], () => repo.request('GET', '/activity'))).toEqual([1])
    service.clock.advance(STALE_MS)
    expect(await growth([calls(304)], () => repo.request('GET', '/activity'))).toEqual([1])
    const wrong = () => repo.request('GET', '/activity', { token: 'wrong' })
    expect(await growth([calls(401)], wrong)).toEqual([1])
    service.clock.advance(STALE_MS)
    github.fault('*', 'reset', 1)
    expect(await growth([calls('none')], () => repo.request('GET', '/activity'))).toEqual([1])
  })

  test('reports the lowest remaining quota of all tokens until it resets', async () => {
    const left = async () => {
      const { value } = await scrape(service.url)
      return [
        value('deconflict_github_quota_remaining{kind="caller"}'),
        value('deconflict_github_quota_limit{kind="caller"}'),
      ]
    }
    await repo.request('GET', '/activity')
    expect(await left()).toEqual([4999, 5000])
    github.fault('*', 'rate_limited', 1, 600)
    await repository().request('GET', '/activity')
    await repository().request('GET', '/activity')
    expect(await left()).toEqual([0, 5000])
    service.clock.advance(DAY_MS)
    expect(await left()).toEqual([undefined, undefined])
  })
})

describe('from the database', () => {
  const live = (kind: string) => `deconflict_live_records{kind="${kind}"}`

  test('the gauges count live records until they end', async () => {
    const before = await freshScrape()
    const { activity } = await repo.create({})
    const finished = await repo.create({})
    await repo.patch(finished.activity.id, { status: 'merged' })
    await repo.createNotable({})
    const after = await freshScrape()
    expect(after.value(live('activity'))).toBe((before.value(live('activity')) as number) + 1)
    expect(after.value(live('notable'))).toBe((before.value(live('notable')) as number) + 1)
    await repo.archive(activity.id)
    service.clock.advance(7 * DAY_MS)
    await sweep(service.app)
    const ended = await freshScrape()
    expect(ended.value(live('activity'))).toBe(0)
    expect(ended.value(live('notable'))).toBe(0)
  })

  test('the gauges count jobs and the age of the oldest due job', async () => {
    const db = service.db
    const now = service.clock.now
    const at = (ms: number) => new Date(now.getTime() + ms)
    const job = (id: string, run_at: Date) =>
      enqueueOnce(db, { id, kind: 'recheck', priority: 'recheck', repo_id: 7, owner: 'acme', run_at }, now)
    await job('due', at(-MINUTE_MS))
    await job('waiting', at(DAY_MS))
    await job('running', at(-DAY_MS))
    await job('dead', at(-DAY_MS))
    await job('done', at(-DAY_MS))
    await db
      .update(jobs)
      .set({ leased_until: at(DAY_MS) })
      .where(sql`id = 'running'`)
    await db.update(jobs).set({ state: 'dead' }).where(sql`id = 'dead'`)
    await db.update(jobs).set({ state: 'done' }).where(sql`id = 'done'`)
    const scraped = await freshScrape()
    for (const state of ['due', 'waiting', 'running', 'dead'])
      expect(scraped.value(`deconflict_jobs{kind="recheck",state="${state}"}`), state).toBe(1)
    expect(scraped.value('deconflict_oldest_due_job_seconds')).toBe(75)
    await db.delete(jobs)
    const none = await freshScrape()
    expect(none.value('deconflict_jobs{kind="recheck",state="due"}')).toBeUndefined()
    expect(none.value('deconflict_oldest_due_job_seconds')).toBe(0)
  })

  test('the gauges count the shown pairs by outcome', async () => {
    const db = service.db
    const now = service.clock.now
    const pair = (number: number, outcome: 'resolved' | 'given_up') => ({
      ...storedPair(1, `#${number}`, now),
      ...{ b_shown_at: now, outcome, ended_at: now },
    })
    const listed = [pair(2, 'resolved'), pair(3, 'resolved'), pair(4, 'given_up')]
    await db.insert(pairs).values([...listed, { ...pair(20, 'given_up'), b_shown_at: null }])
    const { value } = await freshScrape()
    expect(value('deconflict_pairs{outcome="resolved"}')).toBe(2)
    expect(value('deconflict_pairs{outcome="given_up"}')).toBe(1)
    expect(value('deconflict_pairs{outcome="open"}')).toBe(0)
    await db.delete(pairs)
  })

  test('the gauges are collected at most every 15 seconds, and when the clock is set back', async () => {
    const before = (await freshScrape()).value(live('activity')) as number
    await repo.create({})
    service.clock.advance(15 * SECOND_MS - 1)
    expect((await scrape(service.url)).value(live('activity'))).toBe(before)
    service.clock.advance(1)
    const many = await Promise.all([1, 2, 3, 4].map(() => scrape(service.url)))
    expect(many.map(({ value }) => value(live('activity')))).toEqual(many.map(() => before + 1))
    await repo.create({})
    service.clock.advance(-MINUTE_MS)
    expect((await scrape(service.url)).value(live('activity'))).toBe(before + 2)
    service.clock.advance(MINUTE_MS)
  })

  test('the gauges are omitted while it fails, and the rest remains', async () => {
    const db = service.db
    await db.execute(sql`alter table jobs rename to elsewhere`)
    try {
      const scraped = await freshScrape()
      expect(scraped.status).toBe(200)
      expect(scraped.value('deconflict_database_up')).toBe(0)
      expect(scraped.value(live('activity'))).toBeUndefined()
      expect(scraped.value('deconflict_oldest_due_job_seconds')).toBeUndefined()
      expect(scraped.value('deconflict_pairs{outcome="open"}')).toBeUndefined()
      expect(scraped.value('process_resident_memory_bytes')).toBeGreaterThan(0)
    } finally {
      await db.execute(sql`alter table elsewhere rename to jobs`)
    }
    expect((await freshScrape()).value('deconflict_database_up')).toBe(1)
  })
})

test('a sweep counts its changes and reports its last run', async () => {
  const swept = (what: string) => `deconflict_swept_total{what="${what}"}`
  service.clock.advance(DAY_MS)
  await sweep(service.app)
  await repo.create({})
  await repo.request('POST', '/activity', { body: ACTIVITY, headers: { 'Idempotency-Key': 'swept' } })
  service.clock.advance(2 * DAY_MS)
  const grown = await growth([swept('expired'), swept('keys')], () => sweep(service.app))
  expect(grown).toEqual([2, 1])
  const at = (await scrape(service.url)).value('deconflict_last_sweep_timestamp_seconds')
  expect(at).toBe(service.clock.now.getTime() / 1000)
})

test('labels contain no repository, user, token, path or text', async () => {
  const body = { ...ACTIVITY, title: 'Secret', scope: { paths: ['Secret/path'], areas: ['Secret'] } }
  await repo.request('POST', '/activity', { body, headers: { 'Idempotency-Key': 'Secret' } })
  await repo.request('POST', '/notables', { body: { ...NOTABLE, title: 'Secret' } })
  await repo.request('GET', '/activity?actor=Secret&branch=Secret')
  await repo.request('GET', '/activity', { token: 'Secret' })
  await service.api('GET', '/api/v1/repos/Secret/Secret/activity')
  await service.api('GET', '/Secret/address?Secret=Secret')
  await service.api('SECRET', '/activity').catch(() => {})
  const { text, labels } = await scrape(service.url)
  expect(text).not.toMatch(/secret|acme|\bada\b/i)
  const ours = [...labels].filter(([name]) => name.startsWith('deconflict_'))
  expect(ours.length).toBeGreaterThan(10)
  const used = new Set(ours.flatMap(([, names]) => [...names]))
  const bounded = ['effect', 'kind', 'le', 'operation', 'outcome', 'state', 'status', 'what']
  expect([...used].filter((name) => !bounded.includes(name))).toEqual([])
})
