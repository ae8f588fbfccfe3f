/** Connections to PostgreSQL that are all busy, refused, or unresponsive. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startLoad } from '../support/keyed-load.ts'
import { canUseTls, connectRaw, startCluster } from '../support/postgres.ts'
import { exitOfProcess, type ServiceProcess, startProcess } from '../support/process.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const fixture = useDeployment()

/** Runs `fault` while clients create activities, waits until they go on, and returns the counts. Ends the service. */
async function underLoad(
  given: { name: string; clients: number; database_url: string; env?: Record<string, string> },
  fault: (load: ReturnType<typeof startLoad>, service: ServiceProcess) => Promise<void>,
) {
  const service = await startProcess({ ...fixture.env, DATABASE_URL: given.database_url, ...given.env })
  const load = startLoad(given.name, [service.url], { clients: given.clients })
  await load.acknowledges(200)
  await fault(load, service)
  await load.acknowledges(200)
  const row = await load.settle(service.url)
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  return row
}

/** The time after which the service treats an unresponsive server as unavailable (docs/reliability.md). */
const SILENT_S = 17

test('with all connections blocked by a lock, long waits get 503, and service resumes when the lock is released', async () => {
  const cluster = await forTest(startCluster())
  const given = {
    name: 'all connections blocked by an external lock',
    clients: 32,
    database_url: cluster.url,
  }
  await underLoad(given, async (load) => {
    const outside = connectRaw(cluster.url)
    await outside.begin(async (sql) => {
      await sql`lock table activities in access exclusive mode`
      await load.refuses(0)
    })
    await outside.end()
  })
})

test('a statement that waits for a lock blocks nothing else: others use idle connections', async () => {
  const cluster = await forTest(startCluster())
  const service = await startProcess({ ...fixture.env, DATABASE_URL: cluster.url })
  const api = apiAt(service.url, 'ada')
  const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
  const { activity } = (await api('POST', '/activity', { body: activityBody })).body
  const outside = connectRaw(cluster.url)
  let blocked: Promise<unknown> | undefined
  await outside.begin(async (sql) => {
    await sql`select from activities where id = ${activity.id} for update`
    blocked = api('PATCH', `/activity/${activity.id}`, { body: { risk: 'high' } })
    const waiting = () => sql`select from pg_stat_activity where wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting()).count).toBe(1)
    // More than the service has connections, and few enough to end before the blocked statement does.
    const all = await Promise.all(Array.from({ length: 40 }, () => api('GET', '/activity')))
    expect(all.filter(({ status }) => status !== 200)).toEqual([])
  })
  // The blocked statement ends after 15 seconds. The others did not wait for it.
  expect(await blocked).toMatchObject({ status: 200, body: { risk: 'high' } })
  await outside.end()
  await service.kill('SIGTERM')
})

/** A module that shortens long timers, so that hours pass within seconds. */
const HASTE = `data:text/javascript,${encodeURIComponent(`
  const { setTimeout } = globalThis
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms > 1_200_000 ? ms / 10_000 : ms, ...rest)
`)}`

test('connections are reused for hours, and none fails because of its age', async () => {
  const cluster = await forTest(startCluster())
  const env = { NODE_OPTIONS: `--import=${HASTE}` }
  const given = { name: 'connections in use for hours', clients: 32, database_url: cluster.url, env }
  const row = await underLoad(given, async (load) => {
    const outside = connectRaw(cluster.url)
    const connections = () =>
      outside`select pid from pg_stat_activity where application_name = 'deconflict' order by pid`
    const before = await connections()
    await load.acknowledges(400)
    expect([...(await connections())]).toEqual([...before])
    await outside.end()
  })
  expect(row.refused).toEqual({})
})

test('a server without free connections causes 503, and the log names the remedy', async () => {
  const cluster = await forTest(
    startCluster({
      settings: { max_connections: '20', superuser_reserved_connections: '0' },
    }),
  )
  const given = {
    name: 'max_connections reached while connections are lost',
    clients: 16,
    database_url: cluster.url,
  }
  await underLoad(given, async (load) => {
    // Other clients take the free connections, and those that the service loses.
    const others = Array.from({ length: 30 }, () => connectRaw(cluster.url))
    const [watch, ...takers] = others as [(typeof others)[0], ...typeof others]
    await watch`select 1`
    await watch`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'deconflict'`
    await Promise.allSettled(takers.map((taker) => taker`select 1`))
    await watch`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'deconflict'`
    await Promise.allSettled(takers.map((taker) => taker`select 1`))
    await load.refuses(20)
    await Promise.all(others.map((other) => other.end()))
  })
})

test('a server that stops responding causes 503 after a timeout, and service resumes when it is reachable', async () => {
  const cluster = await forTest(startCluster())
  const way = await forTest(startTcpProxy(cluster.url))
  const given = {
    name: 'PostgreSQL accepts connections but never responds',
    clients: 16,
    database_url: way.url,
  }
  await underLoad(given, async (load, service) => {
    way.blackhole()
    // More than the number of connections, so new connections are unresponsive too.
    await load.refuses(16)
    const ready = await apiAt(service.url, 'ada')('GET', '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.body.error.type).toBe('service_unavailable')
    way.restore()
  })
})

test('a server that never responds ends the process with one line', async () => {
  const way = await forTest(startTcpProxy('postgres://ada:secret@127.0.0.1:1/db'))
  way.blackhole()
  const { code, errors } = await exitOfProcess({ ...fixture.env, DATABASE_URL: way.url })
  expect(code).toBe(1)
  expect(errors).toEqual([expect.stringMatching(/^deconflict: .*\bDATABASE_URL\b/)])
})

test.skipIf(!canUseTls())('over TLS, connections that respond are kept longer than silent ones', async () => {
  const cluster = await forTest(startCluster({ tls: true }))
  const service = await startProcess({ ...fixture.env, DATABASE_URL: `${cluster.url}?sslmode=require` })
  const outside = connectRaw(cluster.url)
  const connections = () =>
    outside`select pid, ssl from pg_stat_activity join pg_stat_ssl using (pid)
      where application_name = 'deconflict' order by pid`
  const request = apiAt(service.url, 'ada')
  /** More requests at once than the service has connections. */
  const use = async () => {
    const answers = await Promise.all(Array.from({ length: 2 * 8 }, () => request('GET', '/activity')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }
  await use()
  const before = await connections()
  expect(before.length).toBeGreaterThanOrEqual(8)
  expect(before.every(({ ssl }) => ssl)).toBe(true)
  for (let second = 0; second < SILENT_S + 4; second += 1) {
    await wait(1000)
    await use()
  }
  expect([...(await connections())]).toEqual([...before])
  await outside.end()
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
})
