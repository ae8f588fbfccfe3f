/** The settings of the repository, from the files of the working tree (docs/contract/local.md#settings). */
import { DEFAULT_SETTINGS, LABELER_PATH, SETTINGS_PATH } from '../vocabulary/contract/settings.ts'
import type { CloneOptions } from './clone-options.ts'

/** `textOf`: the content of a file; empty if there is none. An invalid file counts as none. */
export async function readSettings(
  textOf: (path: string) => string,
): Promise<Pick<CloneOptions, 'settings' | 'settings_problems'>> {
  // Most repositories have neither file, and reading YAML takes longer to load than a hook may.
  const [file, labeler] = [textOf(SETTINGS_PATH), textOf(LABELER_PATH)]
  if (file + labeler === '') return { settings: DEFAULT_SETTINGS, settings_problems: [] }
  const { areasOfLabeler, readSettingsFile } = await import('../engine/settings/settings-file.ts')
  const { settingsOf } = await import('../engine/settings/layers.ts')
  const { settings, errors } = readSettingsFile(file)
  const given = { areas: areasOfLabeler(labeler), ...settings }
  return {
    settings: settingsOf([{ source: 'repository', settings: given }]),
    settings_problems: errors.map(
      ({ line, message }) =>
        `${SETTINGS_PATH}${line === null ? '' : `, line ${line}`}: ${message}; the defaults hold`,
    ),
  }
}
