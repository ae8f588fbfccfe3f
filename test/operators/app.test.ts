/** Two instances with the GitHub App on one database. What a kill leaves is in `test/faults/histories.test.ts` and `test/databases/jobs.test.ts`. */
import { expect, test } from 'vitest'
import { runOn } from '../support/database.ts'
import { editOfPay } from '../support/lines.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const SHOP = 'acme/shop'

const database = useDatabase()
const deployment = useDeployment([SHOP])

const query = (statement: string) => runOn(database.database_url as string, statement)
/** No job is due. */
const isIdle = async () =>
  (await query(`select from jobs where state = 'pending' and run_at <= now()`)).length === 0

test('two instances store each pair of eight pull requests once, with its outcome, in any order of deliveries', async () => {
  const instances = await deployment.start(2, { DATABASE_URL: database.database_url })
  const shop = deployment.github.at(SHOP)
  const pulls = Array.from({ length: 8 }, (_, index) => {
    const files = [editOfPay(30, [`retry(${index})`])]
    const { number } = shop.open({ head: `b${index}`, author: `author-${index}`, files })
    return pullRequestEvent(deployment.github, SHOP, number, 'opened')
  })
  // Each delivery is sent to both instances, half of them under the same id.
  let sent = 0
  const deliverAll = (webhooks: Webhook[]) =>
    Promise.all(
      webhooks.flatMap((webhook) => {
        sent += 1
        const ids = [`delivery-${sent}`, sent % 2 === 0 ? `delivery-${sent}` : `again-${sent}`]
        return instances.map(async (instance, at) =>
          expect(await deployment.deliver(instance.url, webhook, ids[at])).toBe(202),
        )
      }),
    )
  const stored = () => query(`select a, b, outcome from pairs order by a, b`)
  await deliverAll(pulls)
  await expect.poll(async () => (await stored()).length).toBe(28)
  await expect.poll(isIdle).toBe(true)

  const [merged, closed] = [
    [1, 2],
    [3, 4],
  ] as const
  for (const number of merged) shop.merge(number)
  for (const number of closed) shop.close(number)
  const ended = [...merged, ...closed].reverse()
  await deliverAll(ended.map((number) => pullRequestEvent(deployment.github, SHOP, number, 'closed')))
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
