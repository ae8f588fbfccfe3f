/** Instances whose clocks differ go by the clock of the database. */
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { freshDatabase } from '../support/database.ts'
import { startDeployment } from '../support/deployment.ts'
import { ACTIVITY } from '../support/routes.ts'

const LIMIT = 20
const HOUR_MS = 3_600_000
const REPOSITORY = '/api/v1/repos/acme/shop'

/** Sets the clock of a process an hour ahead. */
const AHEAD = `const Own = Date
globalThis.Date = class extends Own {
  constructor(...given) { given.length > 0 ? super(...given) : super(Own.now() + ${HOUR_MS}) }
  static now() { return Own.now() + ${HOUR_MS} }
}`

test('an instance whose clock is an hour ahead shares quotas and times with the others', async () => {
  const deployment = await startDeployment(['acme/shop'])
  const database = await freshDatabase()
  const env = { DATABASE_URL: database.database_url, RATE_LIMIT_PER_MINUTE: String(LIMIT) }
  const [right] = await deployment.start(1, env)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`
  const [ahead] = await deployment.start(1, { ...env, NODE_OPTIONS })
  if (!right || !ahead) throw new Error('no instance started')
  const apis = [right, ahead].map(({ url }) => apiAt(url, 'ada'))
  const created = await apis[1]?.('POST', `${REPOSITORY}/activity`, { body: ACTIVITY })
  const off_ms = Math.abs(Date.parse(created?.body.activity.created_at) - Date.now())
  expect(off_ms).toBeLessThan(60_000)
  let granted = 1
  for (let request = 0; request < 2 * LIMIT; request += 1) {
    const answer = await apis[request % 2]?.('GET', `${REPOSITORY}/settings`)
    if (answer?.status === 200) granted += 1
  }
  expect(granted).toBeLessThanOrEqual(LIMIT)
  await deployment.close()
  await database.drop()
})
