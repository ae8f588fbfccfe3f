/** The settings file of an organisation: which repositories it reaches, when, and what their own files decide. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { purgeRepository } from '../../src/server/admin/purge-store.ts'
import { recordInstallation } from '../../src/server/repositories/registration.ts'
import { listRepositories } from '../../src/server/repositories/store.ts'
import { type AppService, startAppService } from '../support/app-service.ts'
import { type FakeGithub, fakeGithub } from '../support/github.ts'
import type { Installation } from '../support/github-state.ts'
import { editOfPay } from '../support/lines.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  pushEvent,
  repositoryEvent,
} from '../support/webhooks.ts'

const SETTINGS = '.github/deconflict.yml'
const SHARED = 'acme/.github'
const SHOP = 'acme/shop'
const TILL = 'acme/till'
const NAMES = [SHARED, SHOP, TILL]
const HOUR_MS = 3_600_000

let github: FakeGithub
let service: AppService
let installation: Installation

beforeEach(async () => {
  github = fakeGithub()
  for (const [index, full_name] of NAMES.entries()) github.repository({ id: 100 + index, full_name })
  github.token('ada', {
    login: 'ada',
    id: 1,
    permissions: Object.fromEntries([...NAMES, 'acme/later', 'other/shop'].map((name) => [name, 'write'])),
  })
  installation = github.app.install({ account: 'acme' })
  service = await startAppService(github)
  service.clock.now = new Date()
})
afterEach(async () => {
  await service.close()
  github.close()
})

const settingsOf = async (full_name: string) => {
  const { status, body } = await service.api('GET', `/api/v1/repos/${full_name}/settings`)
  expect(status).toBe(200)
  return body
}
const write = async (full_name: string, text: string | null) => {
  const push = github.at(full_name).write(SETTINGS, text)
  const how = text === null ? 'removed' : 'modified'
  await service.deliverAndRun(pushEvent(github, full_name, { ...push, [how]: [SETTINGS] }))
  return push.after
}
const install = () => service.deliverAndRun(installationEvent(github, installation, 'created'))
const budgetOf = async (full_name: string) => (await settingsOf(full_name)).comment.budget
const modeOf = async (full_name: string) => (await settingsOf(full_name)).comment.mode
const commentsOn = (number: number) =>
  github
    .at(SHOP)
    .comments(number)
    .filter(({ app }) => app === github.app.slug)

describe('the file of an organisation holds for its repositories', () => {
  test('when the App is installed', async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
    expect(await budgetOf(SHOP)).toBe(0.05)
    expect(await budgetOf(TILL)).toBe(0.05)
  })

  test('on the first request to one of them, if no delivery came before', async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('on the first event of one of them, before anything is posted', async () => {
    github.at(SHARED).write(SETTINGS, 'track_pull_requests: false')
    const { number } = github.at(SHOP).open({ files: ['src/pay.ts'] })
    await service.deliverAndRun(pullRequestEvent(github, SHOP, number, 'opened'))
    expect((await service.api('GET', `/api/v1/repos/${SHOP}/activity`)).body.items).toEqual([])
  })

  test('after a push that changes it', async () => {
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    expect(await budgetOf(SHOP)).toBe(0.05)
    await write(SHARED, 'comment: {budget: 0.07}')
    expect(await budgetOf(SHOP)).toBe(0.07)
    expect(await budgetOf(TILL)).toBe(0.07)
  })

  test('also where a repository is added later', async () => {
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    github.repository({ id: 200, full_name: 'acme/later' })
    await service.deliverAndRun(installationRepositoriesEvent(github, installation, 'added', ['acme/later']))
    expect(await budgetOf('acme/later')).toBe(0.05)
  })

  test('not for repositories of other owners', async () => {
    github.repository({ id: 300, full_name: 'other/shop' })
    github.app.install({ account: 'other' })
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    expect(await budgetOf('other/shop')).toBe(0.15)
  })

  test('within an hour if the push was missed', async () => {
    await install()
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('within an hour even if nothing happened for weeks', async () => {
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    for (let day = 0; day < 15; day += 1) {
      service.clock.advance(24 * HOUR_MS)
      await service.runDueJobs()
    }
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.07}')
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await budgetOf(SHOP)).toBe(0.07)
  })
})

describe('with many repositories', () => {
  const others = Array.from({ length: 30 }, (_, index) => `acme/r${index}`)
  beforeEach(async () => {
    for (const [index, full_name] of others.entries()) github.repository({ id: 500 + index, full_name })
    await install()
  })
  const stored = async () => {
    const db = service.app.database.connection()
    const rows = await listRepositories(db, { installation_id: installation.id })
    return new Set(rows.map(({ organisation }) => organisation?.settings.comment?.budget))
  }

  test('a push calls GitHub for its own repository only', async () => {
    const from = github.requests().length
    await write(SHARED, 'comment: {budget: 0.05}')
    expect(await stored()).toEqual(new Set([0.05]))
    const asked = github.requests().slice(from)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(({ route }) => !route.includes(SHARED))).toEqual([])
  })

  test('of several pushes that instances apply at once, the last one holds for all', async () => {
    const { database_url } = service.app.config
    const second = await startAppService(github, { config: { database_url } })
    second.clock.now = service.clock.now
    const deliver = (index: number) => {
      const push = github.at(SHARED).write(SETTINGS, `comment: {budget: 0.0${index}}`)
      return service.deliver(pushEvent(github, SHARED, { ...push, modified: [SETTINGS] }))
    }
    for (const index of [1, 2, 3, 4, 5]) {
      await deliver(index)
      await Promise.all([service.runDueJobs(), second.runDueJobs()])
    }
    await deliver(6)
    await Promise.all([
      service.runDueJobs(),
      second.runDueJobs(),
      ...others.map((full_name, index) =>
        recordInstallation(
          second.app,
          { id: 500 + index, owner: 'acme', name: full_name.slice(5), installation_id: installation.id },
          second.app.clock(),
        ),
      ),
    ])
    await service.runDueJobs()
    expect(await stored()).toEqual(new Set([0.06]))
    await second.close()
  })
})

describe('it does not hold any more', () => {
  beforeEach(async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
  })

  test('after it is deleted', async () => {
    await write(SHARED, null)
    expect(await budgetOf(SHOP)).toBe(0.15)
  })

  test('after the repository is deleted', async () => {
    await service.deliverAndRun(repositoryEvent(github, SHARED, 'deleted'))
    expect(await budgetOf(SHOP)).toBe(0.15)
  })

  test('after the repository is renamed', async () => {
    github.rename(SHARED, 'acme/old')
    await service.deliverAndRun(repositoryEvent(github, 'acme/old', 'edited'))
    expect(await budgetOf(SHOP)).toBe(0.15)
  })

  test('after the App is uninstalled, until it is installed again', async () => {
    github.app.uninstall(installation.id)
    await service.deliverAndRun(installationEvent(github, installation, 'deleted'))
    expect(await budgetOf(SHOP)).toBe(0.15)
    installation = github.app.install({ account: 'acme' })
    await install()
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('after everything about the repository was purged', async () => {
    await purgeRepository(service.app.database.connection(), 100)
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await budgetOf(SHOP)).toBe(0.15)
  })

  test('after the App is removed from the repository', async () => {
    installation.repositories = [100, 101, 102]
    github.app.removeRepositories(installation.id, [SHARED])
    await service.deliverAndRun(installationRepositoriesEvent(github, installation, 'removed', [SHARED]))
    expect(await budgetOf(SHOP)).toBe(0.15)
  })
})

test('where the App is not installed on the repository, its file does not hold', async () => {
  github.app.uninstall(installation.id)
  installation = github.app.install({ repositories: [SHOP] })
  github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
  await install()
  expect(await budgetOf(SHOP)).toBe(0.15)
  expect(github.calls(`GET /repos/${SHARED}/contents/*`)).toBe(0)
})

test("a repository's own file wins key by key, inside comment too", async () => {
  github.at(SHARED).write(SETTINGS, 'activity_ttl_ms: 5000\ncomment: {budget: 0.05, min_severity: high}')
  github
    .at(SHOP)
    .write(
      SETTINGS,
      'notable_ttl_ms: 6000\ncomment: {budget: 0.3, comment_on_bots: true}'.replace(
        ', comment_on_bots: true',
        ', on_bots: true',
      ),
    )
  await install()
  const settings = await settingsOf(SHOP)
  expect(settings).toMatchObject({
    activity_ttl_ms: 5000,
    notable_ttl_ms: 6000,
    comment: { budget: 0.3, min_severity: 'high', on_bots: true, audience: 'later' },
    source: 'file',
  })
  expect(settings.sources).toMatchObject({
    activity_ttl_ms: 'organisation',
    notable_ttl_ms: 'repository',
    check_run: 'default',
    'comment.budget': 'repository',
    'comment.min_severity': 'organisation',
    'comment.on_bots': 'repository',
    'comment.audience': 'default',
  })
})

describe('repositories names where comments are posted', () => {
  test.each<[string, 'on' | 'shadow', 'on' | 'shadow']>([
    ['{}', 'on', 'on'],
    ['{include: [sh*]}', 'on', 'shadow'],
    ['{include: [SHOP]}', 'on', 'shadow'],
    ['{exclude: [till]}', 'on', 'shadow'],
    ['{include: ["*"], exclude: [till, x-*]}', 'on', 'shadow'],
    ['{include: []}', 'shadow', 'shadow'],
  ])('%s', async (repositories, shop, till) => {
    github.at(SHARED).write(SETTINGS, `repositories: ${repositories}`)
    await install()
    expect([await modeOf(SHOP), await modeOf(TILL)]).toEqual([shop, till])
  })

  test('whatever the file of the repository says', async () => {
    github.at(SHARED).write(SETTINGS, 'repositories: {exclude: [shop]}')
    github.at(SHOP).write(SETTINGS, 'comment: {mode: on, budget: 0.3}')
    await install()
    const { comment, sources } = await settingsOf(SHOP)
    expect(comment).toMatchObject({ mode: 'shadow', budget: 0.3 })
    expect(sources['comment.mode']).toBe('organisation')
  })

  test('by its present name', async () => {
    github.at(SHARED).write(SETTINGS, 'repositories: {include: [shop]}')
    await install()
    github.rename(SHOP, 'acme/later')
    await service.deliverAndRun(repositoryEvent(github, 'acme/later', 'edited'))
    expect(await modeOf('acme/later')).toBe('shadow')
  })

  test('but not in the file of a repository', async () => {
    await install()
    await write(SHOP, 'repositories: {include: []}')
    expect(await settingsOf(SHOP)).toMatchObject({ errors: [{ line: 1, key: 'repositories' }] })
  })
})

test('what changes for open pull requests is published', async () => {
  await install()
  const open = async (head: string) => {
    const { number } = github.at(SHOP).open({ files: [editOfPay(40, [`pay(${head})`])], head, author: head })
    await service.deliverAndRun(pullRequestEvent(github, SHOP, number, 'opened'))
    return number
  }
  await open('a')
  const number = await open('b')
  expect(commentsOn(number)[0]?.body).toContain('Severity: high')
  service.clock.advance(60_000)
  await write(SHARED, 'ignore_paths: [src/pay.ts]')
  expect(commentsOn(number)[0]?.body).not.toContain('Severity: high')
})

test('a repository that is rolled out comments on later events only', async () => {
  github.at(SHARED).write(SETTINGS, 'repositories: {include: []}')
  await install()
  const open = async (head: string) => {
    const { number } = github.at(SHOP).open({ files: [editOfPay(40, [`pay(${head})`])], head, author: head })
    await service.deliverAndRun(pullRequestEvent(github, SHOP, number, 'opened'))
    return number
  }
  const before = [await open('a'), await open('b')]
  service.clock.advance(60_000)
  await write(SHARED, 'repositories: {include: [shop]}')
  expect(before.flatMap(commentsOn)).toEqual([])
  service.clock.advance(60_000)
  expect(commentsOn(await open('c'))).toHaveLength(1)
})

describe('an invalid file', () => {
  beforeEach(async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
  })

  test('leaves the last valid settings in force', async () => {
    await write(SHARED, 'comment: {budget: 7}')
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('is reported on the pushed commit and for its own repository', async () => {
    const sha = await write(SHARED, 'comment: {budget: 7}')
    const runs = github
      .at(SHARED)
      .checkRuns()
      .filter(({ head_sha }) => head_sha === sha)
    expect(runs).toMatchObject([{ conclusion: 'neutral' }])
    expect((await settingsOf(SHARED)).errors).toMatchObject([{ line: 1, key: 'comment.budget' }])
  })

  test('is reported on the commit even where its own repository is left out', async () => {
    await write(SHARED, 'repositories: {include: [shop]}')
    const sha = await write(SHARED, 'repositories: {include: 7}')
    const runs = github.at(SHARED).checkRuns()
    expect(runs.filter(({ head_sha }) => head_sha === sha)).toHaveLength(1)
  })

  test('is not quoted to callers of other repositories', async () => {
    await write(SHARED, 'repositories: {include: [secret/name]}')
    expect((await settingsOf(SHOP)).errors).toEqual([])
  })
})

test('the names in a file are not shown with the settings of another repository', async () => {
  github.at(SHARED).write(SETTINGS, 'repositories: {exclude: [secret-name]}')
  await install()
  expect(JSON.stringify(await settingsOf(SHOP))).not.toContain('secret')
})
