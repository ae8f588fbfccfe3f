/** Reads the files that configure a repository, and stores what they say. */
import { type FileSettings, settingsOf } from '../../vocabulary/contract/settings.ts'
import { type Reader, readFile } from '../github/repository-calls.ts'
import { readGitAttributes } from '../line-verdicts/git-attributes.ts'
import { areasOfLabeler } from '../settings/labeler-file.ts'
import { readSettingsFile } from '../settings/settings-file.ts'
import type { App } from './app.ts'
import { findRepository, type RepositoryRow, updateRepository } from './store.ts'

export const SETTINGS_PATH = '.github/deconflict.yml'
const LABELER_PATH = '.github/labeler.yml'
const ATTRIBUTES_PATH = '.gitattributes'
/** The files that `refreshSettings` reads. */
export const SETTINGS_PATHS: readonly string[] = [SETTINGS_PATH, LABELER_PATH, ATTRIBUTES_PATH]

/**
 * Reads and stores the settings file. If it is invalid, its problems are stored and the last valid values stay. Without
 * areas in the settings, the areas of the labeler file apply. Of `.gitattributes` only the rules about noise are stored.
 * Throws what GitHub's client throws. At most three calls.
 */
export async function refreshSettings(
  app: App,
  client: Reader,
  repository: { id: number; owner: string; name: string },
): Promise<RepositoryRow | undefined> {
  const db = app.database.connection()
  const text = await readFile(client, repository, SETTINGS_PATH)
  const file = text === null ? { settings: null, errors: [] } : readSettingsFile(text)
  const before = (await findRepository(db, repository.id))?.settings ?? null
  const settings = file.errors.length > 0 ? before : file.settings
  const isSwitchedOn = !isCommenting(before) && isCommenting(settings)
  const labeler = settings?.areas ? null : await readFile(client, repository, LABELER_PATH)
  const attributes = await readFile(client, repository, ATTRIBUTES_PATH)
  return updateRepository(db, repository.id, {
    settings,
    ...(isSwitchedOn && { commenting_since: app.clock() }),
    settings_errors: file.errors,
    noise_attributes: attributes === null ? null : readGitAttributes(attributes),
    labeler_areas: labeler === null ? null : areasOfLabeler(labeler),
  })
}

function isCommenting(settings: FileSettings | null): boolean {
  return settingsOf(settings ?? {}).comment.mode === 'on'
}
