/** Merges the settings of a repository, its organisation and the defaults (docs/contract/settings.md#an-organisation). Pure. */
import {
  DEFAULT_SETTINGS,
  type FileSettings,
  type Settings,
  type SettingsSource,
} from '../../vocabulary/contract/settings.ts'
import { matchesName } from '../../vocabulary/scope/glob.ts'

/** What the settings of an organisation say about one repository. */
export interface OrganisationShare {
  settings: FileSettings
  /** False if `repositories` leaves the repository out: then its comments are in shadow mode. */
  is_included: boolean
}

export interface SettingsLayer {
  source: SettingsSource
  settings: FileSettings
  /** The organisation has left the repository out. */
  is_left_out?: boolean
}

/**
 * The layers of a repository, the strongest last. `invalid`: whose file is invalid, while no valid settings were read that
 * would hold instead: then nothing is posted.
 */
export function layersOf(
  repository: FileSettings,
  organisation: OrganisationShare | null,
  invalid: SettingsLayer['source'] | null = null,
): SettingsLayer[] {
  const given: SettingsLayer[] = [
    { source: 'organisation', settings: organisation?.settings ?? {} },
    { source: 'repository', settings: repository },
  ]
  // Work that a valid file has switched off is not computed either.
  const isOff = invalid !== null && settingsOf(given).comment.mode === 'off'
  const is_left_out = invalid === null && organisation?.is_included === false
  const silenced = is_left_out ? 'organisation' : invalid
  if (silenced === null || isOff) return given
  return [...given, { source: silenced, settings: { comment: { mode: 'shadow' } }, is_left_out }]
}

/** The effective settings of layers, the strongest last: key by key, inside `comment` too. */
export function settingsOf(layers: SettingsLayer[]): Settings {
  const given = layers.map(({ settings }) => namesOf(settings))
  const all = Object.assign({}, DEFAULT_SETTINGS, ...given)
  return {
    ...all,
    comment: Object.assign({}, DEFAULT_SETTINGS.comment, ...given.map(({ comment }) => comment)),
  }
}

/** The source of each key, such as `comment.mode`. */
export function sourcesOf(layers: SettingsLayer[]): Record<string, SettingsSource> {
  const { comment, ...others } = DEFAULT_SETTINGS
  const sources: Record<string, SettingsSource> = {}
  const add = (source: SettingsSource, settings: object, fields: object) => {
    for (const key of Object.keys(settings)) sources[key] = source
    for (const key of Object.keys(fields)) sources[`comment.${key}`] = source
  }
  add('default', others, comment)
  for (const { source, settings } of layers) {
    const { comment: fields, ...rest } = namesOf(settings)
    add(source, rest, fields)
  }
  return sources
}

/** The settings of a file, its mode as a word. */
function namesOf({ comment: { mode, ...comment } = {}, repositories: _, ...others }: FileSettings) {
  const word = typeof mode === 'boolean' ? (mode ? ('on' as const) : ('off' as const)) : mode
  return { ...others, comment: { ...comment, ...(word !== undefined && { mode: word }) } }
}

/** What the settings of an organisation say about the repository of this name. */
export function shareOf(organisation: FileSettings, name: string): OrganisationShare {
  const { repositories: { include, exclude = [] } = {}, ...settings } = organisation
  const isNamed = (globs: string[]) =>
    matchesName(
      globs.map((glob) => glob.toLowerCase()),
      name.toLowerCase(),
    )
  return { settings, is_included: (include === undefined || isNamed(include)) && !isNamed(exclude) }
}

/** The last valid settings file of an organisation, or `invalid` while there is only one that is not; null if there is none. */
export type OrganisationFile = FileSettings | 'invalid' | null

interface StoredFiles {
  name: string
  settings: FileSettings | null
  settings_errors: readonly unknown[]
  labeler_areas: Settings['areas'] | null
  organisation: OrganisationFile
  /** When it was left. */
  farewell_at: Date | null
}

export function storedLayers(stored: StoredFiles): SettingsLayer[] {
  const { settings, settings_errors, labeler_areas, organisation } = stored
  const own = { ...(labeler_areas && { areas: labeler_areas }), ...settings }
  const isUnread = settings === null && settings_errors.length > 0
  const invalid = isUnread
    ? 'repository'
    : settings === null && organisation === 'invalid'
      ? 'organisation'
      : null
  const layers = layersOf(own, storedShare(stored), invalid)
  return stored.farewell_at === null ? layers : [...layers, LEFT]
}

const LEFT: SettingsLayer = { source: 'farewell', settings: { comment: { mode: 'off' }, check_run: false } }

/** What the organisation says about a repository; null if it says nothing. */
export function storedShare(of: Pick<StoredFiles, 'organisation' | 'name'>): OrganisationShare | null {
  const { organisation, name } = of
  return organisation === null || organisation === 'invalid' ? null : shareOf(organisation, name)
}

export function storedSettings(stored: StoredFiles): Settings {
  return settingsOf(storedLayers(stored))
}

/** The settings of a repository as if it had no organisation. */
export function ownSettings(stored: StoredFiles): Settings {
  return storedSettings({ ...stored, organisation: null })
}
