/** Translates the events of GitHub into calls of verbs. */
import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks'
import { SETTINGS_PATHS } from '../../../vocabulary/contract/settings.ts'
import { parsePullRequest } from '../../github/pull-request.ts'
import type { PullRequestEvent } from '../../github/tracking/event-plan.ts'
import {
  leaveInstallation,
  leaveRepositoryOf,
  repositoriesJobs,
} from '../../github/tracking/installations.ts'
import { muteCommented, muteIn } from '../../github/tracking/mute.ts'
import { commentDeleted, pullRequestChanged } from '../../github/tracking/pull-requests.ts'
import { repositoryUnarchived, settingsChanged } from '../../github/tracking/repository-events.ts'
import { endMerged, linkPushedStack } from '../../github/tracking/stack-links.ts'
import { branchDeleted, branchPushed } from '../../github/tracking/tracked-branches.ts'
import { enqueue } from '../../jobs/store.ts'
import { forgetReverted } from '../../records/merged-work/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { installationJob } from '../../records/repositories/installation.ts'
import {
  type InstalledRepository,
  openInstalled,
  type ShownRepository,
} from '../../records/repositories/registration.ts'
import type { RepoContext } from '../../records/repositories/repo.ts'
import { storeUninstalled } from '../../records/repositories/stored-settings.ts'
import { MARKER } from '../../tell/comment.ts'

/** Whether a delivery is stored: of comments only the deletion of the App's, and those that are a command. */
export function isStored(
  name: string,
  { action, comment }: { action?: unknown; comment?: { body?: unknown } },
): boolean {
  if (name !== 'issue_comment') return HANDLED.includes(name)
  const text = String(comment?.body)
  return action === 'deleted' ? text.includes(MARKER) : action === 'created' && muteIn(text) !== null
}

const PULL_REQUEST_EVENTS: { [Action in Payload<'pull_request'>['action']]?: PullRequestEvent } = {
  opened: 'opened',
  reopened: 'reopened',
  converted_to_draft: 'draft',
  ready_for_review: 'draft',
  synchronize: 'files',
  edited: 'edited',
  closed: 'closed',
  enqueued: 'queued',
  dequeued: 'dequeued',
  unlocked: 'unlocked',
  labeled: 'other',
  unlabeled: 'other',
  assigned: 'other',
  unassigned: 'other',
}

/** GitHub lists at most this many commits of a push. In a larger one, any file may have changed. */
const COMMITS_LISTED = 2048

type Payload<Name extends EmitterWebhookEventName> = EmitterWebhookEvent<Name>['payload']

/** Opens the repository of an event; undefined if the App is not installed there. */
async function opened(app: App, payload: FromRepository): Promise<RepoContext | undefined> {
  const repository = installedOf(payload)
  return repository && openInstalled(app, repository, app.clock())
}

const HANDLERS = {
  pull_request: async (app, payload) => {
    const event = PULL_REQUEST_EVENTS[payload.action]
    const ctx = event && (await opened(app, payload))
    if (ctx) await pullRequestChanged(app, ctx, parsePullRequest(payload.pull_request), event)
  },

  issue_comment: async (app, payload) => {
    const { action, issue, comment } = payload
    const { number } = issue
    const ctx = await opened(app, payload)
    if (!ctx) return
    if (action === 'deleted') return commentDeleted(ctx, { number, comment_id: comment.id })
    const is_muted = action === 'created' ? muteIn(comment.body) : null
    const { login = '' } = comment.user ?? {}
    const is_author = login === issue.user?.login
    const created_at = new Date(comment.created_at)
    if (is_muted !== null) await muteCommented(app, ctx, { number, is_muted, login, is_author, created_at })
  },

  push: async (app, payload) => {
    const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1]
    if (branch === undefined || payload.deleted) return
    const ctx = await opened(app, payload)
    if (!ctx) return
    const { default_branch } = payload.repository
    const { before, after, forced } = payload
    await branchPushed(ctx, { branch, default_branch, actor: payload.pusher.name })
    await forgetReverted(ctx, { branch, messages: payload.commits.map((commit) => commit.message) })
    const commits = payload.commits.map(({ id }) => id)
    const stacked = { branch, default_branch, before, after, forced, commits }
    if (branch === default_branch) await endMerged(app, ctx, stacked)
    else await linkPushedStack(ctx, stacked)
    const pushed = { sha: after, before, pushed_at: instantOf(payload.repository.pushed_at) }
    if (branch === default_branch && touchesSettings(payload)) await settingsChanged(app, ctx, pushed)
  },

  delete: async (app, payload) => {
    const ctx = payload.ref_type === 'branch' ? await opened(app, payload) : undefined
    if (ctx) await branchDeleted(app, ctx, payload.ref)
  },

  installation: async (app, payload) => {
    const now = app.clock()
    const { id, account } = payload.installation
    const owner = account && 'login' in account ? account.login : ''
    const job = installationJob({ installation_id: id, owner }, now)
    if (payload.action === 'deleted') await leaveInstallation(app, id, now)
    else if (payload.action !== 'suspend') await enqueue(app.database.connection(), [job], now)
  },

  installation_repositories: async (app, payload) => {
    const now = app.clock()
    const installation_id = payload.installation.id
    const added = payload.repositories_added.flatMap((each) => namedRepository(each, installation_id) ?? [])
    await enqueue(app.database.connection(), repositoriesJobs(added, now), now)
    for (const { id } of payload.repositories_removed)
      if (id !== undefined) await leaveRepositoryOf(app, { id, installation_id }, now)
  },

  repository: async (app, payload) => {
    if (payload.action === 'deleted')
      return storeUninstalled(app, payload.repository.id, { now: app.clock() })
    const ctx = await opened(app, payload)
    if (!ctx) return
    const { default_branch } = payload.action === 'edited' ? payload.changes : {}
    // The former one may have been renamed.
    if (default_branch) await branchDeleted(app, ctx, default_branch.from)
    // The settings file of the new default branch applies from now on.
    if (default_branch) await settingsChanged(app, ctx, null)
    if (payload.action === 'unarchived') await repositoryUnarchived(ctx)
  },
} satisfies { [Name in EmitterWebhookEventName]?: (app: App, payload: Payload<Name>) => Promise<void> }

