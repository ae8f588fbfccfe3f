/** Reads the files that configure a repository, and stores what they say. */

import { isDeepStrictEqual } from 'node:util'
import { readGitAttributes } from '../../../engine/lines/git-attributes.ts'
import { areasOfLabeler } from '../../../engine/settings/labeler-file.ts'
import { readSettingsFile } from '../../../engine/settings/settings-file.ts'
import { type FileSettings, LABELER_PATH, SETTINGS_PATH } from '../../../vocabulary/contract/settings.ts'
import { statusOf } from '../../github/octokit.ts'
import { isNotFound, isWithoutPermission, named, type Reader, readFile } from '../../github/repository-calls.ts'
import type { App } from './app.ts'
import type { ConditionalReads } from './etags-store.ts'
import { isOrganisationRepository } from './installation-store.ts'
import type { Repo } from './repo.ts'
import { findRepository, type RepositoryRow } from './store.ts'
import { storeRepository } from './stored-settings.ts'

const FOLDER = '.github'
const ATTRIBUTES_PATH = '.gitattributes'
/** The files that `refreshSettings` reads. */
export const SETTINGS_PATHS: readonly string[] = [SETTINGS_PATH, LABELER_PATH, ATTRIBUTES_PATH]

/** A push to the default branch. */
export interface Push {
  sha: string
  /** The commit before the push. */
  before: string
  /** When it was pushed, to the second; null if GitHub does not say. */
  pushed_at: Date | null
}

/** How a push relates to the last one whose settings were read. `unclear`: they may be of the same second. */
export function orderOf(
  { settings_sha, settings_pushed_at }: Pick<RepositoryRow, 'settings_sha' | 'settings_pushed_at'>,
  { before, pushed_at }: Push,
): 'newer' | 'older' | 'unclear' {
  if (before === settings_sha) return 'newer'
  if (pushed_at === null) return 'unclear'
  if (settings_pushed_at === null || pushed_at > settings_pushed_at) return 'newer'
  return pushed_at < settings_pushed_at ? 'older' : 'unclear'
}

/**
 * Reads and stores the settings of the default branch. If the file is invalid, its problems are stored and the last valid
 * values stay. Without areas in the settings, the areas of the labeler file apply. Of `.gitattributes` only the rules about
 * noise are stored. `push`: reads its commit, because GitHub may still answer with the former state of the branch; undefined
 * if a later push was read before. Throws what GitHub's client throws. At most three calls.
 */
export async function refreshSettings(
  app: App,
  client: Reader,
  repository: { id: number; owner: string; name: string },
  { push }: { push?: Push } = {},
): Promise<RepositoryRow | undefined> {
  const db = app.database.connection()
  const stored = await findRepository(db, repository.id)
  const order = push && stored && orderOf(stored, push)
  if (order === 'older') return undefined
  const commit = order === 'newer' ? push : undefined
  const ref = commit?.sha ?? null
  const textOf = (path: string) => readFile(client, repository, { path, ref })
  const is_organisation = isOrganisationRepository(repository.name)
  const text = await textOf(SETTINGS_PATH)
  const file = text === null ? { settings: null, errors: [] } : readSettingsFile(text, { is_organisation })
  const settings = file.errors.length > 0 ? (stored?.settings ?? null) : file.settings
  const labeler = settings?.areas ? null : await textOf(LABELER_PATH)
  const attributes = await textOf(ATTRIBUTES_PATH)
  const read = {
    settings,
    ...(commit && { settings_sha: commit.sha, settings_pushed_at: commit.pushed_at }),
    settings_errors: file.errors,
    // Whoever left the repository switches it on again by saying so in a changed file.
    ...(isOn(settings) && !isDeepStrictEqual(settings, stored?.settings) && { farewell_at: null }),
    noise_attributes: attributes === null ? null : readGitAttributes(attributes),
    labeler_areas: labeler === null ? null : areasOfLabeler(labeler),
  }
  return storeRepository(app, repository.id, read, app.clock())
}

const isOn = (settings: FileSettings | null) => [true, 'on'].includes(settings?.comment?.mode ?? false)

/**
 * Reads the settings file of the default branch again, in case a push was missed, and stores the settings if it changed.
 * Returns whether it did. One or two calls, which cost no quota if nothing changed, and three more otherwise.
 */
export async function reviseSettings(
  app: App,
  client: Reader,
  { repository, reads }: { repository: Repo; reads: ConditionalReads },
): Promise<boolean> {
  const stored = await findRepository(app.database.connection(), repository.id)
  if (!stored) return false
  const isNone = stored.settings === null && stored.settings_errors.length === 0
  if (isNone && (await isStillWithoutFolder(client, repository, reads))) return false
  const asked = { ...named(repository), path: SETTINGS_PATH }
  const found = await reads
    .read('settings', (headers) => client.rest.repos.getContent({ ...asked, headers }))
    .catch((error) => (isNotFound(error) ? null : Promise.reject(error)))
  if (found === undefined || (isNone && found === null)) return false
  const after = await refreshSettings(app, client, repository)
  return after !== undefined && JSON.stringify(settingsIn(stored)) !== JSON.stringify(settingsIn(after))
}

/**
 * Whether the default branch certainly has no settings file, as before. A file that does not exist has no ETag, and asking for it costs a
 * call each time; the list of the root directory has one. One call.
 */
async function isStillWithoutFolder(
  client: Reader,
  { owner, name: repo }: Repo,
  reads: ConditionalReads,
): Promise<boolean> {
  try {
    const root = await reads.read('tree', (headers) =>
      client.rest.git.getTree({ owner, repo, tree_sha: 'HEAD', headers }),
    )
    return root === undefined || !root.tree.some(({ path }) => path === FOLDER)
  } catch (error) {
    if (isWithoutPermission(error)) return true
    const status = statusOf(error)
    // An empty repository has no tree: 409.
    if (status === 404 || status === 409) return false
    throw error
  }
}

/** What the settings files say. */
export function settingsIn(row: RepositoryRow | undefined) {
  return [row?.settings, row?.settings_errors, row?.labeler_areas, row?.noise_attributes]
}
