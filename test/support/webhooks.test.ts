/** The webhooks of the tests look like GitHub's and agree with the REST responses of the fake GitHub. */
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { pino } from 'pino'
import { Probot } from 'probot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeGithub, fakeGithub } from './github.ts'
import type { FakeRepository } from './github-repository.ts'
import type { Installation } from './github-state.ts'
import type { Webhook } from './webhook-payload.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  pullRequestEvent,
  pushEvent,
  refEvent,
  repositoryEvent,
  signedDelivery,
} from './webhooks.ts'
import { memberEvent, membershipEvent, organizationEvent, teamEvent } from './webhooks-access.ts'

const SHOP = 'acme/shop'

let github: FakeGithub
let shop: FakeRepository
let installation: Installation
let probot: Probot

beforeEach(() => {
  github = fakeGithub()
  github.repository({ id: 7, full_name: SHOP })
  github.repository({ id: 8, full_name: 'acme/docs' })
  github.token('tok-alice', { login: 'alice', id: 11, permissions: { [SHOP]: 'read' } })
  shop = github.at(SHOP)
  installation = github.app.install({ repositories: [SHOP] })
  probot = new Probot({
    appId: github.app.id,
    privateKey: github.app.key(),
    secret: 'hush',
    log: pino({ level: 'silent' }),
  })
})
afterEach(() => github.close())

const getJson = async (path: string): Promise<Record<string, unknown>> => {
  const response = await fetch(`https://api.github.com${path}`, {
    headers: { authorization: 'token tok-alice' },
  })
  return (await response.json()) as Record<string, unknown>
}

test('test webhooks are signed so that Probot accepts them, and rejects them once changed', async () => {
  await probot.ready()
  shop.open({ number: 1 })
  const { headers, body } = signedDelivery({
    secret: 'hush',
    ...pullRequestEvent(github, SHOP, 1, 'opened'),
    id: 'd-1',
  })
  expect(headers).toMatchObject({ 'X-GitHub-Delivery': 'd-1', 'X-GitHub-Event': 'pull_request' })
  const signature = headers['X-Hub-Signature-256'] as string
  expect(await probot.webhooks.verify(body, signature)).toBe(true)
  expect(await probot.webhooks.verify(`${body} `, signature)).toBe(false)
  const again = signedDelivery({ secret: 'hush', event: 'ping', payload: {} })
  expect(again.headers['X-GitHub-Delivery']).toMatch(/^[0-9a-f-]{36}$/)
})

test('test webhooks let Probot respond as the installation that they name', async () => {
  shop.open({ number: 1 })
  probot.on('pull_request.opened', async (context) => {
    await context.octokit.rest.issues.createComment(context.issue({ body: 'Seen' }))
  })
  await probot.ready()
  const { event, payload } = pullRequestEvent(github, SHOP, 1, 'opened')
  await probot.receive({ id: 'd-1', name: event, payload } as unknown as Parameters<Probot['receive']>[0])
  expect(shop.comments(1)).toMatchObject([{ body: 'Seen', author: { login: 'deconflict[bot]' } }])
})