/** Events that only change permissions: `deliveries.ts` invalidates those. */
const ACCESS_EVENTS = ['member', 'membership', 'team', 'organization']

/** The events that are stored. Other deliveries are acknowledged and dropped. */
export const HANDLED: readonly string[] = [...Object.keys(HANDLERS), ...ACCESS_EVENTS]

/** Applies an event. It may run more than once for a delivery, and deliveries come in any order. `payload`: as GitHub documents it. */
export async function applyEvent(app: App, name: string, payload: object): Promise<void> {
  if (!HANDLED.includes(name)) throw new Error(`no handler for deliveries of ${name}`)
  const handlers: Record<string, (app: App, payload: never) => Promise<void>> = HANDLERS
  await handlers[name]?.(app, payload as never)
}

/** A time as events of pushes have it, in seconds, or as others do. */
function instantOf(time: number | string | null | undefined): Date | null {
  return time == null ? null : new Date(typeof time === 'number' ? time * 1000 : time)
}

type Owner = { login: string } | { name?: string | null } | null

interface FromRepository {
  repository: { id: number; name: string; owner: Owner; pushed_at?: number | string | null }
  installation?: { id: number } | undefined
  pull_request?: { updated_at?: string | null }
}

/** The repository of an event; undefined if the event is not from an installation of the App. */
function installedOf(payload: FromRepository): ShownRepository | undefined {
  const { repository, installation, pull_request } = payload
  const { id, owner, name, pushed_at } = repository
  const login = owner && ('login' in owner ? owner.login : owner.name)
  if (!installation || !login) return undefined
  // GitHub wrote the payload at the latest time in it, or later.
  const times = [pushed_at, pull_request?.updated_at].map((time) => instantOf(time)?.getTime() ?? 0)
  return { id, owner: login, name, installation_id: installation.id, shown_at: new Date(Math.max(...times)) }
}

function namedRepository(
  { id, full_name }: { id?: number; full_name?: string },
  installation_id: number,
): InstalledRepository | undefined {
  const [owner, name] = full_name?.split('/') ?? []
  return id !== undefined && owner && name ? { id, owner, name, installation_id } : undefined
}

function touchesSettings({ commits, forced }: Payload<'push'>): boolean {
  if (forced || commits.length >= COMMITS_LISTED) return true
  const touched = commits.flatMap(({ added, modified, removed }) => [added, modified, removed].flat())
  return SETTINGS_PATHS.some((path) => touched.includes(path))
}

type Account = { login?: string } | null

/** The parts of a payload that are read before the event is known. */
interface Source {
  repository?: { id?: number; owner?: Account } | null
  organization?: Account
  installation?: { account?: Account } | null
  changes?: {
    /** The former owner of a repository that was transferred. */
    owner?: { from?: { user?: Account; organization?: Account } }
    /** The former name of an organization. */
    login?: { from?: string }
  } | null
}

/** The id of the repository, 0 if the payload has none; and the login of the account. */
export function sourceOf(payload: Source): { repo_id: number; owner: string } {
  const { id = 0 } = payload.repository ?? {}
  return { repo_id: Number.isSafeInteger(id) ? id : 0, owner: ownerOf(payload) ?? '' }
}

function ownerOf({ organization, repository, installation }: Source): string | undefined {
  const login = organization?.login ?? repository?.owner?.login ?? installation?.account?.login
  return typeof login === 'string' ? login : undefined
}

/** Events that can change permissions. */
const CHANGING_ACCESS: ReadonlySet<string> = new Set([
  'repository',
  'installation',
  'installation_repositories',
  ...ACCESS_EVENTS,
])

/** The accounts whose permissions the event may change: the current owner and the former one. */
export function accessOwnersOf(name: string, payload: Source): string[] {
  if (!CHANGING_ACCESS.has(name)) return []
  const { owner, login } = payload.changes ?? {}
  const from = owner?.from
  const former = from?.organization?.login ?? from?.user?.login ?? login?.from
  return [ownerOf(payload), former].filter((each) => each !== undefined)
}
