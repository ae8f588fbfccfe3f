/** Instances whose clocks differ go by the clock of the database. */
import { expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { freshDatabase } from '../support/database.ts'
import { startDeployment } from '../support/deployment.ts'
import { ACTIVITY } from '../support/routes.ts'

const HOUR_MS = 3_600_000
const REPOSITORY = '/api/v1/repos/acme/shop'

/** Sets the clock of a process an hour ahead. */
const AHEAD = `const Own = Date
globalThis.Date = class extends Own {
  constructor(...given) { given.length > 0 ? super(...given) : super(Own.now() + ${HOUR_MS}) }
  static now() { return Own.now() + ${HOUR_MS} }
}`

test('an instance whose clock is an hour ahead stores the time of the others', async () => {
  const deployment = await startDeployment(['acme/shop'])
  const database = await freshDatabase()
  const env = { DATABASE_URL: database.database_url }
  const [right] = await deployment.start(1, env)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`
  const [ahead] = await deployment.start(1, { ...env, NODE_OPTIONS })
  if (!right || !ahead) throw new Error('no instance started')
  const apis = [right, ahead].map(({ url }) => apiAt(url, 'ada'))
  const created = await apis[1]?.('POST', `${REPOSITORY}/activity`, { body: ACTIVITY })
  const off_ms = Math.abs(Date.parse(created?.body.activity.created_at) - Date.now())
  expect(off_ms).toBeLessThan(60_000)
  await deployment.close()
  await database.drop()
})
