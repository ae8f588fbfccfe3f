/** Two instances on one PostgreSQL, one of which has a clock that is wrong. */
import { expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { ACTIVITY } from '../support/routes.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'

const database = useDatabase()
const deployment = useDeployment()

/** Sets the clock of a process an hour ahead. */
const AHEAD = `const Own = Date
globalThis.Date = class extends Own {
  constructor(...given) { given.length > 0 ? super(...given) : super(Own.now() + 3_600_000) }
  static now() { return Own.now() + 3_600_000 }
}`

test('an instance whose clock is an hour ahead stores the time of the others, and its record is not the newest', async () => {
  const [right] = await deployment.start(1, { DATABASE_URL: database.database_url })
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`
  const [ahead] = await deployment.start(1, { DATABASE_URL: database.database_url, NODE_OPTIONS })
  const [api, apiAhead] = [right, ahead].map((service) => apiAt(service?.url as string, 'ada')) as [Api, Api]
  const created = await apiAhead('POST', '/activity', { body: ACTIVITY })
  const off_ms = Math.abs(Date.parse(created.body.activity.created_at) - Date.now())
  expect(off_ms).toBeLessThan(60_000)
  const after = await api('POST', '/activity', { body: ACTIVITY })
  const newest = await apiAhead('GET', '/activity?limit=1')
  expect(newest.body.items[0].id).toBe(after.body.activity.id)
})
