/** The service on a Citus cluster: distribution, a new worker and a stopped worker under load, and an upgrade (docs/operations.md: Citus). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { type CitusCluster, startCitus } from '../support/citus.ts'
import { runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { startLoad } from '../support/keyed-load.ts'
import { editOfPay } from '../support/lines.ts'
import { nextVersion } from '../support/next-version.ts'
import { databaseUrl } from '../support/postgres.ts'
import { runAdmin, type ServiceProcess } from '../support/process.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const REPOSITORIES = Array.from({ length: 33 }, (_, index) => `acme/r${index}`)
/** Enough repositories that every node has some. */
const [MOVED, STOPPED] = [REPOSITORIES.slice(1, 17), REPOSITORIES.slice(17)]
const SHARDS = 8
const NAME = 'app'
const WORK = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }

let cluster: CitusCluster
let deployment: Deployment
let env: { DATABASE_URL: string }
let services: ServiceProcess[]

beforeAll(async () => {
  cluster = await startCitus({ workers: 2, settings: { 'citus.shard_count': String(SHARDS) } })
  deployment = await startDeployment(REPOSITORIES)
  env = { DATABASE_URL: await cluster.createDatabase(NAME) }
  services = await deployment.start(2, env)
})
afterAll(async () => {
  await deployment.close()
  await cluster.remove()
})

const api = () => apiAt(services[0]?.url as string, 'ada')

const query = (statement: string, url = env.DATABASE_URL) => runOn(url, statement)

/** Runs `work` while clients create activities in the repositories, which are empty. Nothing is lost. */
async function underLoad(
  fault: string,
  repositories: string[],
  work: (load: ReturnType<typeof startLoad>) => Promise<void>,
): Promise<void> {
  const urls = services.map(({ url }) => url)
  const named = '2 instances, 16 clients, 16 repositories'
  const load = startLoad(fault, urls, { clients: 16, repositories, load: named })
  try {
    await load.acknowledges(100)
    await work(load)
    await load.acknowledges(100)
  } catch (error) {
    await load.abandon()
    throw error
  }
  await load.settle(urls[0] as string)
}

/**
 * Opens two pull requests that change the same lines in each repository, and delivers them to different instances. Returns
 * the number of comments on the two, by repository.
 */
async function openConflicts(repositories: string[]): Promise<() => number[]> {
  const { github } = deployment
  const numbers = repositories.map((full_name) =>
    ['ben', 'cy'].map((author) => {
      const files = [editOfPay(20, [author])]
      const title = `${author} in ${full_name}`
      return github.at(full_name).open({ title, head: author, author, files }).number
    }),
  )
  for (const [at, full_name] of repositories.entries())
    for (const [instance, { url }] of services.entries()) {
      const number = numbers[at]?.[instance] as number
      expect(await deployment.deliver(url, pullRequestEvent(github, full_name, number, 'opened'))).toBe(202)
    }
  return () =>
    repositories.map(
      (full_name, at) =>
        (numbers[at] ?? []).flatMap((number) => github.at(full_name).comments(number)).length,
    )
}

/** No job is due or running. */
const isIdle = async () => {
  const due = await query(
    "select from jobs where state <> 'done' and (run_at <= now() or leased_until > now() or attempts > 0)",
  )
  return due.length === 0
}

/** Each of the conflicts got one comment, and no further one is written. */
async function expectComments(counts: () => number[]): Promise<void> {
  const once = counts().map(() => 1)
  await expect.poll(counts).toEqual(once)
  await expect.poll(isIdle).toBe(true)
  expect(counts()).toEqual(once)
}

/** The tables that belong to repositories. */
const listTables = async () => {
  const rows = await query(`select table_name::text as name from information_schema.columns
    where column_name = 'repo_id' and table_schema = 'public' and table_name <> 'jobs'`)
  return rows.map(({ name }) => name as string)
}

const shardsByPort = async () => {
  const rows = await query(
    "select nodeport, count(*)::int as shards from citus_shards where citus_table_type = 'distributed' group by 1",
  )
  return Object.fromEntries(rows.map(({ nodeport, shards }) => [String(nodeport), shards as number]))
}

test('a worker is rejected as the database to distribute', async () => {
  const worker = databaseUrl(cluster.urls()[1] as string, NAME)
  const { code, errors } = await runAdmin({ DATABASE_URL: worker }, 'distribute')
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/worker.*coordinator/)])
})

