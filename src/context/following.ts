/** Repositories in which the GitHub App is installed: that they are, and what their settings file says (contract §8). */
import { later } from '../base/clock.ts'
import type { VisibleRepository } from '../github/access.ts'
import { isGone, readFile } from '../github/client.ts'
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

/** A repository in which the app is not installed is asked about again after this long; its installation is told anyhow. */
const ASK_AGAIN_MS = 600_000

/**
 * Asks GitHub whether the app is installed in a repository that is seen for the first time, and if so reads its settings.
 * Undefined where it is not, where GitHub does not say (a delivery will), and where it was asked lately. Nothing is
 * stored then: whoever may read, may ask for any public repository.
 */
export async function followIfInstalled(
  app: App,
  repository: VisibleRepository,
): Promise<RepositoryRow | undefined> {
  const now = app.clock()
  const asked = app.github_app?.asked_at.get(repository.id)
  if (!app.github_app || (asked && later(asked, ASK_AGAIN_MS) > now)) return undefined
  app.github_app.asked_at.set(repository.id, now)
  const { id, owner, name } = repository
  try {
    const asApp = await app.github_app.probot.auth()
    const { data } = await asApp.rest.apps.getRepoInstallation({ owner, repo: name })
    return await beginToFollow(app, { id, owner, name, installation_id: data.id }, now)
  } catch (error) {
    if (!isGone(error))
      app.log.warn(
        { repo_id: id, status: (error as { status?: number }).status },
        'the app could not read this repository',
      )
    return undefined
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
