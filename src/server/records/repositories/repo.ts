/** One repository, one caller, one point in time: the context of all work on a repository. */

import { randomBytes } from 'node:crypto'
import { KEY_BYTES } from '../../../engine/lines/line-hash.ts'
import type { AttributeRule } from '../../../engine/lines/noise.ts'
import { type SettingsLayer, settingsOf, storedLayers } from '../../../engine/settings/layers.ts'
import { later, Meter } from '../../../vocabulary/clock.ts'
import type { Settings, SettingsProblem } from '../../../vocabulary/contract/settings.ts'
import type { Identity, VisibleRepository } from '../../github/tokens.ts'
import type { BranchDirectory } from '../../github/trees.ts'
import type { SingleFlight } from '../../platform/background.ts'
import type { Db } from '../../platform/db/database.ts'
import type { LiveSets } from '../live-sets/store.ts'
import type { App } from './app.ts'
import { findRepository, type RepositoryRow } from './store.ts'

/**
 * What all work on a repository is done in. It is built once per request, delivery or job and never changed; a transaction
 * gets a context of its own, derived from it. The clock is read before, and opening calls only the database.
 */
export interface RepoContext {
  /** A connection, or the transaction inside `inTransaction`. */
  readonly db: Db
  /** The clock, read once. */
  readonly now: Date
  readonly repo: Repo
  readonly settings: Settings
  readonly live_sets: LiveSets
  /** The overlaps of whole repositories. */
  readonly comparisons: SingleFlight
  readonly caller: ContextCaller
}

/** A context before its caller is identified. */
export type OpenedRepo = Omit<RepoContext, 'caller'>

/** The repository as its row describes it, and what the configuration of the service says about it. */
export interface Repo {
  readonly id: number
  readonly owner: string
  readonly name: string
  /** `https://github.com/acme/shop`, under its current name and under the requested one. */
  readonly web_urls: readonly string[]
  /** The installation of the GitHub App; null if it is not installed. */
  readonly installation_id: number | null
  /** The repository is stored: a caller with write access requested it, or the App is or was installed. */
  readonly is_known: boolean
  /** Its pull requests are read by polling, with the token of this service. Nothing is written to GitHub. */
  readonly is_watched: boolean
  /** Installed or watched: its pull requests become activities and get rechecks. */
  readonly is_tracked: boolean
  /** When the App was installed, or comments were switched on. Only later events of a pull request make its first comment. */
  readonly commenting_since: Date
  /** Since when nothing is posted there any more; null if it was not left. */
  readonly farewell_at: Date | null
  /** Whether new conflicts, duplicates and high notables are posted, to the address of the service, of the repository, or both. */
  readonly is_notified: boolean
  /** Where the settings come from, and what is wrong with the settings file. */
  readonly settings_file: { readonly source: 'defaults' | 'file'; readonly errors: SettingsProblem[] }
  readonly settings_layers: SettingsLayer[]
  /** The rules about noise in the `.gitattributes` of the repository. */
  readonly noise_attributes: readonly AttributeRule[]
  /** The secret key with which its lines are hashed; a new one as long as it is not stored. */
  readonly line_key: Uint8Array
  /** The limits of live records. */
  readonly max_live: { readonly activities: number; readonly notables: number }
  /** Makes the job worker poll now, for a job that was enqueued. Inside a transaction, this happens after the commit. */
  wakeWorker(): void
}

/** Who the work is for, and what it has cost so far. */
export interface ContextCaller {
  /** The GitHub user, if the operation needs it; null for tokens without a user. */
  readonly identity: Identity
  /**
   * Looks up the GitHub user, for an operation that finds out late that it needs it. Null for tokens without a user, and if
   * GitHub does not answer; the operation then leaves out what depends on the caller.
   */
  findIdentity(): Promise<Identity>
  /** Whether the caller may write to the repository. */
  readonly may_write: boolean
  readonly may_administer: boolean
  /**
   * The names of the files in a directory of a branch on GitHub; null if there is nobody to ask as. One or two calls, so
   * not inside a transaction. Throws what the client throws.
   */
  listDirectory(directory: BranchDirectory): Promise<string[] | null>
  /** Runs `work` after the answer was sent; never if the operation fails. Its failure is logged. */
  afterAnswer(work: () => Promise<void>): void
  /** Counts the work. */
  readonly meter: Meter
}

/** The caller of a job or a webhook: nobody waits for it, and nobody is charged. */
export function noCaller(): ContextCaller {
  return {
    identity: null,
    findIdentity: async () => null,
    may_write: false,
    may_administer: false,
    listDirectory: async () => null,
    afterAnswer: () => {},
    meter: new Meter(),
  }
}

