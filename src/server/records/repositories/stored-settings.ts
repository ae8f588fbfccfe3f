/** The settings of a repository as they are stored: what its own files say, and what its organisation says about it. */
import { isDeepStrictEqual } from 'node:util'
import { layersOf, type SettingsLayer, settingsOf, shareOf } from '../../../engine/settings/layers.ts'
import type { Settings } from '../../../vocabulary/contract/settings.ts'
import { enqueue, jobOn } from '../../jobs/store.ts'
import type { App } from './app.ts'
import { isOrganisationRepository, storeOrganisation } from './installation-store.ts'
import {
  findRepository,
  listRepositories,
  lockRepository,
  type RepositoryChanges,
  type RepositoryRow,
  setCommenting,
  updateRepository,
} from './store.ts'

/** The kind of job that rechecks all pull requests of a repository, because its settings changed. */
export const RECHECK_ALL = 'recheck_all'

type Stored = Pick<
  RepositoryRow,
  'name' | 'settings' | 'settings_errors' | 'labeler_areas' | 'organisation' | 'farewell_at'
>

/** The layers of settings that hold for a repository. */
export function storedLayers(stored: Stored): SettingsLayer[] {
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
function storedShare({ organisation, name }: Pick<Stored, 'organisation' | 'name'>) {
  return organisation === null || organisation === 'invalid' ? null : shareOf(organisation, name)
}

export function storedSettings(stored: Stored): Settings {
  return settingsOf(storedLayers(stored))
}

/** The settings of a repository as if it had no organisation. */
export function ownSettings(stored: Stored): Settings {
  return storedSettings({ ...stored, organisation: null })
}

/** A repository before and after a change of it or of its organisation. */
interface Change {
  before: RepositoryRow
  after: RepositoryRow
}

/**
 * Stores changes of a repository; undefined if it is not stored. In the same transaction, a `.github` repository becomes that of
 * its organisation, or ceases to be, and the repositories where this changes anything are rechecked.
 */
export function storeRepository(
  app: App,
  repo_id: number,
  changes: RepositoryChanges,
  now: Date,
): Promise<RepositoryRow | undefined> {
  return app.database.connection().transaction(async (tx) => {
    await lockRepository(tx, repo_id)
    const before = await findRepository(tx, repo_id)
    if (!before) return undefined
    const files = [before, { ...before, ...changes }].filter(({ name }) => isOrganisationRepository(name))
    const concerned: Change[] = []
    await updateRepository(tx, repo_id, changes)
    for (const installation_id of new Set(files.map((each) => each.installation_id))) {
      if (installation_id === null) continue
      const all = await listRepositories(tx, { installation_id })
      const organisation = await storeOrganisation(tx, installation_id)
      concerned.push(...all.map((row) => ({ before: row, after: { ...row, organisation } })))
    }
    const after = (await findRepository(tx, repo_id)) as RepositoryRow
    const others = concerned.filter((each) => each.before.repo_id !== repo_id)
    const all = [...others, { before, after }].filter((each) => each.after.installation_id !== null)
    const switchedOn = all.filter(isSwitchedOn).map((each) => each.after.repo_id)
    if (switchedOn.length > 0) await setCommenting(tx, switchedOn, now)
    const rechecks = all
      .filter(isOtherShare)
      .map(({ after: { repo_id: id, owner } }) =>
        jobOn({ id, owner }, RECHECK_ALL, { priority: 'import', run_at: now }),
      )
    await enqueue(tx, rechecks, now)
    return findRepository(tx, repo_id)
  })
}

/** Whether the organisation says something else about the repository. */
function isOtherShare({ before, after }: Change): boolean {
  const [one, other] = [before, after].map((row) => [row.organisation === 'invalid', storedShare(row)])
  return !isDeepStrictEqual(one, other)
}

function isSwitchedOn({ before, after }: Change): boolean {
  const [was, is] = [before, after].map((row) => storedSettings(row).comment.mode === 'on')
  return !was && is === true
}

/** Stores that the App is not installed in a repository any more. */
export async function storeUninstalled(app: App, repo_id: number, now: Date): Promise<void> {
  await storeRepository(app, repo_id, { installation_id: null, uninstalled_at: now }, now)
}
