/** Installing and uninstalling the App: what is imported, what is archived, and renamed repositories. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/server/github/repository-calls.ts'
import { sweep } from '../../src/server/operations/sweep.ts'
import { installations } from '../../src/server/records/repositories/table.ts'
import { useAppService } from '../support/app-service.ts'
import { whileBroken } from '../support/broken-table.ts'
import type { Installation } from '../support/github-state.ts'
import { holdStatements } from '../support/held-statements.ts'
import { ACTIVITY } from '../support/routes.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  pushEvent,
  repositoryEvent,
} from '../support/webhooks.ts'

const DAY_MS = 86_400_000
/** Repositories, or pull requests, on a page of GitHub's lists. */
const PAGE = 3

const { github, service } = useAppService({ list_limits: { ...LIST_LIMITS, page: PAGE } })
let installation: Installation
/** Two repositories in an organization that only the current test uses. */
let owner: string
let shop: string
let docs: string
let tests = 0

beforeEach(async () => {
  tests += 1
  owner = `org-${tests}`
  shop = `${owner}/shop`
  docs = `${owner}/docs`
  github.repository({ id: 1000 + tests, full_name: shop })
  github.repository({ id: 2000 + tests, full_name: docs })
  github.token('ada', { login: 'ada', id: 1, permissions: { [shop]: 'write', [docs]: 'write' } })
})

const install = (...repositories: string[]) => {
  installation = github.app.install({ repositories })
  return installation
}
const opened = (full_name: string, given: { head?: string; files?: string[] } = {}) =>
  pullRequestEvent(github, full_name, github.at(full_name).open(given).number, 'opened')
const request = (method: string, full_name: string, path: string, body?: unknown) =>
  service.api(method, `/api/v1/repos/${full_name}${path}`, { body })
type Listed = Record<'id' | 'pr_url' | 'source', string>
const live = async (full_name: string) =>
  (await request('GET', full_name, '/activity?limit=100')).body.items.reverse() as Listed[]
const createActivity = async (full_name: string, body: object = {}) =>
  (await request('POST', full_name, '/activity', { ...ACTIVITY, ...body })).body.activity.id as string

