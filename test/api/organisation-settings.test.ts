/** The settings file of an organisation: which repositories it reaches, when, and what their own files decide. */
import { beforeEach, describe, expect, test } from 'vitest'
import { purgeRepository } from '../../src/server/operations/admin/purge-store.ts'
import { useAppService } from '../support/app-service.ts'
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
const HOUR_MS = 3_600_000

const { github, service } = useAppService()
/** The organisation of the current test, and its repositories. */
let owner: string
let SHARED: string
let SHOP: string
let TILL: string
let LATER: string
let installation: Installation
/** The id of the repository with the shared settings; those of the others follow. */
let id = 0

beforeEach(async () => {
  id += 1000
  owner = `acme-${id}`
  const names = ['.github', 'shop', 'till'].map((name) => `${owner}/${name}`) as [string, string, string]
  ;[SHARED, SHOP, TILL] = names
  LATER = `${owner}/later`
  for (const [index, full_name] of names.entries()) github.repository({ id: id + index, full_name })
  github.token('ada', {
    login: 'ada',
    id: 1,
    permissions: Object.fromEntries([...names, LATER, 'other/shop'].map((name) => [name, 'write'])),
  })
  installation = github.app.install({ account: owner })
  service.clock.now = new Date()
  await service.enqueueFirstJobs()
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
const commentsOn = (number: number) =>
  github
    .at(SHOP)
    .comments(number)
    .filter(({ app }) => app === github.app.slug)

describe('the file of an organisation holds for its repositories', () => {
  test('in the counts of the overview', async () => {
    await install()
    const work = { title: 'Docs', summary: 'Docs.', actor: 'ben', scope: { paths: ['docs/a.md'] } }
    for (const _ of [1, 2]) await service.api('POST', `/api/v1/repos/${SHOP}/activity`, { body: work })
    const counted = async () => (await service.api('GET', '/api/v1/repos')).body.items[0].collisions.medium
    expect(await counted()).toBe(1)
    await write(SHARED, 'ignore_paths: [docs/**]')
    service.clock.advance(30_000)
    expect(await counted()).toBe(0)
  })

  test('when the App is installed, and not for repositories of other owners', async () => {
    github.repository({ id: id + 300, full_name: 'other/shop' })
    github.app.install({ account: 'other' })
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
    const budgets = [await budgetOf(SHOP), await budgetOf(TILL), await budgetOf('other/shop')]
    expect(budgets).toEqual([0.05, 0.05, 0.15])
  })

  test('on the first request to one of them, if no delivery came before', async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('on the first event of one of them, before anything is posted, although GitHub answers 404 for a moment', async () => {
    github.at(SHARED).write(SETTINGS, 'track_pull_requests: false')
    github.fault(`GET /repos/${SHARED}*`, 'not_found', 1)
    github.fault('GET /installation/repositories', 'unavailable', 1)
    const { number } = github.at(SHOP).open({ files: ['src/pay.ts'] })
    await service.deliver(pullRequestEvent(github, SHOP, number, 'opened'))
    await service.runDueJobs()
    service.clock.advance(HOUR_MS)
    github.clearFaults()
    expect(await service.runDueJobs()).toEqual([])
    expect((await service.api('GET', `/api/v1/repos/${SHOP}/activity`)).body.items).toEqual([])
  })

  test('after a push that changes it, which calls GitHub for its own repository only', async () => {
    await install()
    const from = github.requests().length
    await write(SHARED, 'comment: {budget: 0.05}')
    const asked = github.requests().slice(from)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(({ route }) => !route.includes(SHARED))).toEqual([])
    expect(await budgetOf(SHOP)).toBe(0.05)
    await write(SHARED, 'comment: {budget: 0.07}')
    expect(await budgetOf(SHOP)).toBe(0.07)
    expect(await budgetOf(TILL)).toBe(0.07)
  })

  test('also where a repository is added later', async () => {
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    github.repository({ id: id + 200, full_name: LATER })
    await service.deliverAndRun(installationRepositoriesEvent(github, installation, 'added', [LATER]))
    expect(await budgetOf(LATER)).toBe(0.05)
  })

  test('within an hour even if nothing happened for a week', async () => {
    await install()
    await write(SHARED, 'comment: {budget: 0.05}')
    service.clock.advance(8 * 24 * HOUR_MS)
    await service.runDueJobs()
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.07}')
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
    expect(await budgetOf(SHOP)).toBe(0.07)
  })
})

describe('it does not hold any more', () => {
  beforeEach(async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
  })

  test.each([
    ['it', () => write(SHARED, null)],
    ['the repository', () => service.deliverAndRun(repositoryEvent(github, SHARED, 'deleted'))],
  ])('after %s is deleted', async (_, remove) => {
    await remove()
    expect(await budgetOf(SHOP)).toBe(0.15)
  })

  test('after the App is uninstalled, until it is installed again', async () => {
    github.app.uninstall(installation.id)
    await service.deliverAndRun(installationEvent(github, installation, 'deleted'))
    expect(await budgetOf(SHOP)).toBe(0.15)
    installation = github.app.install({ account: owner })
    await install()
    expect(await budgetOf(SHOP)).toBe(0.05)
  })

  test('after everything about the repository was purged', async () => {
    await purgeRepository(service.db, id)
    service.clock.advance(HOUR_MS)
    await service.runDueJobs()
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

describe('repositories names where comments are posted', () => {
  test('whatever the file of the repository says', async () => {
    github.at(SHARED).write(SETTINGS, 'repositories: {exclude: [shop]}')
    github.at(SHOP).write(SETTINGS, 'comment: {mode: on, budget: 0.3}')
    await install()
    const { comment, sources, is_left_out } = await settingsOf(SHOP)
    expect(comment).toMatchObject({ mode: 'shadow', budget: 0.3 })
    expect(sources['comment.mode']).toBe('organisation')
    expect(is_left_out).toBe(true)
    github.at(SHARED).write(SETTINGS, 'comment: {mode: shadow}')
    await install()
    expect((await settingsOf(SHOP)).is_left_out).toBe(false)
  })

  test('but not in the file of a repository', async () => {
    await install()
    await write(SHOP, 'repositories: {include: []}')
    expect(await settingsOf(SHOP)).toMatchObject({ errors: [{ line: 1, key: 'repositories' }] })
  })
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

test.each(['comment: {budget: 7}', 'comment: {bots: ["a\\0"], agents: ["\\uD800"]}'])(
  'the first file, %s, which is invalid, silences repositories without valid settings of their own',
  async (text) => {
    github.at(SHARED).write(SETTINGS, text)
    await install()
    expect((await settingsOf(SHOP)).comment.mode).toBe('shadow')
    await write(SHOP, 'check_run: true')
    expect((await settingsOf(SHOP)).comment.mode).toBe('on')
    await write(SHARED, 'comment: {budget: 0.1}')
    expect(await budgetOf(SHOP)).toBe(0.1)
  },
)

describe('an invalid file', () => {
  beforeEach(async () => {
    github.at(SHARED).write(SETTINGS, 'comment: {budget: 0.05}')
    await install()
  })

  test('leaves the last valid settings in force, and is reported on its commit and for its own repository', async () => {
    const sha = await write(SHARED, 'comment: {budget: 7}')
    expect(await budgetOf(SHOP)).toBe(0.05)
    const runs = github
      .at(SHARED)
      .checkRuns()
      .filter(({ head_sha }) => head_sha === sha)
    expect(runs).toMatchObject([{ conclusion: 'neutral' }])
    expect((await settingsOf(SHARED)).errors).toMatchObject([{ line: 1, key: 'comment.budget' }])
  })

  test('is not quoted to callers of other repositories, nor are the names in a valid one', async () => {
    await write(SHARED, 'repositories: {include: [secret/name]}')
    expect((await settingsOf(SHOP)).errors).toEqual([])
    await write(SHARED, 'repositories: {exclude: [secret-name]}')
    expect(JSON.stringify(await settingsOf(SHOP))).not.toContain('secret')
  })
})
