/** An App that may only read pull requests (app.readonly.yml): everything but comments, checks and settings files. */
import { readFileSync } from 'node:fs'
import { isNotNull } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { jobs } from '../../src/server/jobs/table.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { useAppService } from '../support/app-service.ts'
import type { PullFile } from '../support/github-state.ts'
import { installationEvent, pullRequestEvent } from '../support/webhooks.ts'

const { github, service } = useAppService()

const { default_permissions } = parse(
  readFileSync(new URL('../../app.readonly.yml', import.meta.url), 'utf8'),
)

test('an App that may only read finds what collides, and leaves no job that failed', async () => {
  github.repository({ id: 7000, full_name: 'readers/shop' })
  const shop = github.at('readers/shop')
  github.token('ada', { login: 'ada', id: 1, permissions: { 'readers/shop': 'write' } })
  const filesOf = (name: string): PullFile[] => [
    { filename: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n-a\n+b' },
    { filename: `migrations/0002_${name}.sql`, status: 'added', patch: '@@ -0,0 +1 @@\n+select 1' },
  ]
  shop.open({ head: 'first', files: filesOf('a') })
  const installation = github.app.install({
    repositories: ['readers/shop'],
    permissions: default_permissions,
  })
  // As during an incident.
  github.fault('GET /app/installations/*', 'not_found', 1)
  await service.deliverAndRun(installationEvent(github, installation, 'created'))
  // The list of its pull requests, and the files of one: what the App may not read was not asked for.
  expect(github.requests('* /repos/readers/*')).toHaveLength(2)
  const { number } = shop.open({
    head: 'second',
    author: 'ben',
    files: filesOf('b'),
  })
  await service.deliverAndRun(pullRequestEvent(github, 'readers/shop', number, 'opened'))

  const ask = async (path: string) => (await service.api('GET', `/api/v1/repos/readers/shop${path}`, {})).body
  expect((await ask('/overlaps')).items).toHaveLength(1)
  await service.enqueueFirstJobs()
  await service.runDueJobs()
  service.clock.advance(3_600_000)
  await service.runDueJobs()
  const order = await ask('/merge-order')
  expect(order.items.length + order.clear.length).toBeGreaterThan(0)
  expect((await ask(`/why?pull_request=${number}`)).pairs).toMatchObject([
    { reason: 'shadow', decided_by: 'comment.mode: shadow, because the App may only read' },
  ])
  shop.merge(1)
  await service.deliverAndRun(pullRequestEvent(github, 'readers/shop', 1, 'closed'))
  expect(shop.comments(number)).toEqual([])
  expect(await ask('/settings')).toMatchObject({
    comment: { mode: 'shadow' },
    sources: { 'comment.mode': 'read_only', 'comment.budget': 'default' },
  })
  const failed = await service.db
    .select({ kind: jobs.kind, error: jobs.last_error })
    .from(jobs)
    .where(isNotNull(jobs.last_error))
  expect(failed).toEqual([])
  const third = shop.open({ head: 'third', author: 'cy', files: ['src/a.ts'] })
  await service.deliverAndRun(pullRequestEvent(github, 'readers/shop', third.number, 'opened'))
  service.clock.advance(60_000)
  github.app.grant(installation.id, github.state.app.permissions)
  await service.deliverAndRun(installationEvent(github, installation, 'new_permissions_accepted'))
  expect((await ask('/settings')).comment.mode).toBe('on')
  // As after `comment.mode: on`, what happened before makes no comment.
  expect(github.calls(`POST /repos/readers/shop/issues/${third.number}/comments`)).toBe(0)
})

test('a sweep while it is registered does not forget that it may only read', async () => {
  github.repositories(['slow/.github', 'slow/shop'], 7002)
  github.token('ada', { login: 'ada', id: 1, permissions: { 'slow/shop': 'write' } })
  github.app.install({ account: 'slow', permissions: default_permissions })
  const release = github.hold('GET /repos/slow/.github/contents/*')
  const asked = service.api('GET', '/api/v1/repos/slow/shop/settings')
  await expect.poll(() => github.calls('GET /repos/slow/.github/contents/*')).toBe(1)
  await sweep(service.app)
  release()
  expect((await asked).body.comment.mode).toBe('shadow')
})

test('an event that arrives late does not say what an App may do', async () => {
  github.repository({ id: 7001, full_name: 'writers/shop' })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'writers/shop': 'write' } })
  const given = { repositories: ['writers/shop'], permissions: default_permissions }
  const installation = github.app.install(given)
  const late = installationEvent(github, installation, 'created')
  github.app.grant(installation.id, github.state.app.permissions)
  await service.deliverAndRun(installationEvent(github, installation, 'new_permissions_accepted'), late)
  const { body } = await service.api('GET', '/api/v1/repos/writers/shop/settings', {})
  expect(body.comment.mode).toBe('on')
})
