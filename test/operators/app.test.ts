/** The GitHub App in separate processes: killed at critical points, and two on one database. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase, runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import type { PullGiven } from '../support/github-repository.ts'
import type { GithubWorld } from '../support/github-world.ts'
import { editOf } from '../support/lines.ts'
import type { ServiceProcess } from '../support/process.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const SHOP = 'acme/shop'

let deployment: Deployment
let github: GithubWorld
let database: FreshDatabase

beforeEach(async () => {
  deployment = await startDeployment([SHOP])
  github = deployment.github
  database = await freshDatabase()
})
afterEach(async () => {
  await deployment.close()
  await database.drop()
})

const startSome = (count: number) => deployment.start(count, { DATABASE_URL: database.database_url })
const start = async () => (await startSome(1))[0] as ServiceProcess
const deliver = ({ url }: ServiceProcess, webhook: Webhook, id?: string) =>
  deployment.deliver(url, webhook, id)

function opened(pull: PullGiven): { number: number; webhook: Webhook } {
  const { number } = github.at(SHOP).open({ files: ['src/pay.ts'], ...pull })
  return { number, webhook: pullRequestEvent(github, SHOP, number, 'opened') }
}

const comments = (number: number) => github.at(SHOP).comments(number)
const tracked = async ({ url }: ServiceProcess) => {
  const { body } = await apiAt(url, 'ada')('GET', `/api/v1/repos/${SHOP}/activity?limit=100`)
  return (body.items as { pr_url: string }[]).map(({ pr_url }) => pr_url)
}
const query = (statement: string) => runOn(database.database_url as string, statement)
/** Expires the leases of a killed worker. */
const letLeasesEnd = () => query(`update jobs set leased_until = leased_until - interval '1 hour'`)
/** No job is due. */
const isIdle = async () =>
  (await query(`select from jobs where state = 'pending' and run_at <= now()`)).length === 0

test.each([
  ['as soon as it has answered', false],
  ['in the middle of a delivery', true],
])('a service killed %s completes the effect once after its restart', async (_, isInTheMiddle) => {
  const first = await start()
  const { number, webhook } = opened({ head: 'tidy' })
  const files = `GET /repos/${SHOP}/pulls/${number}/files`
  const release = github.hold(files)
  expect(await deliver(first, webhook, 'one')).toBe(202)
  if (isInTheMiddle) await expect.poll(() => github.calls(files)).toBe(1)
  await first.kill('SIGKILL')
  release()
  const second = await start()
  expect(await deliver(second, webhook, 'one')).toBe(202)
  await letLeasesEnd()
  const url = `${deployment.url}/${SHOP}/pull/${number}`
  await expect.poll(() => tracked(second)).toEqual([url])
  await expect.poll(isIdle).toBe(true)
  expect(await tracked(second)).toEqual([url])
})

test('a service killed between creating and storing a comment creates no second one', async () => {
  const first = await start()
  const one = opened({ head: 'retries', author: 'ben', draft: true })
  expect(await deliver(first, one.webhook)).toBe(202)
  await expect.poll(() => tracked(first)).toHaveLength(1)
  const two = opened({ head: 'tidy', author: 'cy' })
  const held = github.state.repository_contents.get(1)
  if (!held) throw new Error('nothing is known of the repository')
  // The comment is stored, and the response has not been sent yet.
  const made = held.comments
  const killed = new Promise((resolve) => {
    made.push = (...added) => {
      resolve(first.kill('SIGKILL'))
      return Array.prototype.push.apply(made, added)
    }
  })
  expect(await deliver(first, two.webhook)).toBe(202)
  await killed
  made.push = Array.prototype.push
  expect(comments(two.number)).toHaveLength(1)

  const second = await start()
  await letLeasesEnd()
  const edited = `PATCH /repos/${SHOP}/issues/comments/*`
  await expect.poll(() => github.calls(edited, 200)).toBe(1)
  await expect.poll(isIdle).toBe(true)
  expect(comments(two.number)).toHaveLength(1)
  expect(github.calls(`POST /repos/${SHOP}/issues/${two.number}/*`)).toBe(1)
  expect(await tracked(second)).toHaveLength(2)
})

test('two instances store each pair of eight pull requests once, with its outcome, in any order of deliveries', async () => {
  const instances = await startSome(2)
  const base = Array.from({ length: 60 }, (_, line) => `pay(${line})`)
  const pulls = Array.from({ length: 8 }, (_, index) => {
    const patch = editOf(base, 30, 2, [`retry(${index})`])
    const files = [{ filename: 'src/pay.ts', status: 'modified' as const, patch }]
    return opened({ head: `b${index}`, author: `author-${index}`, files })
  })
  // Each delivery is sent to both instances, half of them under the same id.
  let sent = 0
  const deliverAll = (webhooks: Webhook[]) =>
    Promise.all(
      webhooks.flatMap((webhook) => {
        sent += 1
        const ids = [`delivery-${sent}`, sent % 2 === 0 ? `delivery-${sent}` : `again-${sent}`]
        return instances.map(async (instance, at) =>
          expect(await deliver(instance, webhook, ids[at])).toBe(202),
        )
      }),
    )
  const stored = () => query(`select a, b, outcome from pairs order by a, b`)
  await deliverAll(pulls.map(({ webhook }) => webhook))
  await expect.poll(async () => (await stored()).length).toBe(28)
  await expect.poll(isIdle).toBe(true)

  const [merged, closed] = [
    [1, 2],
    [3, 4],
  ] as const
  const shop = github.at(SHOP)
  for (const number of merged) shop.merge(number)
  for (const number of closed) shop.close(number)
  const ended = [...merged, ...closed].reverse()
  await deliverAll(ended.map((number) => pullRequestEvent(github, SHOP, number, 'closed')))
  await expect.poll(isIdle).toBe(true)

  const isOf = (numbers: readonly number[], key: unknown) => numbers.some((number) => key === `#${number}`)
  const expected = ({ a, b }: Record<string, unknown>) => {
    if (isOf(merged, a) || isOf(merged, b)) return 'merged_anyway'
    return isOf(closed, a) || isOf(closed, b) ? 'given_up' : 'open'
  }
  const rows = await stored()
  const found = rows.map((row) => [row.a, row.b, row.outcome])
  expect(found).toEqual(rows.map((row) => [row.a, row.b, expected(row)]))
  expect(rows).toHaveLength(28)
})