describe('an installation', () => {
  test('that is created imports the open pull requests of all its repositories', async () => {
    const [a, b] = [github.at(shop), github.at(docs)]
    for (let number = 1; number <= PAGE + 3; number += 1) a.open({ files: [`src/${number}.ts`] })
    a.close(5)
    b.open({ head: 'words', files: ['README.md'], draft: true })
    await service.deliverAndRun(installationEvent(github, install(shop, docs), 'created'))
    const urls = (await live(shop)).map(({ pr_url }) => pr_url)
    expect(urls).toHaveLength(PAGE + 2)
    expect(urls).not.toContain(`https://github.com/${shop}/pull/5`)
    expect(await live(docs)).toMatchObject([
      { source: 'pull_request', status: 'draft-pr-open', scope: { paths: ['README.md'] } },
    ])
    expect(github.calls(`GET /repos/${shop}/pulls`)).toBe(2)
  })

  test.each([
    [2, 6, { imported: 6, of: 6 }],
    [400, 5, { imported: 3, of: 5 }],
  ])('says how far the import is, of which a call fails %i times', async (times, activities, last) => {
    for (let number = 1; number <= PAGE + 2; number += 1) github.at(shop).open()
    github.fault(`GET /repos/${shop}/pulls/1/files`, 'server_error', times)
    github.fault('POST /graphql', 'rate_limited', 1)
    github.at(shop).write('.github/deconflict.yml', 'check_run: true')
    await service.deliver(installationEvent(github, install(shop), 'created'))
    await service.runDueJobs()
    const check = () => request('POST', shop, '/activity/check', { scope: { paths: ['docs/none.md'] } })
    expect((await check()).body.checked_against).toMatchObject({ activities: 0, complete: false })
    service.clock.advance(DAY_MS / 24)
    await service.runDueJobs()
    expect((await request('GET', shop, '/settings')).body.importing).toEqual({ done: 3, left: 2 })
    expect((await check()).body).toMatchObject({
      reason: expect.stringContaining('Pull requests are still being imported'),
      recommended_action: expect.stringContaining('pull requests are known yet: go ahead with care'),
      checked_against: { activities: 4, complete: false },
    })
    const partial = { complete: false, reason: expect.stringMatching(/^Pull requests are still/) }
    expect((await request('GET', shop, '/overlaps')).body).toMatchObject({ checked_against: partial })
    expect((await request('GET', shop, '/merge-order')).body).toMatchObject(partial)
    await service.deliver(opened(shop, { files: ['src/pay.ts'] }))
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await service.runDueJobs()
      service.clock.advance(DAY_MS / 24)
    }
    expect((await check()).body.checked_against).toMatchObject({ activities, complete: true })
    expect((await request('GET', shop, '/overlaps')).body.checked_against).toMatchObject({ complete: true })
    const logged = service.log.map((line) => JSON.parse(line)).filter(({ repository }) => repository === shop)
    expect(logged.at(-1)).toMatchObject({ msg: 'pull requests imported', ...last })
    const { sha } = github.at(shop).pull(PAGE + 3).head
    const runs = github
      .at(shop)
      .checkRuns()
      .filter(({ head_sha }) => head_sha === sha)
    expect(runs.map(({ output }) => output.title)).toEqual(['Compared in part', 'No overlap'])
  })

  const check = async () => {
    const answer = await request('POST', shop, '/activity/check', { scope: { paths: ['src/pay.ts'] } })
    return { found: answer.body.overlap_detected, complete: answer.body.checked_against?.complete }
  }
  const IMPORT_STORED = `before insert on jobs for each row when (new.kind = 'repository')`

  test('that no event told of is noticed by the first requests, whatever breaks once, whose checks miss the open pull requests', async () => {
    install(shop)
    github.at(shop).open({ files: ['src/pay.ts'] })
    const missed = { found: false, complete: false }
    await whileBroken(service.db, { trigger: IMPORT_STORED }, check)
    github.fault(`GET /repos/${shop}/installation`, 'bad_gateway', 1)
    expect(await Promise.all([check(), check(), check()])).toEqual([missed, missed, missed])
    await service.runDueJobs()
    expect(await check()).toEqual({ found: true, complete: true })
  })

  test('that no event told of is noticed by the first one of another pull request, whatever breaks once', async () => {
    install(shop)
    github.at(shop).open({ files: ['src/pay.ts'] })
    await service.deliver(opened(shop))
    await whileBroken(service.db, { trigger: IMPORT_STORED }, service.runDueJobs)
    service.clock.advance(5000)
    expect(await service.runDueJobs()).toEqual([])
    expect(await check()).toEqual({ found: true, complete: true })
  })

  const SETTINGS = '.github/deconflict.yml'
  const ttlOf = async (full_name: string) =>
    (await request('GET', full_name, '/settings')).body.activity_ttl_ms

  test('reads the settings of all its repositories with one call, and then only lists of pull requests', async () => {
    const asked = github.calls('POST /graphql')
    github.at(shop).write(SETTINGS, 'activity_ttl_ms: 5000')
    github.at(docs).write(SETTINGS, 'activity_ttl_ms: 6000')
    github.at(shop).open()
    await service.deliverAndRun(installationEvent(github, install(shop, docs), 'created'))
    expect(github.calls('POST /graphql') - asked).toBe(1)
    expect(github.requests(`* /repos/${owner}/*`).map(({ route }) => route)).toEqual([
      `GET /repos/${shop}/pulls`,
      `GET /repos/${shop}/pulls/1/files`,
    ])
    expect(await ttlOf(shop)).toBe(5000)
    expect(await ttlOf(docs)).toBe(6000)
  })

  test.each<[string, () => void]>([
    ['does not exist', () => github.fault('POST /graphql', 'not_found', 1)],
    ['fails', () => github.fault('POST /graphql', 'bad_gateway', 1)],
    ['does not show one of them', () => github.remove(docs)],
  ])('reads each repository for itself where GraphQL %s', async (_, happen) => {
    const created = installationEvent(github, install(shop, docs), 'created')
    github.at(shop).write(SETTINGS, 'activity_ttl_ms: 5000')
    github.at(shop).open()
    await service.deliver(created)
    happen()
    await service.runDueJobs()
    expect(await ttlOf(shop)).toBe(5000)
    expect(await live(shop)).toHaveLength(1)
  })

  test('that is created again duplicates nothing and links declared activities', async () => {
    const id = await createActivity(shop, { branch: 'retries' })
    github.at(shop).open({ head: 'retries' })
    github.at(shop).open({ head: 'other' })
    const created = installationEvent(github, install(shop), 'created')
    await service.deliverAndRun(
      created,
      created,
      installationEvent(github, installation, 'new_permissions_accepted'),
    )
    const all = await live(shop)
    expect(all).toHaveLength(2)
    expect(all).toMatchObject([
      { id, pr_url: `https://github.com/${shop}/pull/1`, source: 'api' },
      { source: 'pull_request' },
    ])
  })

  test('that is deleted before its job runs leaves nothing tracked and no failure', async () => {
    await service.deliverAndRun(installationEvent(github, install(shop), 'created'))
    const created = installationEvent(github, installation, 'new_permissions_accepted')
    const late = pushEvent(github, shop, { ref: 'refs/heads/retries' })
    github.app.uninstall(installation.id)
    await service.deliverAndRun(created)
    const before = github.calls(`* /repos/${shop}/*`)
    github.at(shop).open({ files: ['src/a.ts'] })
    await service.deliverAndRun(late)
    expect(await live(shop)).toEqual([])
    // The only calls look up the installation.
    expect(github.calls(`* /repos/${shop}/*`) - before).toBe(
      github.calls(`GET /repos/${shop}/installation`, 404),
    )
  })

  test('that is suspended fails no job, and imports what was missed when it is resumed', async () => {
    await service.deliverAndRun(installationEvent(github, install(shop), 'created'))
    await service.deliverAndRun(opened(shop))
    github.app.suspend(installation.id)
    github.at(shop).merge(1)
    const late = opened(shop, { files: ['src/a.ts'] })
    const created = installationEvent(github, installation, 'created')
    await service.deliverAndRun(installationEvent(github, installation, 'suspend'), late, created)
    expect(await live(shop)).toHaveLength(1)
    github.at(shop).write('.github/deconflict.yml', 'activity_ttl_ms: 5000')
    github.app.unsuspend(installation.id)
    await service.deliverAndRun(installationEvent(github, installation, 'unsuspend'))
    expect(await live(shop)).toMatchObject([{ pr_url: `https://github.com/${shop}/pull/2` }])
    expect((await request('GET', shop, '/settings')).body.activity_ttl_ms).toBe(5000)
  })
})

