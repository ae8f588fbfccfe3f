/** Ten thousand webhooks at once, some of them twice: each is stored and processed once. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { apiAt } from '../support/api.ts'
import { connectRaw, startCluster } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { pullRequestEvent, pushEvent } from '../support/webhooks.ts'

const WEBHOOK_SECRET = 'hush'
const DELIVERIES = 10_000
const REPOSITORIES = 20
/** The first deliveries are opened pull requests, the others are pushes. */
const PULLS = 400
/** This many deliveries, including the pull requests, are sent twice. */
const TWICE = 2000
/** The test ends after this many deliveries have been processed, which includes all duplicates. */
const WORKED_OFF = 3000
const SENDERS = 32

interface Delivery {
  id: string
  event: string
  body: string
}

test('10,000 deliveries, 2,000 of them sent twice, are all acknowledged and take effect once', {
  timeout: 600_000,
}, async () => {
  const names = Array.from({ length: REPOSITORIES }, (_, index) => `acme/shop-${index}`)
  const permissions = Object.fromEntries(names.map((name) => [name, 'write' as const]))
  const githubServer = await startFakeGithubServer({
    repositories: names.map((full_name, index) => ({ id: index + 1, full_name })),
    users: [{ token: 'ada', login: 'ada', id: 1, permissions }],
  })
  const { app } = githubServer.github
  app.install({ account: 'acme' })
  const cluster = await startCluster()
  const env = {
    DATABASE_URL: cluster.url,
    GITHUB_API_URL: githubServer.url,
    GITHUB_WEB_URL: githubServer.url,
    APP_ID: String(app.id),
    PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const services = await Promise.all([startProcess(env), startProcess(env)])

  const pulls: string[] = []
  const pushes = names.map((name) =>
    pushEvent(githubServer.github, name, { ref: 'refs/heads/main', before: '1'.repeat(40) }),
  )
  const deliveryAt = (index: number): Delivery => {
    const name = names[index % REPOSITORIES] as string
    const isPull = index < PULLS
    const { event, payload } = isPull ? openedIn(name) : (pushes[index % REPOSITORIES] as Webhook)
    const ref = isPull ? {} : { ref: `refs/heads/feature-${index % 97}` }
    return { id: `delivery-${index}`, event, body: JSON.stringify({ ...payload, ...ref }) }
  }
  const openedIn = (name: string): Webhook => {
    const { number } = githubServer.github.at(name).open({ files: [`src/${pulls.length}.ts`], draft: true })
    pulls.push(`${githubServer.url}/${name}/pull/${number}`)
    return pullRequestEvent(githubServer.github, name, number, 'opened')
  }

  const counts = countRequests(
    'webhook flood: 10,000 deliveries, 2,000 of them twice',
    `2 instances, ${SENDERS} senders`,
  )
  let next = 0
  const sender = async () => {
    for (let index = next++; index < DELIVERIES; index = next++) {
      const delivery = deliveryAt(index)
      for (let copy = 0; copy < (index < TWICE ? 2 : 1); copy += 1) {
        const to = services[(index + copy) % 2] as (typeof services)[0]
        let status: number | null = null
        while (status !== 202) {
          status = await deliver(to.url, delivery)
          counts.record(status, delivery.id)
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
  expect(row).toMatchObject({ acknowledged: DELIVERIES + TWICE, refused: {}, lost: 0, duplicated: 0 })
  // No job ran twice: each pull request was read once and became one activity.
  expect(worked_off.filter(({ attempts }) => attempts !== 1)).toEqual([])
  expect(pulls).toHaveLength(PULLS)
  expect(githubServer.github.calls('GET /repos/acme/*/pulls/*/files')).toBe(PULLS)
  const tracked: string[] = []
  for (const name of names) {
    const { body } = await apiAt(services[0].url, 'ada')('GET', `/api/v1/repos/${name}/activity?limit=100`)
    tracked.push(...body.items.map(({ pr_url }: { pr_url: string }) => pr_url))
  }
  expect(tracked.sort()).toEqual(pulls.sort())
  for (const service of services) expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 })
  await cluster.remove()
  await githubServer.close()
})

async function deliver(url: string, { id, event, body }: Delivery): Promise<number | null> {
  try {
    const response = await fetch(`${url}/api/github/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'X-GitHub-Delivery': id,
        'X-GitHub-Event': event,
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`,
      },
      body,
      signal: AbortSignal.timeout(60_000),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}
