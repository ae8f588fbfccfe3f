/** Events that change permissions invalidate cached permissions at once, on every instance. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppService, startAppService } from '../support/app-service.ts'
import type { Installation } from '../support/github-state.ts'
import { ACTIVITY, outcome } from '../support/routes.ts'
import { useGithub } from '../support/service.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  repositoryEvent,
} from '../support/webhooks.ts'
import { memberEvent, membershipEvent, organizationEvent, teamEvent } from '../support/webhooks-access.ts'

const github = useGithub([])
const instances: AppService[] = []
/** Each test has its own account, so that late invalidations of earlier tests do not affect it. */
let owner: string
let shop: string
let installation: Installation
let token: string
let tests = 0

beforeAll(async () => {
  github.repository({ id: 8, full_name: 'umbrella/lab' })
  const first = await startAppService(github, { has_workers: true })
  instances.push(first)
  const { database_url } = first.app.config
  instances.push(await startAppService(github, { config: { database_url } }))
})
beforeEach(() => {
  tests += 1
  token = `tok-${tests}`
  owner = `acme-${tests}`
  shop = `${owner}/shop`
  github.repository({ id: 100 + tests, full_name: shop })
  installation = github.app.install({ account: owner })
  grant('write')
})
afterAll(async () => {
  for (const instance of instances.reverse()) await instance.close()
})

function grant(permission: 'none' | 'write'): void {
  github.token(token, {
    login: 'ada',
    id: 1,
    permissions: { [shop]: permission, 'umbrella/lab': permission },
  })
}

const first = () => instances[0] as AppService
const write = async (instance: AppService, full_name = shop) =>
  outcome(await instance.api('POST', `/api/v1/repos/${full_name}/activity`, { body: ACTIVITY, token }))
/** The outcome on each instance, in their order. */
const everywhere = (full_name?: string) =>
  Promise.all(instances.map((instance) => write(instance, full_name)))
const all = (answer: string) => instances.map(() => answer)

const EVENTS: [string, () => Webhook][] = [
  ['member removed', () => memberEvent(github, shop, 'removed', 'ada')],
  ['membership removed', () => membershipEvent(github, owner, 'removed', 'ada')],
  ['team removed from the repository', () => teamEvent(github, owner, shop)],
  ['organization member removed', () => organizationEvent(github, owner, 'ada')],
  ['repository privatized', () => repositoryEvent(github, shop, 'privatized')],
  ['installation suspended', () => installationEvent(github, installation, 'suspend')],
  ['repository removed', () => installationRepositoriesEvent(github, installation, 'removed', [shop])],
]

describe('after an event', () => {
  // Threat: A token that lost access
  test.each(EVENTS)('%s, a positive answer is revalidated', async (_, event) => {
    expect(await write(first())).toBe('201')
    grant('none')
    // The answer is cached: only the event causes a new call.
    expect(await write(first())).toBe('201')
    expect((await first().deliver(event())).outcome).toBe('accepted')
    await expect.poll(() => write(first())).toBe('403 forbidden')
  })

  test('a negative answer is revalidated on every instance', async () => {
    grant('none')
    expect(await everywhere()).toEqual(all('403 forbidden'))
    grant('write')
    expect(await everywhere()).toEqual(all('403 forbidden'))
    await first().deliver(memberEvent(github, shop, 'added', 'ada'))
    await expect.poll(() => everywhere()).toEqual(all('201'))
  })

  test('nothing waits for the jobs of the repository', async () => {
    const githubRepo = github.at(shop)
    githubRepo.open({ number: 1 })
    const files = `GET /repos/${shop}/pulls/1/files`
    const release = github.hold(files)
    try {
      await first().deliver(pullRequestEvent(github, shop, 1, 'opened'))
      await expect.poll(() => github.calls(files)).toBe(1)
      expect(await everywhere()).toEqual(all('201'))
      grant('none')
      await first().deliver(memberEvent(github, shop, 'removed', 'ada'))
      await expect.poll(() => everywhere()).toEqual(all('403 forbidden'))
    } finally {
      release()
    }
  })
})