describe('distribute', () => {
  let id: string

  test('fails beside running instances, and changes nothing', async () => {
    const body = { ...WORK, scope: { paths: ['src/**'] } }
    const created = await api()('POST', '/api/v1/repos/acme/r0/activity', { body })
    id = created.body.activity.id
    const { code, lines, errors } = await runAdmin(env, 'distribute')
    expect(code).toBe(2)
    expect(lines).toEqual([])
    expect(errors).toEqual([expect.stringMatching(/instances of the service are connected/)])
    expect(await shardsByPort()).toEqual({})
  })

  test('distributes a database with records over the workers, and reports what it did', async () => {
    await Promise.all(services.map((service) => service.kill('SIGTERM')))
    const { code, lines, errors } = await runAdmin(env, 'distribute')
    expect(code).toBe(0)
    expect(errors).toEqual([])
    const tables = await listTables()
    expect(tables).toEqual(expect.arrayContaining(['activities', 'pairs', 'pull_requests']))
    const shards = (SHARDS / 2) * tables.length
    const ports = cluster.urls().map((url) => new URL(url).port)
    expect(lines.sort()).toEqual(
      [
        ...tables.map((name) => `${name}: distributed by repo_id`),
        'jobs: on the coordinator',
        'installations: on every node',
        ...ports.slice(1).map((port) => `127.0.0.1:${port} has ${shards} shards`),
      ].sort(),
    )
  })

  test('changes nothing when run again and reports that, also beside running instances', async () => {
    services = await deployment.start(2, env)
    const { code, lines } = await runAdmin(env, 'distribute')
    expect(code).toBe(0)
    expect(lines.filter((line) => / already$/.test(line))).toHaveLength((await listTables()).length + 2)
  })

  test('keeps the records', async () => {
    const { body } = await api()('GET', `/api/v1/repos/acme/r0/activity/${id}`)
    expect(body).toMatchObject({ ...WORK, scope: { paths: ['src/**'] } })
  })
})

test('every node has the planner settings of the service', async () => {
  for (const url of cluster.urls()) {
    const [row] = await query(
      "select current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit",
      databaseUrl(url, NAME),
    )
    expect(row).toEqual({ seqscan: 'off', jit: 'off' })
  }
})

test('a worker is added, and shards move to it under load, and nothing is lost', async () => {
  let comments = () => [0]
  await underLoad('shards moved to a new worker', MOVED, async () => {
    const port = await cluster.addWorker(NAME)
    expect(await shardsByPort()).not.toHaveProperty(port)
    await query('select citus_rebalance_start()')
    comments = await openConflicts(MOVED.slice(0, 8))
    await query('select citus_rebalance_wait()')
    expect((await shardsByPort())[port]).toBeGreaterThan(0)
  })
  await expectComments(comments)
})

test('a stopped worker makes only its own repositories unavailable, until it is back', async () => {
  let comments = () => [0]
  const [, worker] = cluster.nodes() as [unknown, { crash(): Promise<void>; restart(): Promise<void> }]
  await underLoad('a worker stopped at once and started again', STOPPED, async (load) => {
    await worker.crash()
    const statuses = async () =>
      Promise.all(STOPPED.map(async (name) => (await api()('GET', `/api/v1/repos/${name}/activity`)).status))
    const seen = await statuses()
    expect([...new Set(seen)].sort()).toEqual([200, 503])
    // Deliveries are stored on the coordinator, and handled when the worker is back.
    comments = await openConflicts(STOPPED.slice(0, 8))
    await load.refuses(10)
    await worker.restart()
    await expect.poll(statuses).not.toContain(503)
  })
  await expectComments(comments)
})

test('a distributed database is migrated by the following version, new tables with it', async () => {
  const next = await nextVersion([
    'CREATE TABLE moods (repo_id bigint NOT NULL, mood text NOT NULL, PRIMARY KEY (repo_id, mood));--> statement-breakpoint\nALTER TABLE activities ADD COLUMN mood text;',
  ])
  const url = await cluster.createDatabase('following')
  const following = { DATABASE_URL: url }
  const [first] = await deployment.start(1, following)
  const body = { ...WORK, scope: { paths: ['src/**'] } }
  const created = await apiAt(first?.url as string, 'ada')('POST', '/api/v1/repos/acme/r0/activity', { body })
  await first?.kill('SIGTERM')
  expect((await runAdmin(following, 'distribute')).lines).toContain('activities: distributed by repo_id')
  const [service] = await deployment.start(1, following, next.program)
  const check = { body: { scope: { paths: ['src/pay.ts'] } } }
  const found = await apiAt(service?.url as string, 'ada')(
    'POST',
    '/api/v1/repos/acme/r0/activity/check',
    check,
  )
  expect(found.body.related_activity_ids).toEqual([created.body.activity.id])
  const tables = await query(
    "select table_name::text as name from citus_tables where citus_table_type = 'distributed'",
    url,
  )
  expect(tables.map(({ name }) => name)).toContain('moods')
  await service?.kill('SIGTERM')
  await next.remove()
})
