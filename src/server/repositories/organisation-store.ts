/** Queries for the settings files of organisations. */
import { and, eq, ne, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { organisations } from './table.ts'

export type OrganisationRow = typeof organisations.$inferSelect

export async function findOrganisation(
  db: Db,
  installation_id: number,
): Promise<OrganisationRow | undefined> {
  const [row] = await db
    .select()
    .from(organisations)
    .where(eq(organisations.installation_id, installation_id))
  return row
}

/** Stores that an installation has no repository with settings, unless it is known. */
export async function insertOrganisation(db: Db, installation_id: number): Promise<void> {
  await db.insert(organisations).values({ installation_id }).onConflictDoNothing()
}

/** Stores the settings of an organisation; false if they are stored already. */
export async function saveOrganisation(
  tx: Db,
  { installation_id, ...row }: OrganisationRow,
): Promise<boolean> {
  const { github_id, settings } = organisations
  const saved = await tx
    .insert(organisations)
    .values({ installation_id, ...row })
    .onConflictDoUpdate({
      target: organisations.installation_id,
      set: row,
      setWhere: sql`(${github_id}, ${settings}) is distinct from (excluded.github_id, excluded.settings)`,
    })
    .returning({ installation_id: organisations.installation_id })
  return saved.length > 0
}

/** Clears the settings that a repository gave to installations other than `except`. Returns these. */
export async function clearOrganisations(
  tx: Db,
  given: { github_id: number; except: number | null },
): Promise<number[]> {
  const { installation_id, github_id } = organisations
  const rows = await tx
    .update(organisations)
    .set({ github_id: null, settings: null })
    .where(
      and(
        eq(github_id, given.github_id),
        given.except === null ? undefined : ne(installation_id, given.except),
      ),
    )
    .returning({ installation_id })
  return rows.map((row) => row.installation_id)
}

export async function deleteOrganisation(db: Db, installation_id: number): Promise<void> {
  await db.delete(organisations).where(eq(organisations.installation_id, installation_id))
}
