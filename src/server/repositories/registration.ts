/** Repositories where the GitHub App is installed, and the files that configure them. */

import { statusOf } from '../github/octokit.ts'
import { isNotFound, type Reader, readFile } from '../github/repository-calls.ts'
import { enqueue } from '../jobs/store.ts'
import { readGitAttributes } from '../line-verdicts/git-attributes.ts'
import { areasOfLabeler } from '../settings/labeler-file.ts'
import { readSettingsFile } from '../settings/settings-file.ts'
import type { App } from './app.ts'
import { findRepository, insertRepository, type RepositoryRow, updateRepository } from './store.ts'

export const SETTINGS_PATH = '.github/deconflict.yml'
const LABELER_PATH = '.github/labeler.yml'
const ATTRIBUTES_PATH = '.gitattributes'
/** The files that `refreshSettings` reads. */
export const SETTINGS_PATHS: readonly string[] = [SETTINGS_PATH, LABELER_PATH, ATTRIBUTES_PATH]

/** A repository as a delivery or GitHub describes it. */
export interface InstalledRepository {
  id: number
  owner: string
  name: string
  installation_id: number
}

/** Stores the installation and the current name of a repository. */
export async function recordInstallation(
  app: App,
  repository: InstalledRepository,
  now: Date,
): Promise<RepositoryRow> {
  const { id: repo_id, owner, name, installation_id } = repository
  const db = app.database.connection()
  const known = { owner, name, installation_id, uninstalled_at: null }
  const updated = await updateRepository(db, repo_id, known)
  if (updated) return updated
  await insertRepository(db, { repo_id, owner, name }, now)
  return (await updateRepository(db, repo_id, known)) as RepositoryRow
}

/**
 * Reads the settings of a repository and then stores its installation. Throws what GitHub's client throws; the installation
 * is then not stored, and the next event tries again.
 */
export async function registerInstallation(
  app: App,
  repository: InstalledRepository,
  now: Date,
): Promise<RepositoryRow> {
  const { id: repo_id, owner, name } = repository
  await insertRepository(app.database.connection(), { repo_id, owner, name }, now)
  const client = await app.github_app?.probot.auth(repository.installation_id)
  if (client) await refreshSettings(app, client, repository)
  return recordInstallation(app, repository, now)
}

/** The kind of job that looks up the App's installation in one repository. */
export const DISCOVER = 'discover'

/** A repository under its current name. */
export type NamedRepository = Omit<InstalledRepository, 'installation_id'>

/**
 * Stores a repository on the first request of a caller with write access, and reads its settings if the App is
 * installed. Later requests make no calls, because later installations arrive as webhooks. If GitHub fails, a job retries,
 * and the defaults apply meanwhile.
 */
export async function registerRepository(app: App, repository: NamedRepository, now: Date): Promise<void> {
  const { id: repo_id, owner, name } = repository
  const db = app.database.connection()
  const isNew = await insertRepository(db, { repo_id, owner, name }, now)
  if (!isNew || !app.github_app) return
  try {
    await discoverInstallation(app, repository, now)
  } catch (error) {
    app.log.warn({ repo_id, status: statusOf(error) }, 'settings not read, a job will retry')
    const payload: NamedRepository = { id: repo_id, owner, name }
    await enqueue(db, [{ id: `${DISCOVER}:${repo_id}`, kind: DISCOVER, repo_id, payload, run_at: now }], now)
  }
}

/** Reads the settings of a repository and stores its installation, if there is one. Throws what GitHub's client throws. */
export async function discoverInstallation(app: App, repository: NamedRepository, now: Date): Promise<void> {
  const installation_id = await installationOf(app, repository)
  if (installation_id !== null) await registerInstallation(app, { ...repository, installation_id }, now)
}

/** The id of the App's installation in a repository, or null. One call. */
export async function installationOf(
  app: App,
  { owner, name }: Pick<NamedRepository, 'owner' | 'name'>,
): Promise<number | null> {
  try {
    const asApp = await app.github_app?.probot.auth()
    const response = await asApp?.rest.apps.getRepoInstallation({ owner, repo: name })
    return response?.data.id ?? null
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

/**
 * Reads and stores the settings file. If it is invalid, its problems are stored and the last valid values stay. Without
 * areas in the settings, the areas of the labeler file apply. Of `.gitattributes` only the rules about noise are stored.
 * Throws what GitHub's client throws. At most three calls.
 */
export async function refreshSettings(
  app: App,
  client: Reader,
  repository: NamedRepository,
): Promise<RepositoryRow | undefined> {
  const db = app.database.connection()
  const text = await readFile(client, repository, SETTINGS_PATH)
  const file = text === null ? { settings: null, errors: [] } : readSettingsFile(text)
  const isInvalid = file.errors.length > 0
  const settings = isInvalid ? ((await findRepository(db, repository.id))?.settings ?? null) : file.settings
  const labeler = settings?.areas ? null : await readFile(client, repository, LABELER_PATH)
  const attributes = await readFile(client, repository, ATTRIBUTES_PATH)
  return updateRepository(db, repository.id, {
    settings,
    settings_errors: file.errors,
    noise_attributes: attributes === null ? null : readGitAttributes(attributes),
    labeler_areas: labeler === null ? null : areasOfLabeler(labeler),
  })
}
