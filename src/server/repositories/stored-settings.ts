/** The settings of a repository as they are stored: what its own files say, and what its organisation says about it. */
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { enqueue } from '../jobs/store.ts'
import { layersOf, type SettingsLayer, settingsOf, shareOf } from '../settings/layers.ts'
import type { App } from './app.ts'
import { findOrganisation } from './organisation-store.ts'
import { lockRepository, type RepositoryRow, updateRepository } from './store.ts'

/** The kind of job that rechecks all pull requests of a repository, because its settings changed. */
export const RECHECK_ALL = 'recheck_all'

type Stored = Pick<RepositoryRow, 'settings' | 'labeler_areas' | 'organisation'>

/** The layers of settings that are stored with a repository. */
export function storedLayers({ settings, labeler_areas, organisation }: Stored): SettingsLayer[] {
  return layersOf({ ...(labeler_areas && { areas: labeler_areas }), ...settings }, organisation)
}

/** The settings of a repository as if it had no organisation. */
export function ownSettings(stored: Stored): Settings {
  return settingsOf(storedLayers({ ...stored, organisation: null }))
}

function isCommenting(stored: Stored): boolean {
  return settingsOf(storedLayers(stored)).comment.mode === 'on'
}

/**
 * Stores changes of a repository, beside what its organisation says about it now; undefined if the repository is not stored.
 * The row is locked before the organisation is read, so the last of several writers has read its newest settings.
 */
export function storeWithOrganisation(
  app: App,
  repo_id: number,
  changes: Partial<Omit<RepositoryRow, 'repo_id' | 'organisation'>>,
  now: Date,
): Promise<RepositoryRow | undefined> {
  return app.database.connection().transaction(async (tx) => {
    const before = await lockRepository(tx, repo_id)
    if (!before) return undefined
    const { installation_id, name } = { ...before, ...changes }
    const found = installation_id === null ? undefined : await findOrganisation(tx, installation_id)
    const organisation = found?.settings ? shareOf(found.settings, name) : null
    const isSame = isDeepStrictEqual(organisation, before.organisation)
    if (isSame && Object.keys(changes).length === 0) return before
    if (!isSame) await enqueue(tx, [recheckAllJob(before, now)], now)
    const isSwitchedOn = !isCommenting(before) && isCommenting({ ...before, ...changes, organisation })
    const commenting = isSwitchedOn && { commenting_since: now }
    return updateRepository(tx, repo_id, { ...changes, organisation, ...commenting })
  })
}

function recheckAllJob({ repo_id, owner }: RepositoryRow, run_at: Date) {
  const id = `${RECHECK_ALL}:${repo_id}`
  return { id, kind: RECHECK_ALL, priority: 'import' as const, repo_id, owner, run_at }
}