// `test/databases/sweep-app.test.ts` has what is deleted later.
describe('a repository that is removed from the App', () => {
  const remove = () => {
    const event = installationRepositoriesEvent(github, installation, 'removed', [shop])
    github.app.removeRepositories(installation.id, [shop])
    return event
  }
  const uninstall = () => {
    const event = installationEvent(github, installation, 'deleted')
    github.app.uninstall(installation.id)
    return event
  }
  const WAYS = [
    ['removed', remove],
    ['uninstalled', uninstall],
  ] as const

  const giveBack = (way: string) => {
    if (way === 'removed') {
      github.app.addRepositories(installation.id, [shop])
      return installationRepositoriesEvent(github, installation, 'added', [shop])
    }
    return installationEvent(github, install(shop, docs), 'created')
  }

  beforeEach(async () => {
    await service.deliverAndRun(
      installationEvent(github, install(shop, docs), 'created'),
      opened(shop, { files: ['src/a.ts'] }),
    )
    await createActivity(shop)
    await createActivity(docs)
  })

  test('uninstalled without a delivery, leaves no state of the installation', async () => {
    const db = service.db
    expect(await db.select().from(installations)).toHaveLength(1)
    uninstall()
    await service.enqueueFirstJobs()
    service.clock.advance(3_600_000)
    await service.runDueJobs()
    await sweep(service.app)
    expect(await db.select().from(installations)).toEqual([])
  })

  test.each(WAYS)(
    '%s, has the default settings immediately, and its own again when it is added back',
    async (way, takeOff) => {
      github.at(shop).write('.github/deconflict.yml', 'activity_ttl_ms: 3600000')
      await service.deliverAndRun(
        pushEvent(github, shop, { ref: 'refs/heads/main', modified: ['.github/deconflict.yml'] }),
      )
      const shown = async () => {
        const { activity_ttl_ms, source } = (await request('GET', shop, '/settings')).body
        return [activity_ttl_ms, source]
      }
      expect(await shown()).toEqual([3_600_000, 'file'])
      await service.deliverAndRun(takeOff())
      expect(await shown()).toEqual([DAY_MS, 'defaults'])
      await service.deliverAndRun(giveBack(way))
      expect(await shown()).toEqual([3_600_000, 'file'])
    },
  )

  test('uninstalled, whose event takes effect while the App is installed again, stays installed where it is known', async () => {
    const uninstalled = uninstall()
    install(shop, docs)
    const held = holdStatements(/from "repositories" .* for update/, 1)
    const late = service.deliverAndRun(uninstalled)
    await expect.poll(held.executed).toBe(1)
    await service.deliverAndRun(opened(docs))
    held.restore()
    await late
    expect((await request('GET', docs, '/settings')).body.is_tracked).toBe(true)
    expect(service.log.findLast((line) => line.includes('repository_left'))).toContain('"repository_left":1')
  })

  test('and added back, whose removal arrives last, stays installed', async () => {
    github.at(shop).write('.github/deconflict.yml', 'activity_ttl_ms: 3600000')
    const removed = remove()
    await service.deliverAndRun(giveBack('removed'), removed)
    expect((await request('GET', shop, '/settings')).body.source).toBe('file')
  })
})

