/** One repository, one caller, one point in time: the context of all work on a repository. */
import { Meter } from '../../vocabulary/budget.ts'
import { later } from '../../vocabulary/clock.ts'
import { type Settings, type SettingsProblem, settingsOf } from '../../vocabulary/contract/settings.ts'
import type { SingleFlight } from '../base/single-flight.ts'
import { type Changed, joinChanged } from '../db/change-feed.ts'
import type { Db } from '../db/database.ts'
import type { VisibleRepository } from '../github/repository-lists.ts'
import type { Identity } from '../github/tokens.ts'
import type { AttributeRule } from '../line-verdicts/git-attributes.ts'
import type { App } from './app.ts'
import { findRepository, type RepositoryRow } from './store.ts'

export interface RepoContext {
  /** A connection, or the transaction inside `inTransaction`. */
  db: Db
  /** The clock, read once. */
  now: Date
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** Overlaps of whole repositories, shared by concurrent callers. */
  comparisons: SingleFlight
  repo: {
    id: number
    owner: string
    name: string
    /** `https://github.com/acme/shop`, under its current name and under the requested one. */
    web_urls: string[]
    /** The installation of the GitHub App; null if it is not installed. */
    installation_id: number | null
    /** The repository is stored: a caller with write access requested it, or the App is or was installed. */
    is_known: boolean
    is_installed: boolean
    /** Its pull requests are read by polling, with the token of this service. Nothing is written to GitHub. */
    is_watched: boolean
    /** Installed or watched: its pull requests become activities and get rechecks. */
    is_tracked: boolean
  }
  /** The version of the cached row that this context was opened with, for `confirmVersion`; null if the row was read for this request. */
  unconfirmed_version: string | null
  /** The caller, if the operation needs it; null for tokens without a user. */
  identity: Identity
  /**
   * Looks up the caller, for an operation that finds out late that it needs it. Null for tokens without a user, and if GitHub
   * does not answer; the operation then leaves out what depends on the caller.
   */
  findIdentity(): Promise<Identity>
  settings: Settings
  /** Whether new conflicts, duplicates and high notables are posted to `NOTIFY_WEBHOOK_URL`. */
  is_notified: boolean
  /** The rules about noise in the `.gitattributes` of the repository. */
  noise_attributes: readonly AttributeRule[]
  settings_source: 'defaults' | 'file'
  settings_errors: SettingsProblem[]
  /** The limits of live records. */
  max_live: { activities: number; notables: number }
  /** Counts the work of the request. */
  meter: Meter
  /** Announces changed records to open pages, and wakes the job worker. Inside a transaction, this happens after the commit. */
  announceChange(ids: Changed): void
}

/** The repository has changed since its cached row was read. Nothing has been stored; open the context again. */
export class OutdatedRepository extends Error {}

/** Throws `OutdatedRepository` if the context was opened with another version of the row than `current`; null: there is no row. */
export function confirmVersion({ unconfirmed_version }: RepoContext, current: string | null): void {
  if (unconfirmed_version !== null && unconfirmed_version !== current) throw new OutdatedRepository()
}

/** A request about a repository. `owner` and `name` are as requested, which may be a former name. */
export interface RepoRequest {
  owner: string
  name: string
  now: Date
  meter: Meter
  /** If missing, the caller never disconnects. */
  signal?: AbortSignal | undefined
}

const NEVER_ABORTED = new AbortController().signal

/** Opens the repository for one request. One query. */
export async function openRepo(
  app: App,
  repository: VisibleRepository,
  request: RepoRequest,
): Promise<RepoContext> {
  const { id: repo_id, owner, name } = repository
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  if (stored) app.repositories.keep(stored)
  return contextOf(app, { repo_id, owner, name }, { stored, request, db })
}

/**
 * Opens the repository with the row that an earlier request read; undefined if there is none. No query, but the work has to
 * call `confirmVersion` with a version that it reads, before it stores anything.
 */
