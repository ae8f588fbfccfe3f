/** Deletes everything that is stored about a repository. */
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { lockLiveSet } from '../../records/live-sets/store.ts'
import { isOrganisationRepository, storeOrganisation } from '../../records/repositories/installation-store.ts'
import { findRepository } from '../../records/repositories/store.ts'

/**
 * Deletes the rows of a repository from every table with a `repo_id`, in one transaction, and returns how many there
 * were. Its settings hold for its organisation no more. Tables come from the catalog, so that new tables are
 * included. Creates wait for it. Those that have waited keep their records, keys and repository: rows that refer to a record
 * are deleted only where that record does not exist by then.
 */
export async function purgeRepository(db: Db, repo_id: number): Promise<number> {
  return db.transaction(async (tx) => {
    const stored = await findRepository(tx, repo_id)
    const names = await listRepositoryTables(tx)
    const others = names.filter((name) => !RECORDS.includes(name) && !LAST.includes(name))
    let total = 0
    // Records before the live set, as all others lock them; then those that were created meanwhile.
    for (const name of RECORDS) total += await deleteRows(tx, name, repo_id)
    await lockLiveSet(tx, repo_id)
    for (const name of [...RECORDS, ...others, ...LAST]) total += await deleteRows(tx, name, repo_id)
    if (stored?.installation_id != null && isOrganisationRepository(stored.name))
      await storeOrganisation(tx, stored.installation_id)
    return total
  })
}

const RECORDS = ['activities', 'notables']
/** Creates wait for the row of `live_sets`, and then store one of their own. */
const LAST = ['live_sets', 'repositories']

/** The names of all tables with a `repo_id`. */
async function listRepositoryTables(tx: Db): Promise<string[]> {
  const rows = await tx
    .select({ name: sql<string>`table_name` })
    .from(sql`information_schema.columns`)
    .where(sql`column_name = 'repo_id' and table_schema = current_schema()`)
  return rows.map(({ name }) => name).sort()
}

async function deleteRows(tx: Db, name: string, repo_id: number): Promise<number> {
  const records = sql`(select id from activities where repo_id = ${repo_id} union all select id from notables where repo_id = ${repo_id})`
  const conditions: Record<string, SQL> = {
    file_changes: sql`and activity_id not in ${records}`,
    idempotency_keys: sql`and record_id not in ${records}`,
    live_sets: sql`and not exists ${records}`,
    repositories: sql`and not exists ${records}`,
  }
  const deleted = tx
    .$with('deleted', {})
    .as(
      sql`delete from ${sql.identifier(name)} where repo_id = ${repo_id} ${conditions[name] ?? sql``} returning 1`,
    )
  const [row] = await tx.with(deleted).select({ count: sql<number>`count(*)::int` }).from(sql`deleted`)
  return row?.count ?? 0
}
