/** One repository, one caller, one instant: everything the service does is done inside such a context. */

import { Meter } from '../base/budget.ts'
import type { SingleFlight } from '../base/single-flight.ts'
import type { Db } from '../db/connect.ts'
import type { Identity, VisibleRepository } from '../github/access.ts'
import type { App } from './app.ts'
import { type Settings, type SettingsProblem, settingsOf } from './settings.ts'
import { findRepository, type RepositoryRow } from './store.ts'

export interface RepoContext {
  /** A connection, or inside `inTransaction` the transaction. */
  db: Db
  /** The clock, read once. */
  now: Date
  /** Aborted when the caller no longer waits for the answer. */
  signal: AbortSignal
  /** Comparisons of whole repositories, which callers of this instance share. */
  comparisons: SingleFlight
  repo: {
    id: number
    owner: string
    name: string
    /** Where people see it, `https://github.com/acme/shop`, under the present name and under the one asked for. */
    web_urls: string[]
    /** Of the GitHub App; null where it is not installed. */
    installation_id: number | null
    /** The service has a record of it: somebody who may write asked about it, or the App is or was installed. */
    is_known: boolean
    /** The GitHub App is installed, so pull requests are followed. */
    is_followed: boolean
  }
  /** Who asks, where the operation has to know; null for tokens that belong to no user. */
  identity: Identity
  settings: Settings
  settings_source: 'defaults' | 'file'
  settings_errors: SettingsProblem[]
  /** How many records of a kind may be live. */
  max_live: { activities: number; notables: number }
  /** Counts the work of the request. */
  meter: Meter
  /** Announces to open pages that what they show has changed; inside a transaction, once it commits. */
  announceChange(): void
}

/** A request: the repository's name in it, which may be an earlier one, when it came, and what counts its work. */
export interface Asked {
  owner: string
  name: string
  now: Date
  meter: Meter
  /** Without one the caller always waits. */
  signal?: AbortSignal | undefined
}

const NEVER_ABORTED = new AbortController().signal

/** Opens the repository for one request: one read of the database. */
export async function openRepo(app: App, repository: VisibleRepository, asked: Asked): Promise<RepoContext> {
  const { id: repo_id, owner, name } = repository
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  return contextOf(app, { repo_id, owner, name }, { stored, asked, db })
}

/** Opens a repository that is known already, for work that nobody asked for. Undefined when it is not known. */
export async function openKnownRepo(app: App, repo_id: number, now: Date): Promise<RepoContext | undefined> {
  const db = app.database.connection()
  const stored = await findRepository(db, repo_id)
  return stored && contextOf(app, stored, { stored, asked: { ...stored, now, meter: new Meter() }, db })
}

function contextOf(
  app: App,
  { repo_id, owner, name }: { repo_id: number; owner: string; name: string },
  from: { stored: RepositoryRow | undefined; asked: Asked; db: Db },
): RepoContext {
  const { stored, asked, db } = from
  const web = app.config.github_web_url
  // Where the app was taken off, nobody tells of a change of the file: the defaults hold again.
  const read = stored?.left_at ? undefined : stored
  return {
    db,
    now: asked.now,
    signal: asked.signal ?? NEVER_ABORTED,
    comparisons: app.comparisons,
    repo: {
      id: repo_id,
      owner,
      name,
      web_urls: [`${web}/${owner}/${name}`, `${web}/${asked.owner}/${asked.name}`],
      installation_id: stored?.installation_id ?? null,
      is_known: stored !== undefined,
      is_followed: stored?.installation_id != null,
    },
    identity: null,
    settings: settingsOf({ ...(read?.labeler_areas && { areas: read.labeler_areas }), ...read?.settings }),
    settings_source: read?.settings ? 'file' : 'defaults',
    settings_errors: read?.settings_errors ?? [],
    max_live: maxLiveOf(app.config.max_live_activities),
    meter: asked.meter,
    announceChange: () => app.change_feed.announce(repo_id),
  }
}

/** Of active notables a tenth, and at least one. */
function maxLiveOf(activities: number): RepoContext['max_live'] {
  return { activities, notables: Math.max(1, Math.floor(activities / 10)) }
}

/** Runs `work` in one transaction. No call to the network may happen inside. */
export async function inTransaction<Result>(
  ctx: RepoContext,
  work: (ctx: RepoContext) => Promise<Result>,
): Promise<Result> {
  let has_changed = false
  const announceChange = () => {
    has_changed = true
  }
  const result = await ctx.db.transaction((tx) => work({ ...ctx, db: tx, announceChange }))
  if (has_changed) ctx.announceChange()
  return result
}
