/** Repositories in which the GitHub App is installed: that they are, and what their settings file says (contract §8). */
import { isNotFound, readFile } from '../github/client.ts'
import { ask } from '../jobs/store.ts'
import type { App } from './app.ts'
import { areasOfLabeler } from './labeler-file.ts'
import { readSettingsFile } from './settings-file.ts'
import { findRepository, insertRepository, type RepositoryRow, updateRepository } from './store.ts'

export const SETTINGS_PATH = '.github/deconflict.yml'
export const LABELER_PATH = '.github/labeler.yml'

/** A repository as a delivery, or GitHub, names it. */
export interface FollowedRepository {
  id: number
  owner: string
  name: string
  installation_id: number
}

/** Notes that the app is installed in the repository, under its present name. */
export async function follow(app: App, repository: FollowedRepository, now: Date): Promise<RepositoryRow> {
  const { id: repo_id, owner, name, installation_id } = repository
  const db = app.database.connection()
  const known = { owner, name, installation_id, left_at: null }
  const updated = await updateRepository(db, repo_id, known)
  if (updated) return updated
  await insertRepository(db, { repo_id, owner, name }, now)
  return (await updateRepository(db, repo_id, known)) as RepositoryRow
}

/**
 * Reads the settings of a repository that is not followed yet, and follows it from then on. Throws what GitHub's client
 * throws; it is not followed then, so that the next one who sees it reads them.
 */
export async function beginToFollow(
  app: App,
  repository: FollowedRepository,
  now: Date,
): Promise<RepositoryRow> {
  const { id: repo_id, owner, name } = repository
  await insertRepository(app.database.connection(), { repo_id, owner, name }, now)
  await refreshSettings(app, repository)
  return follow(app, repository, now)
}

/** The kind of job that looks for the App's installation in one repository. */
export const DISCOVER = 'discover'

/** A repository under its present name. */
export type NamedRepository = Omit<FollowedRepository, 'installation_id'>

/**
 * Makes a repository known that somebody who may write there asks about, and reads its settings where the App is
 * installed. The caller whose request made it known makes these calls, nobody else does, and later ones never do: of an
 * installation that comes later a webhook tells. Where GitHub fails, a job tries again and the defaults hold meanwhile.
 */
export async function registerRepository(app: App, repository: NamedRepository, now: Date): Promise<void> {
  const { id: repo_id, owner, name } = repository
  const db = app.database.connection()
  const isNew = await insertRepository(db, { repo_id, owner, name }, now)
  if (!isNew || !app.github_app) return
  try {
    await discoverInstallation(app, repository, now)
  } catch (error) {
    const { status } = error as { status?: number }
    app.log.warn({ repo_id, status }, 'settings not read, a job will retry')
    const payload: NamedRepository = { id: repo_id, owner, name }
    await ask(db, [{ id: `${DISCOVER}:${repo_id}`, kind: DISCOVER, repo_id, payload, run_at: now }], now)
  }
}

/** Reads the settings of a repository, and follows it, if the App is installed there. Throws what GitHub's client throws. */
export async function discoverInstallation(app: App, repository: NamedRepository, now: Date): Promise<void> {
  const installation_id = await installationOf(app, repository)
  if (installation_id !== null) await beginToFollow(app, { ...repository, installation_id }, now)
}

/** The installation through which the App is in a repository, as GitHub says, or null; one call. */
export async function installationOf(
  app: App,
  { owner, name }: Pick<NamedRepository, 'owner' | 'name'>,
): Promise<number | null> {
  try {
    const asApp = await app.github_app?.probot.auth()
    const answer = await asApp?.rest.apps.getRepoInstallation({ owner, repo: name })
    return answer?.data.id ?? null
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/**
 * Reads the repository's settings file, and stores what it says. What is wrong with it is stored beside the last good
 * values. Where those that hold name no areas, the labeler's are read. Throws what GitHub's client throws; at most two calls.
 */
export async function refreshSettings(
  app: App,
  repository: FollowedRepository,
): Promise<RepositoryRow | undefined> {
  if (!app.github_app) return undefined
  const client = await app.github_app.probot.auth(repository.installation_id)
  const db = app.database.connection()
  const text = await readFile(client, repository, SETTINGS_PATH)
  const file = text === null ? { settings: null, errors: [] } : readSettingsFile(text)
  const isWrong = file.errors.length > 0
  const settings = isWrong ? ((await findRepository(db, repository.id))?.settings ?? null) : file.settings
  const labeler = settings?.areas ? null : await readFile(client, repository, LABELER_PATH)
  return updateRepository(db, repository.id, {
    settings,
    settings_errors: file.errors,
    labeler_areas: labeler === null ? null : areasOfLabeler(labeler),
  })
}
