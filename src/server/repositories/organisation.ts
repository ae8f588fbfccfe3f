/** The settings file of an organisation: that of its `.github` repository, for all of its repositories (docs/contract/settings.md#an-organisation). */
import { enqueue } from '../jobs/store.ts'
import type { App } from './app.ts'
import { clearOrganisations, saveOrganisation } from './organisation-store.ts'
import { listInstalledIds, type RepositoryRow, updateRepository } from './store.ts'
import { storeWithOrganisation } from './stored-settings.ts'

/** The kind of job that applies the settings of an organisation to its repositories. */
export const ORGANISATION = 'organisation'

/** The name of the repository whose settings file is that of its owner. */
export const ORGANISATION_REPOSITORY = '.github'
const PAGE = 500

export function isOrganisationRepository(name: string): boolean {
  return name.toLowerCase() === ORGANISATION_REPOSITORY
}

/**
 * Makes the settings of a `.github` repository those of its organisation, or no longer, if it was renamed or the App is not
 * installed there any more. If they changed, a job applies them.
 */
export async function publishOrganisation(app: App, row: RepositoryRow, now: Date): Promise<void> {
  const { repo_id: github_id, owner, name, settings } = row
  const installation_id = isOrganisationRepository(name) ? row.installation_id : null
  await app.database.connection().transaction(async (tx) => {
    const changed = await clearOrganisations(tx, { github_id, except: installation_id })
    if (installation_id !== null && (await saveOrganisation(tx, { installation_id, github_id, settings })))
      changed.push(installation_id)
    const jobs = changed.map((id) => ({
      id: `${ORGANISATION}:${id}`,
      kind: ORGANISATION,
      priority: 'live' as const,
      repo_id: 0,
      owner,
      payload: { installation_id: id },
      run_at: now,
    }))
    await enqueue(tx, jobs, now)
  })
}

/** Applies the settings of an organisation to each of its repositories, one after another. No calls. */
export async function applyOrganisation(app: App, installation_id: number, now: Date): Promise<void> {
  const db = app.database.connection()
  for (let after = 0; ; ) {
    const ids = await listInstalledIds(db, { after, limit: PAGE }, installation_id)
    for (const repo_id of ids) await storeWithOrganisation(app, repo_id, {}, now)
    if (ids.length < PAGE) return
    after = ids.at(-1) ?? after
  }
}

/** Stores that the App is not installed in a repository any more. */
export async function storeUninstalled(app: App, repo_id: number, now: Date): Promise<void> {
  const db = app.database.connection()
  const row = await updateRepository(db, repo_id, { installation_id: null, uninstalled_at: now })
  if (row && isOrganisationRepository(row.name)) await publishOrganisation(app, row, now)
}