describe('a positive answer that predates an event', () => {
  const TTL_MS = 60_000
  const route = () => `GET /repos/${shop}`
  const probes = () => [`${owner}/probe`, `${owner}-new/probe`]

  beforeEach(async () => {
    probes().forEach((full_name, index) => {
      github.repository({ id: 50_000 + 2 * tests + index, full_name })
    })
    grantAll([shop])
    for (const probe of probes()) expect(await write(first(), probe)).toBe('201')
  })

  function grantAll(names: string[]): void {
    github.users([...names, ...probes()], { ada: 'write' }, () => token)
  }
  /** Removes all permissions and delivers the event. Waits until the instance has handled it, which shows in a new call for another repository. */
  async function removeMember(account = owner): Promise<void> {
    const probe = `${account}/probe`
    // Confirmed a moment ago, so that only the event ends it.
    expect(await write(first(), probe)).toBe('201')
    github.token(token, { login: 'ada', id: 1, permissions: {} })
    await first().deliver(memberEvent(github, probe, 'removed', 'ada'))
    await expect.poll(() => write(first(), probe)).toBe('403 forbidden')
  }
  /** A request whose call GitHub has received and whose response is held back. */
  async function asking(path: string, hold: 'hold' | 'holdAnswers' = 'holdAnswers') {
    const before = github.calls(path)
    const release = github[hold](path)
    const answer = write(first())
    await expect.poll(() => github.calls(path)).toBe(before + 1)
    return { answer, release }
  }
  /** The early request is answered; a later one, and all after it, do not use that answer. */
  async function expectOutdated(early: Awaited<ReturnType<typeof asking>>, late: Promise<string>) {
    early.release()
    expect(await early.answer).toBe('201')
    expect([await late, await write(first())]).toEqual(Array(2).fill('403 forbidden'))
  }

  // Threat: A token that lost access
  test.each([
    ['the first time', false],
    ['again', true],
  ])('while GitHub is asked %s is not reused, and later callers ask again', async (_, again) => {
    if (again) {
      expect(await write(first())).toBe('201')
      first().clock.advance(TTL_MS + 1)
    }
    const early = await asking(route())
    await removeMember()
    const before = github.calls(route())
    const late = write(first())
    await expect.poll(() => github.calls(route())).toBe(before + 1)
    await expectOutdated(early, late)
  })

  // Threat: A token that lost access
  test('is not used while GitHub is unavailable', async () => {
    expect(await write(first())).toBe('201')
    first().clock.advance(TTL_MS + 1)
    await removeMember()
    github.fault(route(), 'server_error')
    expect(await write(first())).toBe('503 service_unavailable')
  })

  test('is not used for an earlier caller when GitHub fails after the event', async () => {
    expect(await write(first())).toBe('201')
    first().clock.advance(TTL_MS + 1)
    github.fault(route(), 'server_error')
    const early = await asking(route(), 'hold')
    await removeMember()
    early.release()
    expect(await early.answer).toBe('503 service_unavailable')
  })

  test('is not reused under a former name after an event of the present owner', async () => {
    github.rename(shop, `${owner}-new/shop`)
    grantAll([`${owner}-new/shop`])
    expect(await write(first())).toBe('201')
    first().clock.advance(TTL_MS + 1)
    const early = await asking(`GET /repositories/${100 + tests}`)
    await removeMember(`${owner}-new`)
    await expectOutdated(early, write(first()))
  })
})

// Threat: A token that lost access
test('after a transfer, answers of the former owner are revalidated', async () => {
  const elsewhere = `${owner}/elsewhere`
  github.repository({ id: 50_000 + tests, full_name: elsewhere })
  github.token(token, { login: 'ada', id: 1, permissions: { [shop]: 'write', [elsewhere]: 'write' } })
  expect(await everywhere()).toEqual(all('201'))
  expect(await everywhere(elsewhere)).toEqual(all('201'))
  github.rename(shop, `${owner}-new/shop`)
  github.token(token, { login: 'ada', id: 1, permissions: {} })
  await first().deliver(repositoryEvent(github, `${owner}-new/shop`, 'transferred', shop))
  await expect.poll(() => everywhere()).toEqual(all('403 forbidden'))
  await expect.poll(() => everywhere(elsewhere)).toEqual(all('403 forbidden'))
})
