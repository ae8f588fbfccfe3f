/** Webhooks as GitHub sends them: its example payloads with the state of the fake GitHub, signed. */
import { createHmac, randomUUID } from 'node:crypto'
import { actorBody, type Json, repositoryBody, selectionOf, webUrl } from './github-bodies.ts'
import { contentsOf, labelBody, pullBody, pullOf } from './github-pulls.ts'
import { digest } from './github-reply.ts'
import { type Installation, installedRepositories, repositoryNamed, timestamp } from './github-state.ts'
import {
  exampleOf,
  installationWebhook,
  organizationBody,
  repositoryWebhook,
  type Source,
  shortBodies,
  type Webhook,
} from './webhook-payload.ts'

/** The request to `POST /api/github/webhooks`. The same `id` again is a redelivery. */
export function signedDelivery(delivery: Webhook & { secret: string; id?: string }) {
  const { secret, event, payload, id = randomUUID() } = delivery
  const body = JSON.stringify(payload)
  const headers: Record<string, string> = {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/0000000',
    'X-GitHub-Delivery': id,
    'X-GitHub-Event': event,
    'X-GitHub-Hook-ID': '1',
    'X-GitHub-Hook-Installation-Target-Type': 'integration',
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  return { headers, body }
}

export const PULL_ACTIONS = [
  'opened',
  'reopened',
  'converted_to_draft',
  'ready_for_review',
  'synchronize',
  'edited',
  // Merged or not, depending on the pull request.
  'closed',
  'labeled',
  'assigned',
  'unassigned',
  'unlabeled',
  'unlocked',
  'enqueued',
  'dequeued',
] as const
export type PullAction = (typeof PULL_ACTIONS)[number]

export interface PullDetails {
  action: PullAction
  /** `synchronize`: the result of `push` or `pushTo`. */
  push?: { before: string; after: string }
  /** `edited`: the former values. */
  from?: { title?: string; base?: string }
  /** `labeled`, `unlabeled`. */
  label?: string
}
/** An action alone, or with more about it. */
export type PullEvent = PullAction | PullDetails

export function pullRequestEvent(
  { state }: Source,
  full_name: string,
  number: number,
  given: PullEvent,
): Webhook {
  const details: PullDetails = typeof given === 'string' ? { action: given } : given
  const { action, push, from, label } = details
  const repository = repositoryNamed(state, full_name)
  const pull = pullOf(state, repository, number)
  const changes = from && {
    ...(from.title !== undefined && { title: { from: from.title } }),
    ...(from.base !== undefined && { base: { ref: { from: from.base }, sha: { from: pull.base.sha } } }),
  }
  const example = exampleOf(state, repository, 'pull_request', action === 'edited' ? 'opened' : action)
  const merged = { ...(example.pull_request as Json), ...pullBody(state, repository, pull) }
  return repositoryWebhook(state, repository, 'pull_request', {
    example,
    action,
    number,
    pull_request: merged,
    sender: actorBody(state, pull.author),
    ...(push && { before: push.before, after: push.after }),
    ...(action === 'edited' && { changes: changes ?? {} }),
    ...(action === 'dequeued' && { reason: 'MANUAL' }),
    ...(label !== undefined && { label: labelBody(state, repository, label) }),
  })
}

const ZERO = '0'.repeat(40)

export interface PushDetails {
  /** `refs/heads/main`, `refs/tags/v1`; with `before` and `after` as `push` returns them. */
  ref: string
  /** Default: the ref is new. */
  before?: string
  /** Zeros for a ref that was deleted. */
  after?: string
  modified?: string[]
  removed?: string[]
  forced?: boolean
  sender?: string
  /** The commits before the last one, the oldest first. */
  commits?: string[]
  /** Of the head commit. */
  message?: string
}

export function pushEvent({ state }: Source, full_name: string, push: PushDetails): Webhook {
  const repository = repositoryNamed(state, full_name)
  const {
    ref,
    before = ZERO,
    after = digest(`${ref} ${before}`).slice(0, 40),
    modified = [],
    removed = [],
    message = 'A commit',
  } = push
  contentsOf(state, repository).messages.set(after, message)
  const sender = push.sender ?? 'octocat'
  const example = exampleOf(state, repository, 'push')
  const isTag = ref.startsWith('refs/tags/')
  const person = { name: sender, email: `${sender}@users.noreply.github.com`, username: sender }
  const commit = {
    ...(example.head_commit as Json),
    id: after,
    message,
    timestamp: timestamp(state.now()),
    url: `${webUrl(state)}/${repository.full_name}/commit/${after}`,
    author: person,
    committer: person,
    added: [],
    modified,
    removed,
  }
  const earlier = (push.commits ?? []).map((id) => ({ ...commit, id, modified: [], removed: [] }))
  const event = repositoryWebhook(state, repository, 'push', {
    example,
    ref,
    before,
    after,
    created: before === ZERO,
    deleted: after === ZERO,
    forced: push.forced ?? false,
    compare: `${webUrl(state)}/${repository.full_name}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: isTag || after === ZERO ? [] : [...earlier, commit],
    head_commit: after === ZERO ? null : commit,
    pusher: { name: sender, email: person.email },
    sender: actorBody(state, { login: sender }),
  })
  // Only push events have these in seconds.
  const body = event.payload.repository as Json
  const seconds = (text: unknown) => Math.floor(Date.parse(String(text)) / 1000)
  Object.assign(body, {
    created_at: seconds(body.created_at),
    pushed_at: seconds(body.pushed_at),
    master_branch: body.default_branch,
  })
  return event
}

/** A comment on a pull request, by its id. */
export function commentEvent(
  { state }: Source,
  full_name: string,
  number: number,
  it: { id: number; action: 'created' | 'deleted'; body?: string; login?: string; created_at?: string },
): Webhook {
  const { id, action, ...written } = it
  const repository = repositoryNamed(state, full_name)
  const example = exampleOf(state, repository, 'issue_comment', action)
  const pull = contentsOf(state, repository).pulls.find((known) => known.number === number)
  return repositoryWebhook(state, repository, 'issue_comment', {
    example,
    action,
    issue: { ...(example.issue as Json), number, user: pull && actorBody(state, pull.author) },
    comment: {
      ...(example.comment as Json),
      id,
      body: written.body ?? '',
      created_at: written.created_at ?? timestamp(new Date()),
      user: actorBody(state, { login: written.login ?? 'octocat' }),
    },
  })
}

/** `create` and `delete` of a branch or a tag, by its short name. */
export function refEvent(
  { state }: Source,
  full_name: string,
  event: 'create' | 'delete',
  given: { branch: string } | { tag: string },
): Webhook {
  const repository = repositoryNamed(state, full_name)
  const [ref_type, ref] = 'branch' in given ? ['branch', given.branch] : ['tag', given.tag]
  return repositoryWebhook(state, repository, event, {
    example: exampleOf(state, repository, event),
    ref,
    ref_type,
    ...(event === 'create' && { master_branch: repositoryBody(state, repository).default_branch }),
  })
}

export const INSTALLATION_ACTIONS = [
  'created',
  'deleted',
  'suspend',
  'unsuspend',
  'new_permissions_accepted',
] as const

export function installationEvent(
  { state }: Source,
  installation: Installation,
  action: (typeof INSTALLATION_ACTIONS)[number],
): Webhook {
  const repositories = shortBodies(state, installedRepositories(state, installation))
  const over = action === 'suspend' || action === 'unsuspend' ? {} : { repositories }
  return installationWebhook(state, installation, 'installation', { action, ...over })
}

export function installationRepositoriesEvent(
  { state }: Source,
  installation: Installation,
  action: 'added' | 'removed',
  names: string[],
): Webhook {
  const repositories = shortBodies(
    state,
    names.map((name) => repositoryNamed(state, name)),
  )
  return installationWebhook(state, installation, 'installation_repositories', {
    action,
    repository_selection: selectionOf(installation),
    ...(action === 'added' && { requester: null }),
    repositories_added: action === 'added' ? repositories : [],
    repositories_removed: action === 'removed' ? repositories : [],
  })
}

export const REPOSITORY_ACTIONS = ['renamed', 'transferred', 'deleted', 'privatized', 'edited'] as const

/** `from` is the former full name, for `renamed` and `transferred`. */
export function repositoryEvent(
  { state }: Source,
  full_name: string,
  action: (typeof REPOSITORY_ACTIONS)[number],
  from = full_name,
): Webhook {
  const repository = repositoryNamed(state, full_name)
  const [owner = '', name] = from.split('/')
  const changes = {
    renamed: { repository: { name: { from: name } } },
    transferred: { owner: { from: { organization: organizationBody(state, owner) } } },
    edited: { default_branch: { from: 'master' } },
  }[action as 'renamed']
  const known = action === 'deleted' ? 'privatized' : action
  const example = exampleOf(state, repository, 'repository', known)
  return repositoryWebhook(state, repository, 'repository', { example, action, ...(changes && { changes }) })
}