describe('test webhooks about a pull request', () => {
  test.each([
    [
      'of a branch',
      () => shop.open({ number: 1, head: 'feat/a', author: 'alice', files: ['a', 'b'], labels: ['x'] }),
    ],
    ['of a fork', () => shop.open({ number: 1, head: 'eve:patch', author: 'eve', draft: true })],
    ['of a deleted fork', () => shop.open({ number: 1, head: 'eve:patch', fork_deleted: true })],
  ])('show the one %s just as REST does', async (_name, open) => {
    open()
    const { payload } = pullRequestEvent(github, SHOP, 1, 'opened')
    expect(payload.pull_request).toMatchObject(await getJson(`/repos/${SHOP}/pulls/1`))
    const {
      permissions: _,
      network_count,
      subscribers_count,
      ...repository
    } = await getJson(`/repos/${SHOP}`)
    expect(payload.repository).toMatchObject(repository)
    expect(payload.repository).not.toMatchObject({ network_count, subscribers_count })
    expect(payload).toMatchObject({
      number: 1,
      installation: { id: installation.id },
      organization: { login: 'acme' },
    })
    expect(JSON.stringify(payload)).not.toContain('Hello-World')
  })

  test('contain the sender and the changes', () => {
    shop.open({ number: 1, title: 'New', author: 'alice' })
    const push = shop.push('feature-1')
    const payload = (
      ...given: Parameters<typeof pullRequestEvent> extends [unknown, ...infer R] ? R : never
    ) => pullRequestEvent(github, ...given).payload
    expect(payload(SHOP, 1, { action: 'synchronize', push })).toMatchObject({
      action: 'synchronize',
      before: push.before,
      after: push.after,
      pull_request: { head: { sha: push.after } },
      sender: { login: 'alice', id: 11 },
    })
    expect(
      payload(SHOP, 1, { action: 'edited', from: { title: 'Old', base: 'next' }, sender: 'bob' }),
    ).toMatchObject({
      action: 'edited',
      changes: { title: { from: 'Old' }, base: { ref: { from: 'next' } } },
      sender: { login: 'bob' },
    })
    for (const action of ['labeled', 'unlabeled'] as const) {
      expect(payload(SHOP, 1, { action, label: 'deconflict:mute' })).toMatchObject({
        action,
        label: { name: 'deconflict:mute' },
      })
    }
    shop.close(1)
    expect(payload(SHOP, 1, 'closed').pull_request).toMatchObject({ state: 'closed', merged: false })
    shop.merge(1)
    expect(payload(SHOP, 1, 'closed').pull_request).toMatchObject({
      merged: true,
      merged_at: expect.any(String),
    })
  })
})

test('test webhooks about a push contain its files, and whether the ref is new or deleted', () => {
  const push = shop.write('.github/deconflict.yml', 'check_run: true\n')
  const { payload } = pushEvent(github, SHOP, { ...push, added: ['.github/deconflict.yml'], sender: 'alice' })
  expect(payload).toMatchObject({
    ref: 'refs/heads/main',
    before: push.before,
    after: push.after,
    created: false,
    deleted: false,
    forced: false,
    commits: [{ id: push.after, added: ['.github/deconflict.yml'], modified: [], removed: [] }],
    head_commit: { id: push.after },
    repository: { id: 7, default_branch: 'main', pushed_at: expect.any(Number) },
    pusher: { name: 'alice' },
  })
  expect(pushEvent(github, SHOP, { ref: 'refs/tags/v1' }).payload).toMatchObject({
    created: true,
    commits: [],
  })
  const gone = pushEvent(github, SHOP, { ref: 'refs/heads/x', before: push.after, after: '0'.repeat(40) })
  expect(gone.payload).toMatchObject({ deleted: true, commits: [], head_commit: null })
})

test('test webhooks about an installation contain its repositories', () => {
  expect(installationEvent(github, installation, 'created').payload).toMatchObject({
    installation: {
      id: installation.id,
      account: { login: 'acme' },
      app_id: github.app.id,
      app_slug: 'deconflict',
    },
    repositories: [{ id: 7, full_name: SHOP, private: true }],
  })
  github.app.suspend(installation.id)
  expect(installationEvent(github, installation, 'suspend').payload).toMatchObject({
    action: 'suspend',
    installation: { suspended_at: expect.any(String), suspended_by: { login: 'acme' } },
  })
  const gone = github.app.uninstall(installation.id)
  expect(installationEvent(github, gone, 'deleted').payload).toMatchObject({ repositories: [{ id: 7 }] })
  const added = installationRepositoriesEvent(github, installation, 'added', ['acme/docs'])
  expect(added.payload).toMatchObject({ repositories_added: [{ id: 8 }], repositories_removed: [] })
  const removed = installationRepositoriesEvent(github, installation, 'removed', [SHOP])
  expect(removed.payload).toMatchObject({ repositories_added: [], repositories_removed: [{ id: 7 }] })
})

