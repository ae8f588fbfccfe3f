/** The settings file of an organisation: that of its `.github` repository, for all of its repositories (docs/contract/settings.md#an-organisation). */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { installations, type OrganisationFile, repositories } from './table.ts'

/** The name of the repository whose settings file is that of its owner. */
export const ORGANISATION_REPOSITORY = '.github'

export function isOrganisationRepository(name: string): boolean {
  return name.toLowerCase() === ORGANISATION_REPOSITORY
}

/** Whether it is known if an installation has settings for its repositories. */
export async function isOrganisationKnown(db: Db, installation_id: number): Promise<boolean> {
  const isKnown = and(eq(installations.installation_id, installation_id), installations.is_organisation_known)
  return (await db.$count(installations, isKnown)) > 0
}

/** Makes the settings file of the `.github` repository of an installation that of its repositories, and returns what is stored. */
export async function storeOrganisation(tx: Db, installation_id: number): Promise<OrganisationFile> {
  // Locks the row first, so that the last of several writers has read the newest settings.
  await tx
    .insert(installations)
    .values({ installation_id, is_organisation_known: true })
    .onConflictDoUpdate({ target: installations.installation_id, set: { is_organisation_known: true } })
  const [row] = await tx
    .select({ settings: repositories.settings, errors: repositories.settings_errors })
    .from(repositories)
    .where(
      sql`${repositories.installation_id} = ${installation_id} and lower(${repositories.name}) = ${ORGANISATION_REPOSITORY}`,
    )
    .orderBy(desc(repositories.created_at))
    .limit(1)
  const isUnread = row?.settings === null && row.errors.length > 0
  const organisation: OrganisationFile = isUnread ? 'invalid' : (row?.settings ?? null)
  await tx
    .update(installations)
    .set({ organisation })
    .where(eq(installations.installation_id, installation_id))
  return organisation
}
