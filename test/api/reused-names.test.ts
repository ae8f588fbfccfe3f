/** A repository is renamed or deleted, and another one takes its name: nothing of one reaches the other. */
import { beforeEach, describe, expect, test } from 'vitest'
import { findRepository } from '../../src/server/records/repositories/store.ts'
import { useAppService } from '../support/app-service.ts'
import type { Installation } from '../support/github-state.ts'
import { ACTIVITY } from '../support/routes.ts'
import {
  commentEvent,
  installationEvent,
  installationRepositoriesEvent,
  type PushDetails,
  pullRequestEvent,
  pushEvent,
  refEvent,
  repositoryEvent,
} from '../support/webhooks.ts'

const HOUR_MS = 3_600_000
/** A name that GitHub showed counts as current for a minute. */
const LATER_MS = 120_000

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
/** The same, and some time passes. */
function renameLongAgo(): void {
  renameAndTake()
  service.clock.advance(LATER_MS)
}
const asAda = (full_name: string) =>
  github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
const request = (method: string, path: string, body?: unknown) =>
  service.api(method, `/api/v1/repos/${vault}${path}`, { body })
/** Declares work on the file of pull request 1. */
const declare = async (full_name: string, title: string) => {
  asAda(full_name)
  const body = { ...ACTIVITY, title, branch: 'secret', scope: { paths: ['src/pay.ts'] } }
  await service.api('POST', `/api/v1/repos/${full_name}/activity`, { body })
  await service.runDueJobs()
}
const anHour = async () => {
  service.clock.advance(HOUR_MS)
  await service.runDueJobs()
}
const live = async () =>
  (await request('GET', '/activity?limit=100')).body.items as { title: string; scope: { paths: string[] } }[]
const titles = async () => (await live()).map(({ title }) => title).sort()
const opened = (full_name: string) => {
  const { number } = github
    .at(full_name)
    .open({ number: 1, head: 'ours', title: 'Ours', files: ['src/pay.ts'], author: 'ben' })
  return pullRequestEvent(github, full_name, number, 'opened')
}
const isInstalled = async () => {
  const row = await findRepository(service.db, id)
  return row?.installation_id === installation.id
}

describe('after a rename that no delivery announced', () => {
  beforeEach(async () => {
    await service.deliverAndRun(installationEvent(github, installation, 'created'), opened(shop))
  })

  test('a comment about a private title is not posted into the repository that took the name', async () => {
    renameAndTake()
    await declare(vault, 'Buy Initech')
    expect(github.calls(`POST /repos/${shop}/*`)).toBe(0)
    // It is found in the list of the installation, and goes on under its new name.
    expect(await isInstalled()).toBe(true)
    await service.deliverAndRun(
      pullRequestEvent(github, vault, 1, { action: 'synchronize', push: github.at(vault).pushTo(1) }),
    )
    await anHour()
    expect(github.at(vault).comments(1)[0]?.body).toContain('Buy Initech')
  })

  test('a comment that was posted before does not count as deleted, and is edited under the new name', async () => {
    await declare(shop, 'Retry payments')
    expect(github.at(shop).comments(1)).toHaveLength(1)
    renameAndTake()
    await declare(vault, 'Buy Initech')
    for (let hour = 0; hour < 2; hour += 1) await anHour()
    const comments = github.at(vault).comments(1)
    expect(comments).toHaveLength(1)
    expect(comments[0]?.body).toContain('Buy Initech')
  })

  test('a late push of settings reads nothing of the repository that took the name', async () => {
    const late = pushEvent(github, shop, {
      ...github.at(shop).write('.github/deconflict.yml', 'activity_ttl_ms: 5000'),
      modified: ['.github/deconflict.yml'],
    })
    renameLongAgo()
    github.at(shop).write('.github/deconflict.yml', 'activity_ttl_ms: 7000')
    asAda(vault)
    await service.deliverAndRun(late)
    expect((await request('GET', '/settings')).body.activity_ttl_ms).toBe(5000)
  })

  test('a late event stores no files of the repository that took the name', async () => {
    const late = pullRequestEvent(github, shop, 1, { action: 'synchronize', push: github.at(shop).pushTo(1) })
    renameLongAgo()
    asAda(vault)
    await service.deliverAndRun(late)
    expect((await live()).map(({ title, scope }) => [title, scope.paths])).toEqual([['Ours', ['src/pay.ts']]])
  })

  describe('the repository that took the name is not asked, but the one that had it:', () => {
    const pushOf = (push: PushDetails) => pushEvent(github, shop, push)
    /** Declares work on a branch that was pushed. Returns its commit. */
    const work = async (path: string) => {
      asAda(shop)
      const push = github.at(shop).push('kept')
      await service.deliverAndRun(pushOf({ ...push, commits: [push.after] }))
      const scope = { changes: [{ path, status: 'added' }] }
      const body = { ...ACTIVITY, branch: 'kept', scope }
      await service.api('POST', `/api/v1/repos/${shop}/activity`, { body })
      return push.after
    }

    test.each([
      [
        'GET /compare/*',
        'a push of a tracked branch',
        async () => pushOf(github.at(shop).push('claude/till')),
      ],
      [
        'GET /compare/*',
        'a push that may have merged a branch',
        async () => pushOf({ ...github.at(shop).push('main'), commits: [await work('src/ours.ts')] }),
      ],
      [
        'GET /branches/*',
        'a deletion of a branch',
        async () => {
          await work('src/ours.ts')
          return refEvent(github, shop, 'delete', { branch: 'kept' })
        },
      ],
      [
        'GET /collaborators/*',
        'a comment that mutes',
        async () =>
          commentEvent(github, shop, 1, { id: 9, action: 'created', body: '/deconflict mute', login: 'eve' }),
      ],
      [
        'GET /contents/db/migrations',
        'an event of a pull request that takes a number',
        async () => {
          await work('db/migrations/0001_ours.sql')
          service.clock.advance(LATER_MS)
          const patch = '@@ -0,0 +1,1 @@\n+select 1;'
          const files = [{ filename: 'db/migrations/0001_pay.sql', status: 'added' as const, patch }]
          github.at(shop).update(1, { files })
          const push = github.at(shop).pushTo(1)
          await service.deliverAndRun(pullRequestEvent(github, shop, 1, { action: 'synchronize', push }))
          return pullRequestEvent(github, shop, 1, { action: 'labeled', label: 'urgent' })
        },
      ],
    ])('%s after %s', async (route, _, event) => {
      const asked = (full_name: string) => github.calls(route.replace(' ', ` /repos/${full_name}`))
      const late = await event()
      renameLongAgo()
      const before = asked(shop)
      for (let times = 0; times < 2; times += 1) {
        await service.deliverAndRun(late)
        service.clock.advance(LATER_MS)
        await service.runDueJobs()
      }
      expect(asked(shop)).toBe(before)
      expect(asked(vault)).toBeGreaterThan(0)
    })
  })

  test.each([
    ['imports nothing of', takeName],
    ['closes nothing that is not in', () => github.repository({ id: 3000 + tests, full_name: shop })],
  ])('the reconciliation %s the repository that took the name, and goes on', async (_, take) => {
    github.rename(shop, vault)
    take()
    asAda(vault)
    await anHour()
    expect(await titles()).toEqual(['Ours'])
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
    expect(await findRepository(service.db, id)).toBeUndefined()
  })

  test('that adds a repository imports nothing of the one that has its name now', async () => {
    const added = installationRepositoriesEvent(github, installation, 'added', [shop])
    renameAndTake()
    asAda(vault)
    await service.deliverAndRun(added)
    expect(await titles()).toEqual([])
  })
})