/** A request about a repository. `owner` and `name` are as requested, which may be a former name. */
export interface RepoRequest {
  owner: string
  name: string
  now: Date
}

/** Opens the repository for one request. One query. */
export async function openRepo(
  app: App,
  repository: VisibleRepository,
  request: RepoRequest,
): Promise<OpenedRepo> {
  const stored = await findRepository(app.database.connection(), repository.id)
  return openRow(app, stored, { repository, request })
}

/** Opens a stored repository for a job; undefined if it is not stored. One query. */
export async function openKnownRepo(app: App, repo_id: number, now: Date): Promise<RepoContext | undefined> {
  const stored = await findRepository(app.database.connection(), repo_id)
  return stored && openStored(app, stored, now)
}

/** Opens a repository for a job or a webhook, from its row. */
export function openStored(app: App, stored: RepositoryRow, now: Date): RepoContext {
  const { repo_id: id, owner, name } = stored
  const opened = openRow(app, stored, { repository: { id, owner, name }, request: { owner, name, now } })
  return { ...opened, caller: noCaller() }
}

interface Opening {
  /** The repository under its current name. */
  repository: Pick<VisibleRepository, 'id' | 'owner' | 'name'>
  request: RepoRequest
}

function openRow(
  app: App,
  stored: RepositoryRow | undefined,
  { repository: { id, owner, name }, request }: Opening,
): OpenedRepo {
  const web = app.config.github_web_url
  const is_installed = stored?.installation_id != null
  const is_watched = !is_installed && isWatched(app, stored, request.now)
  const has_left = stored?.uninstalled_at != null || stored?.watched_at != null
  // The service does not see changes of the settings file of a repository that it left, so the defaults apply.
  const read = has_left && !is_installed && !is_watched ? undefined : stored
  const layers = read ? storedLayers(read) : []
  const silent = is_watched ? 'watched' : is_installed && stored.is_read_only ? 'read_only' : null
  const settings_layers = silent === null ? layers : withoutWrites(layers, silent)
  const settings = settingsOf(settings_layers)
  const repo: Repo = {
    id,
    owner,
    name,
    web_urls: [`${web}/${owner}/${name}`, `${web}/${request.owner}/${request.name}`],
    installation_id: stored?.installation_id ?? null,
    is_known: stored !== undefined,
    is_watched,
    is_tracked: is_installed || is_watched,
    commenting_since: stored?.commenting_since ?? stored?.created_at ?? request.now,
    farewell_at: stored?.farewell_at ?? null,
    is_notified: (app.config.notify ?? settings.notify_url) !== null && settings.comment.mode === 'on',
    settings_file: { source: read?.settings ? 'file' : 'defaults', errors: read?.settings_errors ?? [] },
    settings_layers,
    noise_attributes: read?.noise_attributes ?? [],
    line_key: stored?.line_key ?? randomBytes(KEY_BYTES),
    max_live: maxLiveOf(app.config.max_live_activities),
    wakeWorker: () => app.wakeup.wake(),
  }
  const { live_sets, comparisons } = app
  return { db: app.database.connection(), now: request.now, repo, settings, live_sets, comparisons }
}

/** How long after the last poll a repository still counts as watched. A rate limit pauses polling for at most an hour. */
const WATCHED_FOR_MS = 2 * 3_600_000

function isWatched({ watch }: App, stored: RepositoryRow | undefined, now: Date): boolean {
  return watch !== null && stored?.watched_at != null && stored.watched_at > later(now, -WATCHED_FOR_MS)
}

/** The settings where the service cannot write: comments are computed and recorded, but not posted. */
function withoutWrites(layers: SettingsLayer[], source: 'watched' | 'read_only'): SettingsLayer[] {
  const comment = settingsOf(layers).comment.mode === 'off' ? {} : { mode: 'shadow' as const }
  return [...layers, { source, settings: { comment, check_run: false } }]
}

/** The limit of notables is a tenth of that of activities, but at least one. */
function maxLiveOf(activities: number): Repo['max_live'] {
  return { activities, notables: Math.max(1, Math.floor(activities / 10)) }
}

/** Runs `work` in one transaction, with a context of its own. `work` must not call the network. */
export async function inTransaction<Result>(
  ctx: RepoContext,
  work: (within: RepoContext) => Promise<Result>,
): Promise<Result> {
  let hasJobs = false
  const wakeWorker = () => {
    hasJobs = true
  }
  const repo = { ...ctx.repo, wakeWorker }
  const result = await ctx.db.transaction((tx) => work({ ...ctx, db: tx, repo }))
  if (hasJobs) ctx.repo.wakeWorker()
  return result
}
