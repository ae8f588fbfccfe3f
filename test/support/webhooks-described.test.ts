/** The fake GitHub sends webhooks as GitHub describes them, for github.com and for Enterprise Server. */
import { describe, expect, test } from 'vitest'
import { HANDLED } from '../../src/server/doors/webhooks/github-events.ts'
import { filledWorld } from './filled-github.ts'
import { githubJudge, PLATFORMS, type Platform } from './github-schemas.ts'
import type { Installation } from './github-state.ts'
import type { Webhook } from './webhook-payload.ts'
import {
  commentEvent,
  INSTALLATION_ACTIONS,
  installationEvent,
  installationRepositoriesEvent,
  PULL_ACTIONS,
  type PullAction,
  type PullDetails,
  pullRequestEvent,
  pushEvent,
  REPOSITORY_ACTIONS,
  refEvent,
  repositoryEvent,
} from './webhooks.ts'
import {
  MEMBER_ACTIONS,
  memberEvent,
  membershipEvent,
  organizationEvent,
  teamEvent,
} from './webhooks-access.ts'

const ZERO = '0'.repeat(40)
const PUSH = { before: 'a'.repeat(40), after: 'b'.repeat(40) }

const DETAILS: Partial<Record<PullAction, Omit<PullDetails, 'action'>>> = {
  synchronize: { push: PUSH },
  edited: { from: { title: 'Add b', base: 'next' } },
  labeled: { label: 'bug' },
  unlabeled: { label: 'bug' },
}

/** GitHub does not describe the merge queue for Enterprise Server. */
const UNDESCRIBED: Record<Platform, string[]> = {
  'github.com': [],
  'Enterprise Server 3.19': ['pull_request.enqueued', 'pull_request.dequeued'],
}

describe.each(PLATFORMS)('the webhooks of the fake GitHub, by the description of %s', (platform) => {
  const judge = githubJudge(platform)
  const built = deliveries(platform)

  test.each(built.filter(({ name }) => !UNDESCRIBED[platform].includes(name)))('$title', ({ webhook }) => {
    expect(judge.deliveryProblems(webhook.event, webhook.payload)).toEqual([])
  })

  test('the merge queue is the only part that is not described', () => {
    const names = [...new Set(built.map(({ name }) => name))]
    expect(names.filter((name) => !judge.deliveries.includes(name))).toEqual(UNDESCRIBED[platform])
  })

  test.each(HANDLED)('the event %s, which the service receives, has a test', (event) => {
    expect(built.map(({ webhook }) => webhook.event)).toContain(event)
  })
})

function deliveries(platform: Platform): { name: string; title: string; webhook: Webhook }[] {
  const github = filledWorld(platform)
  const installation = github.state.app.installations[0] as Installation
  const webhooks: [string, Webhook][] = [
    ...PULL_ACTIONS.map((action): [string, Webhook] => [
      'an open pull request',
      pullRequestEvent(github, 'acme/shop', 1, { action, ...DETAILS[action] }),
    ]),
    ['a merged pull request', pullRequestEvent(github, 'acme/shop', 3, 'closed')],
    ['a pull request whose fork was deleted', pullRequestEvent(github, 'acme/shop', 6, 'closed')],
    ['a comment', commentEvent(github, 'acme/shop', 1, { id: 17, action: 'deleted' })],
    ['a commit', pushEvent(github, 'acme/shop', { ref: 'refs/heads/main', ...PUSH, modified: ['a.ts'] })],
    ['a new branch', pushEvent(github, 'acme/shop', { ref: 'refs/heads/next', commits: [PUSH.before] })],
    ['a deleted branch', pushEvent(github, 'acme/shop', { ref: 'refs/heads/old', ...PUSH, after: ZERO })],
    ['a tag', pushEvent(github, 'acme/shop', { ref: 'refs/tags/v1' })],
    ['a branch', refEvent(github, 'acme/shop', 'create', { branch: 'next' })],
    ['a branch', refEvent(github, 'acme/shop', 'delete', { branch: 'next' })],
    ['a tag', refEvent(github, 'acme/shop', 'delete', { tag: 'v1' })],
    ...INSTALLATION_ACTIONS.map((action) => plain(installationEvent(github, installation, action))),
    ...(['added', 'removed'] as const).flatMap((action) => [
      plain(installationRepositoriesEvent(github, installation, action, ['acme/shop'])),
      plain(membershipEvent(github, 'acme', action, 'alice')),
    ]),
    ...REPOSITORY_ACTIONS.map((action) =>
      plain(repositoryEvent(github, 'acme/shop', action, 'globex/store')),
    ),
    ...MEMBER_ACTIONS.map((action) => plain(memberEvent(github, 'acme/shop', action, 'alice'))),
    plain(teamEvent(github, 'acme', 'acme/shop')),
    plain(organizationEvent(github, 'acme', 'alice')),
  ]
  return webhooks.map(([of, webhook]) => {
    const { action } = webhook.payload
    const name = action === undefined ? webhook.event : `${webhook.event}.${action}`
    return { name, title: `${name} of ${of}`, webhook }
  })
}

const plain = (webhook: Webhook): [string, Webhook] => ['acme', webhook]