describe('a repository that is renamed', () => {
  test.each([
    ['renamed', () => `${owner}/store`],
    ['transferred', () => `${owner}-new/shop`],
  ] as const)('(%s) is the same repository, and followed under its new name', async (action, newName) => {
    await service.deliverAndRun(installationEvent(github, install(shop), 'created'))
    const id = await createActivity(shop, { branch: 'retries' })
    const pull = github.at(shop).open({ head: 'retries', files: ['src/a.ts'] })
    await service.deliverAndRun(pullRequestEvent(github, shop, pull.number, 'opened'))
    const to = newName()
    github.rename(shop, to)
    if (action === 'transferred') install(to)
    github.token('ada', { login: 'ada', id: 1, permissions: { [to]: 'write' } })
    await service.deliverAndRun(repositoryEvent(github, to, action, shop))
    github.at(to).open({ head: 'other', files: ['src/b.ts'] })
    await service.deliverAndRun(pullRequestEvent(github, to, 2, 'opened'))
    expect(await live(to)).toMatchObject([{ id }, { pr_url: `https://github.com/${to}/pull/2` }])
    expect(github.calls(`GET /repos/${to}/pulls/2/files`, 200)).toBe(1)
  })

  const calls = (full_name: string) => github.calls(`* /repos/${full_name}*`)
  /** Work that collides with pull request 1, so that it gets a comment. */
  const collide = async (full_name: string) => {
    await createActivity(full_name, { branch: 'other', scope: { paths: ['src/a.ts'] } })
    await service.runDueJobs()
    return github.calls(`POST /repos/${full_name}/issues/1/comments`, 201)
  }

  test.each([
    ['keeps its new name', 'renamed', () => {}],
    [
      'keeps its new name although another repository has taken the old one',
      'renamed',
      () => {
        github.repository({ id: 3000 + tests, full_name: shop })
        github.app.addRepositories(installation.id, [shop])
      },
    ],
    ['stays with its new owner', 'transferred', () => install(`${owner}-new/shop`)],
  ] as const)('%s when events under the old name arrive late', async (_, action, then) => {
    await service.deliverAndRun(
      installationEvent(github, install(shop), 'created'),
      opened(shop, { files: ['src/a.ts'] }),
    )
    const late = [
      pushEvent(github, shop, { ref: 'refs/heads/retries' }),
      repositoryEvent(github, shop, 'edited'),
    ]
    const to = action === 'renamed' ? `${owner}/store` : `${owner}-new/shop`
    if (action === 'transferred') github.app.removeRepositories(installation.id, [shop])
    github.rename(shop, to)
    then()
    github.token('ada', { login: 'ada', id: 1, permissions: { [to]: 'write' } })
    await service.deliverAndRun(repositoryEvent(github, to, action, shop), ...late)
    const before = calls(shop)
    expect(await collide(to)).toBe(1)
    expect(calls(shop)).toBe(before)
  })
})
