/** What repositories cost in which nothing happens (docs/contract/organisations.md#cost-at-rest). */
import { beforeAll, describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/server/github/repository-calls.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/vocabulary/clock.ts'
import { startAppService, useAppService } from '../support/app-service.ts'
import { forTest } from '../support/use-started.ts'
import { installationEvent, pushEvent } from '../support/webhooks.ts'

const REPOSITORIES = 3
/** Pull requests on a page of GitHub's list. */
const PAGE = 5
const OWNER = 'acme'
const list_limits = { ...LIST_LIMITS, page: PAGE }

const { github, service } = useAppService({ list_limits }, async () => {})
// Ids that are as far apart as those of a real organisation.
const names = Array.from({ length: REPOSITORIES }, (_, index) => {
  const full_name = `${OWNER}/r${index}`
  github.repository({ id: 1_000_003 + index * 7919, full_name })
  return full_name
})
const [full_name, second_name] = names as [string, string]
github.token('ada', {
  login: 'ada',
  id: 1,
  permissions: Object.fromEntries(names.map((name) => [name, 'write'])),
})

async function install(): Promise<void> {
  await service.reset()
  service.clock.now = new Date()
  await service.enqueueFirstJobs()
  await service.deliverAndRun(installationEvent(github, github.app.install({ account: OWNER }), 'created'))
}
const openPull = (name: string, index = 0) =>
  github.at(name).open({ files: [`src/${index}.ts`], head: `b${index}`, author: `author-${index}` }).number
const createActivity = async (name: string, body: object) => {
  const fields = { title: 'Retry', summary: 'Twice.', actor: 'Ben', scope: { paths: ['src/a.ts'] } }
  const created = await service.api('POST', `/api/v1/repos/${name}/activity`, {
    body: { ...fields, ...body },
  })
  expect(created.status).toBe(201)
}
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

test('a branch that exists costs nothing', async () => {
  await install()
  await createActivity(second_name, { branch: 'retry' })
  await service.deliverAndRun(pushEvent(github, second_name, github.at(second_name).push('retry')))
  const asked = () => github.requests(`GET /repos/${second_name}/branches/retry`).map(({ status }) => status)
  await pass(2 * HOUR_MS, HOUR_MS)
  expect(asked()).toEqual([200, 304])
})

// The tests of each group go on where the one before it stopped.
describe('a repository without live work', () => {
  const callsInThreeHours = async (name: string) => {
    const list = `GET /repos/${name}/pulls`
    const before = github.calls(list)
    await pass(3 * HOUR_MS, HOUR_MS)
    return github.calls(list) - before
  }

  beforeAll(async () => {
    await install()
    await pass(8 * DAY_MS, 8 * DAY_MS)
  })

  test('is asked once a day after a week without a delivery', async () => {
    const from = requests().length
    await pass(DAY_MS, HOUR_MS)
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
  })

  test('is asked hourly again after a delivery', async () => {
    await service.deliverAndRun(pushEvent(github, full_name, { ref: 'refs/heads/x' }))
    expect(await callsInThreeHours(full_name)).toBe(3)
  })

  test('is asked hourly again with a live activity', async () => {
    await createActivity(second_name, {})
    expect(await callsInThreeHours(second_name)).toBe(3)
  })
})

describe('unchanged repositories', () => {
  beforeAll(async () => {
    for (const name of names) openPull(name)
    await install()
    await pass(HOUR_MS, 15 * MINUTE_MS)
  })

  test('cost nothing of the rate limit, and are asked at different times of the hour', async () => {
    const counts: number[] = []
    const before = requests().length
    for (let passed = 0; passed < HOUR_MS; passed += 5 * MINUTE_MS) {
      const from = requests().length
      await pass(5 * MINUTE_MS)
      counts.push(requests().length - from)
    }
    expect(statuses(before)).toEqual({ 304: 3 * REPOSITORIES })
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  test('are not asked again after a restart within their turn, and later with the stored ETags', async () => {
    const { database_url } = service.app.config
    const second = await forTest(startAppService(github, { config: { database_url }, list_limits }))
    second.clock.now = service.clock.now
    const from = requests().length
    await second.runDueJobs()
    expect(statuses(from)).toEqual({})
    await pass(HOUR_MS, 5 * MINUTE_MS, second)
    expect(statuses(from)).toEqual({ 304: 3 * REPOSITORIES })
  })
})

describe('a repository with more than one page of pull requests', () => {
  const lists = (from: number) =>
    requests()
      .slice(from)
      .filter(({ route }) => route === `GET /repos/${full_name}/pulls`)
      .map(({ status }) => status)

  // One is open already.
  beforeAll(async () => {
    for (let index = 1; index < PAGE + 1; index += 1) openPull(full_name, index)
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
    const { body } = await service.api('GET', `/api/v1/repos/${full_name}/activity?branch=b0`)
    expect(body.items).toEqual([])
  })
})
