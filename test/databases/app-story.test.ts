/** A repository from the installation of the App to its removal, so that all statements of that path run on each database. */
import { expect, test } from 'vitest'
import { firstJobs } from '../../src/server/github/tracking/jobs.ts'
import { enqueue } from '../../src/server/jobs/store.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { installationEvent, pushEvent, refEvent } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

const { fixture, github, repository } = usePullRequests({ settings: 'comment: {audience: both}' })

test('a repository is imported, commented on, rate-limited, reconciled and uninstalled', async () => {
  const { service } = fixture
  const list = async (query = '') => (await repository.request('GET', `/activity${query}`)).body.items
  const reasonOf = async (id: string) =>
    (await repository.request('GET', `/activity/${id}`)).body.archive_reason

  repository.githubRepo.open({ files: ['src/pay.ts'] })
  await service.deliverAndRun(installationEvent(github, repository.installation, 'created'))
  expect(await list()).toMatchObject([{ source: 'pull_request' }])

  github.fault(`POST /repos/${repository.full_name}/issues/*`, 'rate_limited', 1, 60)
  const declared = await repository.createActivity({ branch: 'retries' })
  await repository.push(1, ['src/pay.ts'])
  expect(repository.comment(1)).toBeUndefined()
  await repository.advance(2 * MINUTE_MS)
  await repository.advance(QUIET_MS)
  expect(repository.comment(1)).toContain('Retry payments')

  await service.deliverAndRun(pushEvent(github, repository.full_name, { ref: 'refs/heads/retries' }))
  await service.deliverAndRun(refEvent(github, repository.full_name, 'delete', { branch: 'retries' }))
  expect(await reasonOf(declared)).toBe('branch_deleted')

  const failed = github.app.addDelivery({ event: 'push', status_code: 500 })
  const { database, clock } = service.app
  await enqueue(database.connection(), firstJobs(clock()), clock())
  await fixture.runJobs()
  expect(github.app.redelivered()).toEqual([failed.id])

  repository.githubRepo.merge(1)
  await repository.advance(90 * MINUTE_MS)
  const { id } = (await list('?status=archived')).find(({ source }: { source: string }) => source !== 'api')
  expect(await reasonOf(id)).toBe('pull_request_merged')

  const left = installationEvent(github, repository.installation, 'deleted')
  github.app.uninstall(repository.installation.id)
  await service.deliverAndRun(left)
  expect((await repository.request('GET', '/settings')).body.source).toBe('defaults')
})
