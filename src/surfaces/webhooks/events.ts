/** Translates the events that GitHub delivers into what they mean, and nothing else (contract §2 and §5). */
import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks'
import type { Probot } from 'probot'
import { deleteBranch, pushBranch } from '../../activities/automatic.ts'
import type { App } from '../../context/app.ts'
import { type FollowedRepository, LABELER_PATH, SETTINGS_PATH } from '../../context/following.ts'
import { parsePullRequest } from '../../github/pull-request.ts'
import { ask } from '../../jobs/store.ts'
import {
  installationJob,
  leaveInstallation,
  leaveRepository,
  leaveRepositoryOf,
  repositoryJob,
} from '../../pull-requests/installations.ts'
import {
  openFollowed,
  type PullRequestEvent,
  pullRequestChanged,
  repositoryUnarchived,
  settingsChanged,
} from '../../pull-requests/pull-requests.ts'
import { accessOwnersOf } from './source.ts'

/** The events that are stored; other deliveries are acknowledged and dropped. */
export const HANDLED = [
  'pull_request',
  'push',
  'delete',
  'repository',
  'installation',
  'installation_repositories',
  'member',
  'membership',
  'team',
  'organization',
] as const satisfies EmitterWebhookEventName[]

type HandledName = (typeof HANDLED)[number]

/** A delivery of one of these events, as GitHub describes its payload. */
export type Delivery = EmitterWebhookEvent<HandledName>

export function isHandled(name: string): name is HandledName {
  return HANDLED.some((handled) => handled === name)
}

type PullRequestAction = EmitterWebhookEvent<'pull_request'>['payload']['action']

const PULL_REQUEST_EVENTS: { [Action in PullRequestAction]?: PullRequestEvent } = {
  opened: 'opened',
  reopened: 'reopened',
  converted_to_draft: 'draft',
  ready_for_review: 'draft',
  synchronize: 'files',
  edited: 'edited',
  closed: 'closed',
  unlocked: 'unlocked',
  labeled: 'other',
  unlabeled: 'other',
}

/** GitHub lists at most this many commits of a push; of a larger one, any file may have changed. */
const COMMITS_LISTED = 2048

/** Registers the handlers. Each may be called again for the same delivery, and in any order. */
export function handleEvents(app: App, probot: Probot): void {
  probot.on('pull_request', async ({ payload }) => {
    const event = PULL_REQUEST_EVENTS[payload.action]
    const repository = followedOf(payload)
    if (!event || !repository) return
    const ctx = await openFollowed(app, repository, app.clock())
    await pullRequestChanged(app, ctx, parsePullRequest(payload.pull_request), event)
  })

  probot.on('push', async ({ payload }) => {
    const repository = followedOf(payload)
    const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1]
    if (!repository || branch === undefined || payload.deleted) return
    const ctx = await openFollowed(app, repository, app.clock())
    await pushBranch(ctx, branch)
    if (branch === payload.repository.default_branch && touchesSettings(payload))
      await settingsChanged(app, ctx, payload.after)
  })

  probot.on('delete', async ({ payload }) => {
    const repository = followedOf(payload)
    if (!repository || payload.ref_type !== 'branch') return
    await deleteBranch(await openFollowed(app, repository, app.clock()), payload.ref)
  })

  probot.on('installation', async ({ payload }) => {
    const now = app.clock()
    const { id, account } = payload.installation
    if (payload.action === 'deleted') await leaveInstallation(app, id, now)
    else if (payload.action !== 'suspend')
      await ask(app.database.connection(), [installationJob(id, now)], now)
    await forget(app, account && 'login' in account ? account.login : undefined)
  })

  probot.on('installation_repositories', async ({ payload }) => {
    const now = app.clock()
    const { id: installation_id, account } = payload.installation
    const added = payload.repositories_added.flatMap((each) => namedRepository(each, installation_id) ?? [])
    await ask(
      app.database.connection(),
      added.map((repository) => repositoryJob(repository, now)),
      now,
    )
    for (const { id } of payload.repositories_removed)
      if (id !== undefined) await leaveRepositoryOf(app, { id, installation_id }, now)
    await forget(app, account && 'login' in account ? account.login : undefined)
  })

  probot.on('repository', async ({ payload }) => {
    const repository = followedOf(payload)
    if (payload.action === 'deleted') await leaveRepository(app, payload.repository.id, app.clock())
    else if (repository) {
      const ctx = await openFollowed(app, repository, app.clock())
      // The settings file is that of the default branch.
      if (payload.action === 'edited' && payload.changes.default_branch) await settingsChanged(app, ctx, null)
      if (payload.action === 'unarchived') await repositoryUnarchived(ctx)
    }
    await forget(app, ...accessOwnersOf('repository', payload))
  })

  probot.on('member', ({ payload }) => forget(app, payload.repository.owner.login))
  probot.on('membership', ({ payload }) => forget(app, payload.organization.login))
  probot.on('team', ({ payload }) => forget(app, payload.organization.login))
  probot.on('organization', ({ payload }) => forget(app, ...accessOwnersOf('organization', payload)))
}

/** Permissions in what this account owns may have changed: every instance asks GitHub again. */
async function forget(app: App, ...owners: (string | undefined)[]): Promise<void> {
  for (const owner of owners) if (owner !== undefined) await app.forgetAccess(owner)
}

interface FromRepository {
  repository: { id: number; name: string; owner: { login: string } | { name?: string | null } | null }
  installation?: { id: number } | undefined
}

/** The repository of an event; undefined when the event does not come from an installation of the app. */
function followedOf({ repository, installation }: FromRepository): FollowedRepository | undefined {
  const { owner } = repository
  const login = owner && ('login' in owner ? owner.login : owner.name)
  if (!installation || !login) return undefined
  return { id: repository.id, owner: login, name: repository.name, installation_id: installation.id }
}

function namedRepository(
  { id, full_name }: { id?: number; full_name?: string },
  installation_id: number,
): FollowedRepository | undefined {
  const [owner, name] = full_name?.split('/') ?? []
  return id !== undefined && owner && name ? { id, owner, name, installation_id } : undefined
}

function touchesSettings({ commits, forced }: EmitterWebhookEvent<'push'>['payload']): boolean {
  if (forced || commits.length >= COMMITS_LISTED) return true
  const touched = commits.flatMap((commit) => [
    ...(commit.added ?? []),
    ...(commit.modified ?? []),
    ...(commit.removed ?? []),
  ])
  return touched.includes(SETTINGS_PATH) || touched.includes(LABELER_PATH)
}