test('test webhooks about a repository contain its former values', () => {
  github.rename(SHOP, 'acme/store')
  expect(repositoryEvent(github, 'acme/store', 'renamed', SHOP).payload).toMatchObject({
    repository: { id: 7, full_name: 'acme/store' },
    changes: { repository: { name: { from: 'shop' } } },
  })
  github.rename('acme/store', 'globex/store')
  expect(repositoryEvent(github, 'globex/store', 'transferred', 'acme/store').payload).toMatchObject({
    repository: { id: 7, owner: { login: 'globex' } },
    changes: { owner: { from: { organization: { login: 'acme' } } } },
  })
  expect(repositoryEvent(github, 'globex/store', 'deleted').payload).toMatchObject({
    action: 'deleted',
    repository: { id: 7 },
  })
})

const NOT_ALWAYS = ['organization', 'installation', 'requester', 'changes']

test.each<[string, string, () => Webhook, object]>([
  ['pull_request', 'converted_to_draft', () => pull('converted_to_draft'), { number: 1 }],
  ['pull_request', 'ready_for_review', () => pull('ready_for_review'), { number: 1 }],
  ['pull_request', 'reopened', () => pull('reopened'), { number: 1 }],
  ['push', '', () => pushEvent(github, SHOP, { ref: 'refs/heads/x' }), { ref: 'refs/heads/x' }],
  [
    'create',
    '',
    () => refEvent(github, SHOP, 'create', { branch: 'a/b' }),
    { ref: 'a/b', ref_type: 'branch' },
  ],
  [
    'delete',
    '',
    () => refEvent(github, SHOP, 'delete', { branch: 'a/b' }),
    { ref: 'a/b', ref_type: 'branch' },
  ],
  ['delete', '', () => refEvent(github, SHOP, 'delete', { tag: 'v1' }), { ref: 'v1', ref_type: 'tag' }],
  ['installation', 'unsuspend', () => installationEvent(github, installation, 'unsuspend'), {}],
  ['repository', 'privatized', () => repositoryEvent(github, SHOP, 'privatized'), { repository: { id: 7 } }],
  ['member', 'added', () => memberEvent(github, SHOP, 'added', 'alice'), { member: { id: 11 } }],
  ['member', 'removed', () => memberEvent(github, SHOP, 'removed', 'alice'), { repository: { id: 7 } }],
  [
    'membership',
    'removed',
    () => membershipEvent(github, 'acme', 'removed', { login: 'alice' }),
    { member: { id: 11 } },
  ],
  [
    'team',
    'added_to_repository',
    () => team('added_to_repository'),
    { repository: { id: 7 }, team: { slug: 'builders' } },
  ],
  ['team', 'removed_from_repository', () => team('removed_from_repository'), { repository: { id: 7 } }],
  ['organization', 'member_removed', () => member('member_removed'), { membership: { user: { id: 11 } } }],
])('test webhooks of %s %s have all fields of GitHub’s own', (name, action, build, says) => {
  shop.open({ number: 1 })
  const { event, payload } = build()
  expect(event).toBe(name)
  expect(payload).toMatchObject({ ...(action && { action }), sender: { login: 'octocat' }, ...says })
  const all = (examples as unknown as { name: string; examples: Record<string, unknown>[] }[]).find(
    (known) => known.name === name,
  )?.examples
  const example = all?.find((known) => known.action === action) ?? all?.[0] ?? {}
  const missing = Object.keys(example).filter((key) => !(key in payload) && !NOT_ALWAYS.includes(key))
  expect(missing).toEqual([])
  if (name !== 'installation') expect(payload.installation).toMatchObject({ id: installation.id })
})

function pull(action: 'converted_to_draft' | 'ready_for_review' | 'reopened') {
  return pullRequestEvent(github, SHOP, 1, action)
}
function team(action: 'added_to_repository' | 'removed_from_repository') {
  return teamEvent(github, 'acme', action, { repository: SHOP })
}
function member(action: 'member_removed') {
  return organizationEvent(github, 'acme', action, { login: 'alice' })
}
