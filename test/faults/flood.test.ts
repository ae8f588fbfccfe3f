/** Five thousand webhooks at once, some of them twice: each is stored and processed once. */
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startDeployment } from '../support/deployment.ts'
import { connectRaw, startCluster } from '../support/postgres.ts'
import type { ServiceProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { forTest } from '../support/use-started.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { pullRequestEvent, pushEvent } from '../support/webhooks.ts'

const DELIVERIES = 5000
const REPOSITORIES = 20
/** The first deliveries are opened pull requests, the others are pushes. */
const PULLS = 200
/** This many deliveries, including the pull requests, are sent twice. */
const TWICE = 1000
/** The test ends after this many deliveries have been processed, which includes all duplicates. */
const WORKED_OFF = 1500
const SENDERS = 32

test('5,000 deliveries, 1,000 of them sent twice, are all acknowledged and take effect once', {
  timeout: 600_000,
}, async () => {
  const names = Array.from({ length: REPOSITORIES }, (_, index) => `acme/shop-${index}`)
  const deployment = await startDeployment(names)
  const { github } = deployment
  const cluster = await forTest(startCluster())
  const services = await deployment.start(2, { DATABASE_URL: cluster.url })

  const pulls: string[] = []
  const pushes = names.map((name) =>
    pushEvent(github, name, { ref: 'refs/heads/main', before: '1'.repeat(40) }),
  )
  const webhookAt = (index: number): Webhook => {
    if (index < PULLS) return openedIn(names[index % REPOSITORIES] as string)
    const { event, payload } = pushes[index % REPOSITORIES] as Webhook
    return { event, payload: { ...payload, ref: `refs/heads/feature-${index % 97}` } } as Webhook
  }
  const openedIn = (name: string): Webhook => {
    const { number } = github.at(name).open({ files: [`src/${pulls.length}.ts`], draft: true })
    pulls.push(`${deployment.url}/${name}/pull/${number}`)
    return pullRequestEvent(github, name, number, 'opened')
  }

  const counts = countRequests(
    'webhook flood: 5,000 deliveries, 1,000 of them twice',
    `2 instances, ${SENDERS} senders`,
  )
  let next = 0
  const sender = async () => {
    for (let index = next++; index < DELIVERIES; index = next++) {
      const [webhook, id] = [webhookAt(index), `delivery-${index}`]
      for (let copy = 0; copy < (index < TWICE ? 2 : 1); copy += 1) {
        const { url } = services[(index + copy) % 2] as ServiceProcess
        let status: number | null = null
        while (status !== 202) {
          status = await deployment.deliver(url, webhook, id).catch(() => null)
          counts.record(status, id)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  expect(counts.acknowledged.size).toBe(DELIVERIES)

  const sql = connectRaw(cluster.url)
  const done = () => sql`select id, attempts from jobs where kind = 'delivery' and state = 'done'`
  await expect
    .poll(async () => (await done()).length, { interval: 500, timeout: 400_000 })
    .toBeGreaterThan(WORKED_OFF)
  const worked_off = await done()
  const rows = await sql`select id from jobs where kind = 'delivery' and state <> 'dead'`
  await sql.end()

  const row = counts.report(rows.map(({ id }) => String(id).slice('delivery:'.length)))
  expect(row.acknowledged).toBe(DELIVERIES + TWICE)
  // No job ran twice: each pull request was read once and became one activity.
  expect(worked_off.filter(({ attempts }) => attempts !== 1)).toEqual([])
  expect(pulls).toHaveLength(PULLS)
  expect(github.calls('GET /repos/acme/*/pulls/*/files')).toBe(PULLS)
  const tracked: string[] = []
  for (const name of names) {
    const { body } = await apiAt(services[0]?.url as string, 'ada')(
      'GET',
      `/api/v1/repos/${name}/activity?limit=100`,
    )
    tracked.push(...body.items.map(({ pr_url }: { pr_url: string }) => pr_url))
  }
  expect(tracked.sort()).toEqual(pulls.sort())
  for (const service of services) expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await deployment.close()
})
