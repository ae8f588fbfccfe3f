/** SIGTERM: no new work starts, requests in flight end, and the process exits with 0 within ten seconds, whatever hangs. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase, runOn } from '../support/database.ts'
import { listTitles, startLoad } from '../support/keyed-load.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { useDeployment } from '../support/use-deployment.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }

const fixture = useDeployment()
let database: FreshDatabase

beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(async () => {
  fixture.github.clearFaults()
  await database.drop()
})

const start = (env: Record<string, string> = {}): Promise<ServiceProcess> =>
  startProcess({ ...fixture.env, DATABASE_URL: database.database_url, ...env })

/** A connection on which only `text` is sent. */
async function sendOn({ url }: ServiceProcess, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test('under load every acknowledged create is stored and no request is aborted', async () => {
  const first = await start()
  const load = startLoad('SIGTERM under load, on keep-alive connections', [first.url], { clients: 16 })
  await load.acknowledges(300)
  expect(await first.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  await load.abandon()
  const heir = await start()
  // Every stored record was acknowledged: no response was cut off.
  const stored = await listTitles(heir.url)
  expect(stored.filter((title) => !load.counts.acknowledged.has(title))).toEqual([])
  await load.settle(heir.url, ['none'])
  expect(await heir.kill('SIGTERM')).toMatchObject({ code: 0 })
})

describe('the process ends with 0', () => {
  test('while GitHub does not respond, after answering the waiting request', async () => {
    const service = await start()
    fixture.github.fault('GET /repos/acme/shop', 'silent')
    const asked = fixture.github.calls('GET /repos/acme/shop')
    const answer = apiAt(service.url, 'ben')('POST', '/activity', { body: activityBody })
    await expect.poll(() => fixture.github.calls('GET /repos/acme/shop')).toBe(asked + 1)
    const ended = service.kill('SIGTERM')
    expect((await answer).status).toBe(503)
    expect(await ended).toEqual({ code: 0, errors: [] })
  })

  test('with an idle connection, one with slow headers and one with an incomplete body', async () => {
    const service = await start()
    const idle = await sendOn(service, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(idle, 'data')
    await sendOn(service, 'GET /healthz HTTP/1.1\r\nHo')
    await sendOn(
      service,
      'POST /v1/repos/acme/shop/activity HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: 100\r\n\r\n{',
    )
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
  })

  test('when it receives the signal repeatedly', async () => {
    const service = await start()
    const release = fixture.github.hold('GET /repos/acme/shop')
    const asked = fixture.github.calls('GET /repos/acme/shop')
    const answer = apiAt(service.url, 'ada')('POST', '/activity', { body: activityBody })
    await expect.poll(() => fixture.github.calls('GET /repos/acme/shop')).toBe(asked + 1)
    service.signal('SIGTERM')
    service.signal('SIGINT')
    const ended = service.kill('SIGTERM')
    await expect
      .poll(() =>
        fetch(service.url).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed')
    release()
    expect((await answer).status).toBe(201)
    expect(await ended).toEqual({ code: 0, errors: [] })
  })

  test('while a job waits for GitHub, any number of times, and the next instance completes the job', async () => {
    let service = await start(fixture.app_env)
    const { number } = fixture.github.at('acme/shop').open({ files: ['src/pay.ts'] })
    const files = `GET /repos/acme/shop/pulls/${number}/files`
    fixture.github.fault(files, 'silent', 2)
    const event = pullRequestEvent(fixture.github, 'acme/shop', number, 'opened')
    const counts = countRequests('SIGTERM while a job waits for GitHub', '1 delivery')
    const url = `${fixture.url}/acme/shop/pull/${number}`
    counts.record(await fixture.deliver(service.url, event, 'one'), url)
    for (const run of [1, 2]) {
      await expect.poll(() => fixture.github.calls(files)).toBe(run)
      expect(await service.kill('SIGTERM')).toEqual({ code: 0, errors: [] })
      // Expires the leases of the stopped process.
      await runOn(
        database.database_url as string,
        `update jobs set leased_until = leased_until - interval '1 hour'`,
      )
      service = await start(fixture.app_env)
    }
    const tracked = async () =>
      (await apiAt(service.url, 'ada')('GET', '/activity')).body.items.map(
        ({ pr_url }: { pr_url: string }) => pr_url,
      )
    await expect.poll(tracked).toEqual([url])
    const dead = `select id from jobs where state = 'dead'`
    expect(await runOn(database.database_url as string, dead)).toEqual([])
    expect(counts.report(await tracked()).acknowledged).toBe(1)
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  })
})