export function openCachedRepo(
  app: App,
  repository: VisibleRepository,
  request: RepoRequest,
): RepoContext | undefined {
  const { id: repo_id, owner, name } = repository
  const stored = app.repositories.get(repo_id)
  if (!stored) return undefined
  const ctx = contextOf(app, { repo_id, owner, name }, { stored, request, db: app.database.connection() })
  return { ...ctx, unconfirmed_version: stored.version }
}

/** Opens a stored repository for a job; undefined if it is not stored. */
export async function openKnownRepo(app: App, repo_id: number, now: Date): Promise<RepoContext | undefined> {
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  return stored && contextOf(app, stored, { stored, request: { ...stored, now, meter: new Meter() }, db })
}

function contextOf(
  app: App,
  { repo_id, owner, name }: { repo_id: number; owner: string; name: string },
  from: { stored: RepositoryRow | undefined; request: RepoRequest; db: Db },
): RepoContext {
  const { stored, request, db } = from
  const web = app.config.github_web_url
  const is_installed = stored?.installation_id != null
  const is_watched = !is_installed && isWatched(app, stored, request.now)
  const has_left = stored?.uninstalled_at != null || stored?.watched_at != null
  // The service does not see changes of the settings file of a repository that it left, so the defaults apply.
  const read = has_left && !is_installed && !is_watched ? undefined : stored
  const given = settingsOf({
    ...(read?.labeler_areas && { areas: read.labeler_areas }),
    ...read?.settings,
  })
  const settings = is_watched ? withoutWrites(given) : given
  return {
    db,
    now: request.now,
    signal: request.signal ?? NEVER_ABORTED,
    comparisons: app.comparisons,
    repo: {
      id: repo_id,
      owner,
      name,
      web_urls: [`${web}/${owner}/${name}`, `${web}/${request.owner}/${request.name}`],
      installation_id: stored?.installation_id ?? null,
      is_known: stored !== undefined,
      is_installed,
      is_watched,
      is_tracked: is_installed || is_watched,
    },
    unconfirmed_version: null,
    identity: null,
    findIdentity: async () => null,
    settings,
    is_notified: app.config.notify !== null && settings.comment.mode === 'on',
    noise_attributes: read?.noise_attributes ?? [],
    settings_source: read?.settings ? 'file' : 'defaults',
    settings_errors: read?.settings_errors ?? [],
    max_live: maxLiveOf(app.config.max_live_activities),
    meter: request.meter,
    announceChange: (ids) => {
      app.change_feed.announce(repo_id, ids)
      if (is_installed || is_watched) app.wakeWorker()
    },
  }
}

/** How long after the last poll a repository still counts as watched. A rate limit pauses polling for at most an hour. */
const WATCHED_FOR_MS = 2 * 3_600_000

function isWatched({ watch }: App, stored: RepositoryRow | undefined, now: Date): boolean {
  return watch !== null && stored?.watched_at != null && stored.watched_at > later(now, -WATCHED_FOR_MS)
}

/** The settings for a watched repository: comments are computed and recorded, but not posted. */
function withoutWrites(settings: Settings): Settings {
  const mode = settings.comment.mode === 'off' ? 'off' : 'shadow'
  return { ...settings, comment: { ...settings.comment, mode }, check_run: false }
}

/** The limit of notables is a tenth of that of activities, but at least one. */
function maxLiveOf(activities: number): RepoContext['max_live'] {
  return { activities, notables: Math.max(1, Math.floor(activities / 10)) }
}

/** Runs `work` in one transaction. `work` must not call the network. */
export async function inTransaction<Result>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Result>,
): Promise<Result> {
  let changed: Changed | undefined
  const announceChange = (ids: Changed) => {
    changed = changed ? joinChanged(changed, ids) : ids
  }
  const result = await ctx.db.transaction((tx) => work({ ...ctx, db: tx, announceChange }))
  if (changed) ctx.announceChange(changed)
  return result
}
