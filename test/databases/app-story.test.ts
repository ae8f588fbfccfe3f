/** A repository from the App's installation to its end, so that every statement of that way runs on each database. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../src/jobs/store.ts'
import { firstJobs } from '../../src/pull-requests/jobs.ts'
import { fakeGithub } from '../support/github.ts'
import { QUIET_MS, startToldService, type ToldService } from '../support/told-service.ts'
import { installationEvent, pushEvent, refEvent } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

const github = fakeGithub()
let told: ToldService

beforeAll(async () => {
  told = await startToldService(github)
})
afterAll(async () => {
  await told.service.close()
  github.close()
})

test('a repository is taken in, followed, told, limited, reconciled and left', async () => {
  const { service } = told
  const shop = told.shop()
  const list = async (query = '') => (await shop.ask('GET', `/activity${query}`)).body.items
  const reasonOf = async (id: string) => (await shop.ask('GET', `/activity/${id}`)).body.archive_reason

  shop.desk.open({ files: ['src/pay.ts'] })
  await service.play(installationEvent(github, shop.installation, 'created'))
  expect(await list()).toMatchObject([{ source: 'pull_request' }])

  github.fault(`POST /repos/${shop.full_name}/issues/*`, 'rate_limited', 1, 60)
  const declared = await shop.work({ branch: 'retries' })
  expect(shop.comment(1)).toBeUndefined()
  await shop.pass(2 * MINUTE_MS)
  await shop.pass(QUIET_MS)
  expect(shop.comment(1)).toContain('Retry payments')

  await service.play(pushEvent(github, shop.full_name, { ref: 'refs/heads/retries' }))
  await service.play(refEvent(github, shop.full_name, 'delete', { branch: 'retries' }))
  expect(await reasonOf(declared)).toBe('branch_deleted')

  const failed = github.app.delivered({ event: 'push', status_code: 500 })
  const { database, clock } = service.app
  await ask(database.connection(), firstJobs(clock()), clock())
  await told.rest()
  expect(github.app.redelivered()).toEqual([failed.id])

  shop.desk.merge(1)
  await shop.pass(90 * MINUTE_MS)
  const { id } = (await list('?status=archived')).find(({ source }: { source: string }) => source !== 'api')
  expect(await reasonOf(id)).toBe('pull_request_merged')

  const left = installationEvent(github, shop.installation, 'deleted')
  github.app.uninstall(shop.installation.id)
  await service.play(left)
  expect((await shop.ask('GET', '/settings')).body.source).toBe('defaults')
})
