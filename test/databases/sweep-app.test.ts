/** The sweep of repositories with the App installed or uninstalled: closed pull requests, and the data of the App. */
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { pull_requests } from '../../src/server/records/pull-requests/table.ts'
import { repositories } from '../../src/server/records/repositories/table.ts'
import { pairs } from '../../src/server/tell/table.ts'
import { whileBroken } from '../support/broken-table.ts'
import { connectRaw } from '../support/postgres.ts'
import { storedPair, usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const RETENTION_DAYS = 3
/** Longer than RETENTION_DAYS. */
const LEDGER_DAYS = 90

const { service, repository: repo } = usePullRequests({ config: { retention_days: RETENTION_DAYS } })

const open = async (files = ['src/a.ts']) => {
  const { number } = repo.githubRepo.open({ files })
  await service.deliverAndRun(repo.event(number, 'opened'))
  return number
}
const close = async (number: number) => {
  repo.githubRepo.close(number)
  await service.deliverAndRun(repo.event(number, 'closed'))
}
const known = async () => {
  const { number, repo_id } = pull_requests
  const rows = await service.db
    .select({ number })
    .from(pull_requests)
    .where(eq(repo_id, repo.id))
    .orderBy(number)
  return rows.map((row) => row.number)
}
/** Marks the App as uninstalled at `at`, without a delivery. */
const leave = (at: Date) =>
  service.db
    .update(repositories)
    .set({ installation_id: null, uninstalled_at: at })
    .where(eq(repositories.repo_id, repo.id))

test('a closed pull request is deleted after the 90 days of the ledger, an open one never', async () => {
  const [first, second] = [await open(), await open(['docs/b.md'])]
  await close(first)
  const [row] = await service.db.select().from(pull_requests).where(eq(pull_requests.number, first))
  const closed = row?.changed_at as Date
  service.clock.now = new Date(closed.getTime() + LEDGER_DAYS * DAY_MS - 1)
  await sweep(service.app)
  expect(await known()).toEqual([first, second])
  await service.db.update(repositories).set({ swept_at: new Date(0) })
  service.clock.advance(1)
  await sweep(service.app)
  expect(await known()).toEqual([second])
})

test('a pair is deleted 90 days after the last push of either side', async () => {
  await open()
  service.clock.advance(DAY_MS)
  const daysAgo = (days: number) => new Date(service.clock.now.getTime() - days * DAY_MS)
  const old = storedPair(repo.id, '#2', daysAgo(91))
  const sides = { ...old.sides, b: storedPair(repo.id, '#3', daysAgo(89)).sides.b }
  await service.db.insert(pairs).values([old, { ...old, b: '#3', sides }])
  await sweep(service.app)
  const left = await service.db.select({ b: pairs.b }).from(pairs).where(eq(pairs.repo_id, repo.id))
  expect(left).toEqual([{ b: '#3' }])
})

test('RETENTION_DAYS after an uninstallation the App’s records are deleted in batches, and all others stay', async () => {
  await open()
  const [pull] = await service.db.select().from(pull_requests).where(eq(pull_requests.repo_id, repo.id))
  const [tracked] = await repo.tracked()
  await repo.create({})
  const id = await repo.createNotable({})
  await service.db.execute(
    sql`insert into pull_requests select (jsonb_populate_record(p, jsonb_build_object('number', n))).*
      from pull_requests p, generate_series(100, 1199) n where repo_id = ${repo.id} and number = ${pull?.number}`,
  )
  const rows = Array.from({ length: 700 }, (_, index) => ({
    id: `act_${String(index).padStart(26, '0')}`,
    source: 'pull_request' as const,
    pr_url: 'https://github.com/acme/shop/pull/7',
    pr_number: 7,
  }))
  await repo.insertActivities([...rows, { id: `act_${'1'.repeat(26)}`, source: 'branch' }])
  await leave(new Date(service.clock.now.getTime() - RETENTION_DAYS * DAY_MS + 1))
  expect((await sweep(service.app)).purged).toBe(0)
  service.clock.advance(1)
  const isLimited = `current_setting('statement_timeout') = '15s'`
  const slow = { trigger: 'before delete on pull_requests for each row', condition: isLimited }
  const swept = await whileBroken(service.db, slow, () => sweep(service.app))
  expect(swept.purged).toBe(1 + 700 + 1 + 1 + 1100)
  expect(await known()).toEqual([])
  expect((await repo.request('GET', `/activity/${tracked.id}`)).status).toBe(404)
  expect(await repo.list()).toHaveLength(1)
  expect((await repo.request('GET', `/notables/${id}`)).body.status).toBe('active')
  expect(await repo.check({ scope: { paths: ['src/a.ts'] } })).toMatchObject({
    total_related: 1,
    related_activity_ids: [],
    related_notable_ids: [id],
    checked_against: { activities: 1, notables: 1 },
  })
  expect((await sweep(service.app)).purged).toBe(0)
})

// The embedded database has a single connection, so nothing runs during a transaction. On a cluster, only a worker shows
// which sessions wait there.
test.skipIf(process.env.TEST_DATABASE_KIND !== 'postgres')(
  'nothing is deleted when the repository is added back during the sweep',
  async () => {
    const number = await open()
    await leave(new Date(service.clock.now.getTime() - RETENTION_DAYS * DAY_MS))
    const { database_url } = service.app.config
    const [other, watch] = [connectRaw(database_url as string), connectRaw(database_url as string)]
    let sweeping: Promise<unknown> | undefined
    await other.begin(async (tx) => {
      await tx`update repositories set installation_id = 1, uninstalled_at = null where repo_id = ${repo.id}`
      sweeping = sweep(service.app)
      const waiting = () =>
        watch`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting()).length).toBe(1)
    })
    await sweeping
    await Promise.all([other.end(), watch.end()])
    expect(await known()).toEqual([number])
    expect(await repo.tracked()).toHaveLength(1)
  },
)
