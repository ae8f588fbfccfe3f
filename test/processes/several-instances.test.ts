/** Two instances on one PostgreSQL, one of which has a clock that is wrong. */
import { expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { SHIFTED_CLOCK } from '../support/process.ts'
import { ACTIVITY } from '../support/routes.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'

const database = useDatabase()
const deployment = useDeployment()

test('an instance whose clock is an hour ahead stores the time of the others, and its record is not the newest', async () => {
  const [right] = await deployment.start(1, { DATABASE_URL: database.database_url })
  const clock = { NODE_OPTIONS: SHIFTED_CLOCK, CLOCK_MS: '3600000' }
  const [ahead] = await deployment.start(1, { DATABASE_URL: database.database_url, ...clock })
  const [api, apiAhead] = [right, ahead].map((service) => apiAt(service?.url as string, 'ada')) as [Api, Api]
  const created = await apiAhead('POST', '/activity', { body: ACTIVITY })
  const off_ms = Math.abs(Date.parse(created.body.activity.created_at) - Date.now())
  expect(off_ms).toBeLessThan(60_000)
  const after = await api('POST', '/activity', { body: ACTIVITY })
  const newest = await apiAhead('GET', '/activity?limit=1')
  expect(newest.body.items[0].id).toBe(after.body.activity.id)
})
