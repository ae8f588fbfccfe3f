/** What runs first: live work before imports, and writes at their pace (docs/contract/organisations.md#queue). */
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppService, startAppService } from '../support/app-service.ts'
import { type FakeGithub, fakeGithub } from '../support/github.ts'
import { installationEvent, installationRepositoriesEvent, pullRequestEvent } from '../support/webhooks.ts'

/** More than an instance imports at the same time. */
const IMPORTED = 6
const SECOND_MS = 1000
/** Where people work while other repositories are imported. */
const LIVE = 'acme/shop'

let github: FakeGithub
let service: AppService

afterEach(() => service.reset())

async function start(options: Parameters<typeof startAppService>[1] = {}): Promise<void> {
  github = fakeGithub()
  service = await startAppService(github, options)
}
async function stop(): Promise<void> {
  await service.close()
  github.close()
}

let next_id = 1000
function addRepositories(
  owner: string,
  count: number,
  pulls = 1,
  fileOf = (_number: number) => 'src/pay.ts',
): string[] {
  return Array.from({ length: count }, (_, index) => {
    next_id += 1
    const full_name = `${owner}/big-${index}`
    github.repository({ id: next_id, full_name })
    for (let number = 1; number <= pulls; number += 1)
      github.at(full_name).open({ files: [fileOf(number)], head: `b${number}`, author: `author-${number}` })
    return full_name
  })
}

/** Installs the App and delivers the event, without running jobs. */
async function install(repositories: string[]): Promise<void> {
  const installation = github.app.install({ repositories })
  expect(await service.deliver(installationEvent(github, installation, 'created'))).toMatchObject({
    status: 202,
  })
}

/** Opens a pull request in the live repository that conflicts with another one, and delivers the event. */
async function push(author: string): Promise<number> {
  const { number } = github.at(LIVE).open({ files: ['src/pay.ts'], author, head: author })
  expect(await service.deliver(pullRequestEvent(github, LIVE, number, 'opened'))).toMatchObject({
    status: 202,
  })
  return number
}

const addLive = () => {
  next_id += 1
  github.repository({ id: next_id, full_name: LIVE })
}
const commentsOn = (number: number) => github.at(LIVE).comments(number).length
const routes = () => github.requests().map(({ route }) => route)

describe('beside an import that waits for GitHub', () => {
  beforeAll(() => start({ has_workers: true, job_poll_ms: 20 }))
  afterAll(stop)

  test('a push gets its comment', async () => {
    addLive()
    await install([LIVE])
    const before = await push('ben')
    await expect.poll(() => routes()).toContain(`GET /repos/${LIVE}/pulls/${before}/files`)
    const release = github.hold('GET /repos/acme/big-*/pulls')
    await install(addRepositories('acme', IMPORTED))
    await expect.poll(() => github.calls('GET /repos/acme/big-*/pulls')).toBe(4)
    const number = await push('ada')
    await expect.poll(() => commentsOn(number)).toBe(1)
    expect(github.calls('GET /repos/acme/big-*/pulls')).toBe(4)
    release()
    await expect.poll(() => github.calls('GET /repos/acme/big-*/pulls')).toBe(IMPORTED)
  })
})

