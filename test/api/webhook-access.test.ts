/** Events that change who may do what: cached permissions are dropped at once, on every instance (contract §2). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppService, startAppService } from '../support/app-service.ts'
import { fakeGithub } from '../support/github.ts'
import type { Installation } from '../support/github-state.ts'
import { outcome, WORK } from '../support/routes.ts'
import type { Webhook } from '../support/webhook-payload.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  repositoryEvent,
} from '../support/webhooks.ts'
import { memberEvent, membershipEvent, organizationEvent, teamEvent } from '../support/webhooks-access.ts'

const isAlone = process.env.TEST_DATABASE_KIND === 'embedded'

const github = fakeGithub()
const instances: AppService[] = []
/** An account of each test's own: what an earlier event drops late is another one's. */
let owner: string
let shop: string
let installation: Installation
let token: string
let tests = 0

beforeAll(async () => {
  github.repository({ id: 8, full_name: 'umbrella/lab' })
  const first = await startAppService(github)
  instances.push(first)
  const { database_url } = first.app.config
  if (!isAlone) instances.push(await startAppService(github, { config: { database_url } }))
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
  github.close()
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
  outcome(await instance.api('POST', `/api/v1/repos/${full_name}/activity`, { body: WORK, token }))
/** What every instance answers, in their order. */
const everywhere = (full_name?: string) =>
  Promise.all(instances.map((instance) => write(instance, full_name)))
const all = (answer: string) => instances.map(() => answer)

const EVENTS: [string, () => Webhook][] = [
  ['member removed', () => memberEvent(github, shop, 'removed', 'ada')],
  ['member edited', () => memberEvent(github, shop, 'edited', 'ada')],
  ['membership removed', () => membershipEvent(github, owner, 'removed', { login: 'ada' })],
  [
    'team removed from the repository',
    () => teamEvent(github, owner, 'removed_from_repository', { repository: shop }),
  ],
  ['team deleted', () => teamEvent(github, owner, 'deleted')],
  ['organization member removed', () => organizationEvent(github, owner, 'member_removed', { login: 'ada' })],
  ['repository privatized', () => repositoryEvent(github, shop, 'privatized')],
  ['installation suspended', () => installationEvent(github, installation, 'suspend')],
  [
    'installation with other permissions',
    () => installationEvent(github, installation, 'new_permissions_accepted'),
  ],
  ['repository removed', () => installationRepositoriesEvent(github, installation, 'removed', [shop])],
]

describe('after an event', () => {
  test.each(EVENTS)('%s, what was allowed is asked about again on every instance', async (_, event) => {
    expect(await everywhere()).toEqual(all('201'))
    grant('none')
    // The service remembers: only the event makes it ask.
    expect(await everywhere()).toEqual(all('201'))
    expect((await first().deliver(event())).outcome).toBe('accepted')
    await expect.poll(() => everywhere()).toEqual(all('403 forbidden'))
  })

  test.each(EVENTS)('%s, what was refused is asked about again on every instance', async (_, event) => {
    grant('none')
    expect(await everywhere()).toEqual(all('403 forbidden'))
    grant('write')
    expect(await everywhere()).toEqual(all('403 forbidden'))
    await first().deliver(event())
    await expect.poll(() => everywhere()).toEqual(all('201'))
  })

  test('in another case than the address has it, an owner is the same', async () => {
    const spelt = (instance: AppService) => write(instance, shop.toUpperCase())
    expect(await spelt(first())).toBe('201')
    grant('none')
    await first().deliver(memberEvent(github, shop, 'removed', 'ada'))
    await expect.poll(() => spelt(first())).toBe('403 forbidden')
  })

  test('permissions in other accounts are remembered on', async () => {
    expect(await everywhere('umbrella/lab')).toEqual(all('201'))
    expect(await everywhere()).toEqual(all('201'))
    grant('none')
    await first().deliver(memberEvent(github, shop, 'removed', 'ada'))
    await expect.poll(() => everywhere()).toEqual(all('403 forbidden'))
    expect(await everywhere('umbrella/lab')).toEqual(all('201'))
  })

  test('nothing waits for the jobs of the repository', async () => {
    const desk = github.at(shop)
    desk.open({ number: 1 })
    const files = `GET /repos/${shop}/pulls/1/files`
    const release = github.hold(files)
    try {
      await first().deliver(pullRequestEvent(github, shop, 1, 'opened'))
      await expect.poll(() => github.calls(files), { timeout: 10_000 }).toBe(1)
      expect(await everywhere()).toEqual(all('201'))
      grant('none')
      await first().deliver(memberEvent(github, shop, 'removed', 'ada'))
      await expect.poll(() => everywhere()).toEqual(all('403 forbidden'))
    } finally {
      release()
    }
  })
})

test('an unsigned event drops nothing', async () => {
  expect(await everywhere()).toEqual(all('201'))
  const before = github.calls(`GET /repos/${shop}`)
  const { event, payload } = memberEvent(github, shop, 'removed', 'ada')
  const headers = {
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': 'forged-1',
    'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
  }
  const answer = await fetch(`${first().url}/api/github/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify(payload),
  })
  expect(answer.status).toBe(401)
  expect(await everywhere()).toEqual(all('201'))
  expect(github.calls(`GET /repos/${shop}`)).toBe(before)
})
