/** A repository is renamed or deleted, and another one takes its name: nothing of one reaches the other. */
import { beforeEach, describe, expect, test } from 'vitest'
import { findRepository } from '../../src/server/records/repositories/store.ts'
import { useAppService } from '../support/app-service.ts'
import type { Installation } from '../support/github-state.ts'
import { ACTIVITY } from '../support/routes.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  repositoryEvent,
} from '../support/webhooks.ts'

const HOUR_MS = 3_600_000

const { github, service } = useAppService()
let installation: Installation
let owner: string
/** The name that is used again, and the one that the first repository has afterwards. */
let shop: string
let vault: string
let id: number
let tests = 0

beforeEach(async () => {
  service.clock.now = new Date()
  await service.enqueueFirstJobs()
  await service.runDueJobs()
  tests += 1
  owner = `org-${tests}`
  shop = `${owner}/shop`
  vault = `${owner}/vault`
  id = 1000 + tests
  github.repository({ id, full_name: shop })
  installation = github.app.install({ account: owner })
})

/** Another repository takes the name, where the App is installed too. It has a pull request of the same number. */
function takeName(): void {
  github.repository({ id: 3000 + tests, full_name: shop })
  github
    .at(shop)
    .open({ number: 1, head: 'theirs', title: 'Theirs', files: ['src/theirs.ts'], author: 'eve' })
}
/** Renames the first repository. No delivery says so. */
function renameAndTake(): void {
  github.rename(shop, vault)
  takeName()
}
const asAda = (full_name: string) =>
  github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
const request = (method: string, path: string, body?: unknown) =>
  service.api(method, `/api/v1/repos/${vault}${path}`, { body })
const live = async () => (await request('GET', '/activity?limit=100')).body.items as { title: string }[]
const titles = async () => (await live()).map(({ title }) => title).sort()
const opened = (full_name: string) => {
  const { number } = github
    .at(full_name)
    .open({ number: 1, head: 'ours', title: 'Ours', files: ['src/pay.ts'], author: 'ben' })
  return pullRequestEvent(github, full_name, number, 'opened')
}
const isInstalled = async () => {
  const row = await findRepository(service.app.database.connection(), id)
  return row?.installation_id === installation.id
}

describe('after a rename that no delivery announced', () => {
  beforeEach(async () => {
    await service.deliverAndRun(installationEvent(github, installation, 'created'), opened(shop))
  })

  test('a comment about a private title is not posted into the repository that took the name', async () => {
    renameAndTake()
    asAda(vault)
    await request('POST', '/activity', {
      ...ACTIVITY,
      title: 'Buy Initech',
      branch: 'secret',
      scope: { paths: ['src/pay.ts'] },
    })
    await service.runDueJobs()
    expect(github.calls(`POST /repos/${shop}/*`)).toBe(0)
    // It is found in the list of the installation, and goes on under its new name.
    expect(await isInstalled()).toBe(true)
    await service.deliverAndRun(
      pullRequestEvent(github, vault, 1, { action: 'synchronize', push: github.at(vault).pushTo(1) }),
    )
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(github.at(vault).comments(1)[0]?.body).toContain('Buy Initech')
  })

  test('the reconciliation imports nothing of the repository that took the name', async () => {
    renameAndTake()
    asAda(vault)
    github.at(shop).open({ number: 2, head: 'more', title: 'More', files: ['src/more.ts'] })
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await titles()).toEqual(['Ours'])
  })

  test('the reconciliation closes nothing that the repository that took the name does not have', async () => {
    github.rename(shop, vault)
    github.repository({ id: 3000 + tests, full_name: shop })
    asAda(vault)
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await titles()).toEqual(['Ours'])
  })

  test('the reconciliation goes on under the new name', async () => {
    github.rename(shop, vault)
    const before = github.calls(`GET /repos/${shop}/pulls`)
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(github.calls(`GET /repos/${shop}/pulls`)).toBe(before)
    expect(github.calls(`GET /repos/${vault}/pulls`)).toBe(1)
  })
})

describe('a late delivery', () => {
  test('does not revive a deleted repository whose name another one took', async () => {
    await service.deliverAndRun(installationEvent(github, installation, 'created'), opened(shop))
    const late = pullRequestEvent(github, shop, 1, { action: 'labeled', label: 'urgent' })
    const deleted = repositoryEvent(github, shop, 'deleted')
    github.remove(shop)
    takeName()
    await service.deliverAndRun(deleted, late)
    expect(await isInstalled()).toBe(false)
  })

  test('stores nothing of a deleted repository that was never seen before', async () => {
    const late = opened(shop)
    github.remove(shop)
    takeName()
    await service.deliverAndRun(late)
    expect(await findRepository(service.app.database.connection(), id)).toBeUndefined()
  })

  test('that adds a repository imports nothing of the one that has its name now', async () => {
    const added = installationRepositoriesEvent(github, installation, 'added', [shop])
    renameAndTake()
    asAda(vault)
    await service.deliverAndRun(added)
    expect(await titles()).toEqual([])
  })
})
