/** What repositories cost in which nothing happens (docs/contract/organisations.md#cost-at-rest). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/server/github/list-limits.ts'
import { type AppService, startAppService } from '../support/app-service.ts'
import { type FakeGithub, fakeGithub } from '../support/github.ts'
import { installationEvent, pullRequestEvent, pushEvent } from '../support/webhooks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const REPOSITORIES = 3
/** Pull requests on a page of GitHub's list. */
const PAGE = 5
const OWNER = 'acme'

let github: FakeGithub
let service: AppService
let names: string[]

beforeEach(async () => {
  github = fakeGithub()
  // Ids that are as far apart as those of a real organisation.
  names = Array.from({ length: REPOSITORIES }, (_, index) => {
    const full_name = `${OWNER}/r${index}`
    github.repository({ id: 1_000_003 + index * 7919, full_name })
    return full_name
  })
  service = await startAppService(github, { list_limits: { ...LIST_LIMITS, page: PAGE } })
  service.clock.now = new Date()
})
afterEach(async () => {
  await service.close()
  github.close()
})

async function install(): Promise<void> {
  await service.deliverAndRun(installationEvent(github, github.app.install({ account: OWNER }), 'created'))
}
const openPull = (full_name: string, index = 0) =>
  github.at(full_name).open({ files: [`src/${index}.ts`], head: `b${index}`, author: `author-${index}` })
    .number
async function pass(ms: number, step_ms = 5 * MINUTE_MS, of = service): Promise<void> {
  for (let passed = 0; passed < ms; passed += step_ms) {
    of.clock.advance(step_ms)
    await of.runDueJobs()
  }
}
const requests = () => github.requests('* /repos/*')
/** The statuses of the requests since the first `from`, each with its count. */
function statuses(from: number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of requests().slice(from)) counts[`${status}`] = (counts[`${status}`] ?? 0) + 1
  return counts
}

describe('unchanged repositories', () => {
  beforeEach(async () => {
    for (const full_name of names) openPull(full_name)
    await install()
    await pass(HOUR_MS, 15 * MINUTE_MS)
  })

  test('cost nothing of the rate limit', async () => {
    const from = requests().length
    await pass(HOUR_MS)
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
  })

  test('are asked at different times of the hour', async () => {
    const counts: number[] = []
    for (let passed = 0; passed < HOUR_MS; passed += 5 * MINUTE_MS) {
      const from = requests().length
      await pass(5 * MINUTE_MS)
      counts.push(requests().length - from)
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 * REPOSITORIES)
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  test('are not asked again after a restart within their turn, and later with the stored ETags', async () => {
    await service.stop()
    const { database_url } = service.app.config
    const second = await startAppService(github, {
      config: { database_url },
      list_limits: { ...LIST_LIMITS, page: PAGE },
    })
    second.clock.now = service.clock.now
    const from = requests().length
    await second.runDueJobs()
    expect(statuses(from)).toEqual({})
    await pass(HOUR_MS, 5 * MINUTE_MS, second)
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
    await second.close()
  })

  test('are asked once a turn by several instances', async () => {
    const { database_url } = service.app.config
    const second = await startAppService(github, {
      config: { database_url },
      list_limits: { ...LIST_LIMITS, page: PAGE },
    })
    second.clock.now = service.clock.now
    const from = requests().length
    for (let passed = 0; passed < HOUR_MS; passed += 5 * MINUTE_MS) {
      await pass(5 * MINUTE_MS)
      second.clock.now = service.clock.now
      await second.runDueJobs()
    }
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
    await second.close()
  })
})

describe('a repository without live work', () => {
  test('is asked once a day after a week without a delivery', async () => {
    await install()
    await pass(8 * DAY_MS, DAY_MS)
    const from = requests().length
    await pass(DAY_MS, HOUR_MS)
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
  })

  test.each<[string, (full_name: string) => Promise<unknown>]>([
    [
      'after a delivery',
      (full_name) => service.deliverAndRun(pushEvent(github, full_name, { ref: 'refs/heads/x' })),
    ],
    [
      'with a live activity',
      async (full_name) => {
        github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
        const body = { title: 'Retry', summary: 'Twice.', actor: 'Ben', scope: { paths: ['src/a.ts'] } }
        const created = await service.api('POST', `/api/v1/repos/${full_name}/activity`, { body })
        expect(created.status).toBe(201)
      },
    ],
  ])('is asked hourly again %s', async (_, happen) => {
    await install()
    await pass(8 * DAY_MS, DAY_MS)
    const [full_name = ''] = names
    await happen(full_name)
    const list = `GET /repos/${full_name}/pulls`
    const before = github.calls(list)
    await pass(3 * HOUR_MS, HOUR_MS)
    expect(github.calls(list) - before).toBe(3)
  })
})

describe('a repository with more than one page of pull requests', () => {
  const full_name = `${OWNER}/r0`
  const lists = (from: number) =>
    requests()
      .slice(from)
      .filter(({ route }) => route === `GET /repos/${full_name}/pulls`)
      .map(({ status }) => status)

  beforeEach(async () => {
    for (let index = 0; index < PAGE + 1; index += 1) openPull(full_name, index)
    await install()
    await pass(HOUR_MS, HOUR_MS)
  })

  test('costs nothing if no page changed', async () => {
    const from = requests().length
    await pass(HOUR_MS, HOUR_MS)
    expect(lists(from)).toEqual([304, 304])
  })

  test('finds what a missed delivery changed on the second page', async () => {
    github.at(full_name).close(1)
    const from = requests().length
    await pass(HOUR_MS, HOUR_MS)
    expect(lists(from)).toEqual([304, 200, 200])
    const { body } = await activityOf(1)
    expect(body.items).toEqual([])
  })

  async function activityOf(number: number) {
    github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
    return service.api('GET', `/api/v1/repos/${full_name}/activity?branch=b${number - 1}`)
  }
})

test('a branch that exists costs nothing, and its deletion is found', async () => {
  const [full_name = ''] = names
  await install()
  github.token('ada', { login: 'ada', id: 1, permissions: { [full_name]: 'write' } })
  const scope = { paths: ['src/a.ts'] }
  const body = { title: 'Retry', summary: 'Twice.', actor: 'Ben', branch: 'retry', scope }
  await service.api('POST', `/api/v1/repos/${full_name}/activity`, { body })
  await service.deliverAndRun(pushEvent(github, full_name, github.at(full_name).push('retry')))
  const asked = () => github.requests(`GET /repos/${full_name}/branches/retry`).map(({ status }) => status)
  await pass(2 * HOUR_MS, HOUR_MS)
  expect(asked()).toEqual([200, 304])
  github.at(full_name).deleteBranch('retry')
  await pass(HOUR_MS, HOUR_MS)
  const { body: live } = await service.api('GET', `/api/v1/repos/${full_name}/activity`)
  expect(live.items).toEqual([])
})

test('an event about a pull request is not delayed by rest', async () => {
  const [full_name = ''] = names
  await install()
  await pass(8 * DAY_MS, DAY_MS)
  const number = openPull(full_name)
  await service.deliverAndRun(pullRequestEvent(github, full_name, number, 'opened'))
  expect(github.calls(`GET /repos/${full_name}/pulls/${number}/files`)).toBe(1)
})