describe('in the queue', () => {
  beforeAll(() => start())
  afterAll(stop)
  beforeEach(() => {
    service.clock.now = new Date()
  })

  test('an import begins with the repositories that were pushed to last', async () => {
    const dayOf = (index: number) => (index * 2) % 5
    const names = addRepositories('delta', 5)
    for (const [index, full_name] of names.entries()) {
      const { id } = github.state.repositories.find((each) => each.full_name === full_name) as { id: number }
      github.repository({ id, full_name, pushed_at: `2026-01-${10 + dayOf(index)}T08:00:00Z` })
    }
    await install(names)
    await service.runDueJobs()
    const lists = routes().flatMap((route) => /^GET \/repos\/(delta\/big-\d+)\/pulls$/.exec(route)?.[1] ?? [])
    const days = names.map((full_name, index) => ({ full_name, day: dayOf(index) }))
    expect(lists).toEqual(days.toSorted((a, b) => b.day - a.day).map(({ full_name }) => full_name))
  })

  test('an import leaves half of the rate limit to live work', async () => {
    const before = github.calls('GET /repos/acme/big-*/pulls')
    addLive()
    await install([LIVE])
    await push('ben')
    await service.runDueJobs()
    github.leaveCalls(2500)
    await push('eve')
    await service.runDueJobs()
    await install(addRepositories('acme', 3))
    const number = await push('ada')
    await service.runDueJobs()
    expect(commentsOn(number)).toBe(1)
    const imported = () => github.calls('GET /repos/acme/big-*/pulls') - before
    expect(imported()).toBe(0)
    github.leaveCalls(5000)
    service.clock.advance(31 * 60 * SECOND_MS)
    await service.runDueJobs()
    expect(imported()).toBe(3)
    // The pull requests show whose they are, also half an hour after the list of repositories.
    expect(routes().filter((route) => /acme\/big-\d$/.test(route))).toEqual([])
  })

  test('an import rechecks each pull request once, when it is done', async () => {
    const pulls = 3
    const [full_name = ''] = addRepositories('gamma', 1, pulls)
    const from = service.log.length
    await install([full_name])
    await service.runDueJobs()
    const kinds = service.log
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'job')
      .map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'recheck')).toHaveLength(pulls)
    expect(kinds.indexOf('recheck')).toBeGreaterThan(kinds.lastIndexOf('pull_request'))
    expect(kinds.lastIndexOf('change')).toBeLessThan(kinds.indexOf('recheck'))
  })
})

describe('writes of an installation', () => {
  beforeAll(() => start({ paces_writes: true }))
  afterAll(stop)
  beforeEach(() => {
    service.clock.now = new Date()
  })

  const comments = () => github.calls(`POST /repos/${LIVE}/issues/*/comments`, 201)

  test('wait for their turn in the queue, while reads go on', async () => {
    addLive()
    await install([LIVE])
    await push('ben')
    await service.runDueJobs()
    const pushed = ['ada', 'eve', 'kim']
    const numbers: number[] = []
    for (const author of pushed) numbers.push(await push(author))
    const made: number[] = []
    for (let second = 0; second < 5; second += 1) {
      await service.runDueJobs()
      made.push(comments())
      service.clock.advance(SECOND_MS)
    }
    expect(made).toEqual([1, 2, 3, 3, 3])
    for (const number of numbers) expect(github.calls(`GET /repos/${LIVE}/pulls/${number}/files`)).toBe(1)
    expect(numbers.map(commentsOn)).toEqual([1, 1, 1])
  })
})

describe('imports of an installation', () => {
  beforeAll(() => start({ paces_writes: true, has_workers: true, job_poll_ms: 20 }))
  afterAll(stop)

  test('make 100 calls at once and then one in 120 ms, those of live work included, which goes on', async () => {
    service.clock.now = new Date()
    addLive()
    const added = addRepositories('acme', 6, 19, (number) => `src/${number}.ts`)
    const installation = github.app.install({ repositories: [LIVE, ...added] })
    const open = async (number: number) => {
      github.at(LIVE).open({ files: [`src/${number}.ts`], author: `author-${number}`, head: `b${number}` })
      await service.deliver(pullRequestEvent(github, LIVE, number, 'opened'))
    }
    for (let number = 1; number <= 10; number += 1) await open(number)
    await expect.poll(() => github.calls(`GET /repos/${LIVE}/pulls/*/files`)).toBe(10)
    await service.deliver(installationRepositoriesEvent(github, installation, 'added', added))
    const calls = () => github.calls('GET /repos/acme/big-*/pulls*')
    await expect.poll(calls).toBeGreaterThan(30)
    await open(11)
    await expect.poll(() => github.calls(`GET /repos/${LIVE}/pulls/*/files`)).toBe(11)
    await setTimeout(2 * SECOND_MS)
    expect(calls()).toBeLessThanOrEqual(90)
    service.clock.advance(15 * SECOND_MS)
    await expect.poll(() => github.calls('GET /repos/acme/big-*/pulls/*/files')).toBe(6 * 19)
  })
})
