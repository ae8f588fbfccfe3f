/** The following version migrates while this one serves requests (docs/operations.md: upgrade and rollback). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { listTitles } from '../support/keyed-load.ts'
import { type NextVersion, nextVersion } from '../support/next-version.ts'
import { connectRaw } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { ACTIVITY } from '../support/routes.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'

/** As CONTRIBUTING.md requires: the first one expands, the second one validates. */
const MIGRATIONS = [
  `ALTER TABLE activities ADD COLUMN mood text;--> statement-breakpoint
ALTER TABLE activities ADD CONSTRAINT activities_mood_check CHECK (mood <> '') NOT VALID;--> statement-breakpoint
CREATE TABLE moods (repo_id bigint NOT NULL, mood text NOT NULL, PRIMARY KEY (repo_id, mood));`,
  'ALTER TABLE activities VALIDATE CONSTRAINT activities_mood_check;',
]

const database = useDatabase()
const github = useDeployment()
let next: NextVersion

beforeAll(async () => {
  next = await nextVersion(MIGRATIONS)
})
afterAll(() => next.remove())

/** Four clients that create an activity, send a heartbeat, check and list, until they are stopped. */
function startLoad(api: Api) {
  /** The status of each response. */
  const statuses: number[] = []
  /** The titles of the activities whose creation was acknowledged. */
  const acknowledged: string[] = []
  let isStopped = false
  const send = async (method: string, path: string, body?: object) => {
    const answer = await api(method, path, { body })
    statuses.push(answer.status)
    return answer
  }
  const client = async (name: number) => {
    for (let count = 0; !isStopped; count += 1) {
      const title = `${name}-${count}`
      const scope = { paths: [`src/${name}/${count}.ts`] }
      const { status, body } = await send('POST', '/activity', { ...ACTIVITY, title, scope })
      if (status === 201) acknowledged.push(title)
      await send('POST', `/activity/${body.activity?.id}/heartbeat`)
      await send('POST', '/activity/check', { scope })
      await send('GET', '/activity?limit=10')
    }
  }
  const clients = Promise.all([1, 2, 3, 4].map(client))
  const stop = () => {
    isStopped = true
    return clients
  }
  return { statuses, acknowledged, stop }
}

test('no request fails and no record is lost while two instances of the following version start', async () => {
  const env = { ...github.env, DATABASE_URL: database.database_url }
  const [backup, watch] = [1, 2].map(() => connectRaw(database.database_url as string))
  if (!backup || !watch) throw new Error('no connection')
  const listApplied = async () =>
    (await watch`select created_at from drizzle.__drizzle_migrations`).map(({ created_at }) => created_at)
  const before = await listApplied()

  const old = await startProcess(env)
  const load = startLoad(apiAt(old.url, 'ada'))
  const more = (count: number) => {
    const { length } = load.statuses
    return expect.poll(() => load.statuses.length).toBeGreaterThan(length + count)
  }
  await more(20)
  let starting: Promise<ServiceProcess>[] = []
  await backup.begin(async (tx) => {
    // pg_dump holds this lock while it runs.
    await tx`lock table activities in access share mode`
    starting = [1, 2].map(() => startProcess(env, next.program))
    const waiting = () =>
      watch`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike 'alter table%'`
    await expect.poll(async () => (await waiting()).length).toBe(1)
    // These would wait for the migration, which waits for the backup, if the migration did not time out.
    await more(40)
    expect(await listApplied()).toEqual(before)
  })
  const started = await Promise.all(starting)
  await more(20)
  await load.stop()
  // A rollback: this version starts on the schema of the following one.
  const again = await startProcess(env)
  const body = { ...ACTIVITY, title: 'again' }
  expect((await apiAt(again.url, 'ada')('POST', '/activity', { body })).status).toBe(201)

  expect(load.statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
  // Each was applied by one of the two.
  expect((await listApplied()).slice(before.length)).toHaveLength(MIGRATIONS.length)
  const [row] = await watch`select convalidated from pg_constraint where conname = 'activities_mood_check'`
  expect(row?.convalidated).toBe(true)
  const all = [old, ...started, again]
  for (const { url } of all)
    expect((await listTitles(url)).sort()).toEqual([...load.acknowledged, 'again'].sort())
  await Promise.all(all.map((service) => service.kill('SIGTERM')))
  await Promise.all([backup.end(), watch.end()])
})
