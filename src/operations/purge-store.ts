/** Deletes all that is stored of a repository. */
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/connect.ts'
import { COUNTED, correctTally, lockTallies } from './drift-store.ts'

/**
 * Deletes the rows of a repository from every table that has a `repo_id`, in one transaction; a table that is added
 * later is not forgotten. Answers how many rows there were. A record that is created meanwhile is deleted with all that
 * belongs to it, or stays with all of it: its claims, its key, its count and its repository. The records go first, and
 * from then on whatever names a record goes if that is not there, which is asked anew with each statement.
 */
export async function purgeRepository(db: Db, repo_id: number): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await lockTallies(tx, repo_id)
    const named = await tx
      .select({ name: sql<string>`table_name` })
      .from(sql`information_schema.columns`)
      .where(sql`column_name = 'repo_id' and table_schema = current_schema()`)
    const between = named
      .map(({ name }) => name)
      .filter((name) => !FIRST.includes(name) && !LAST.includes(name))
    let total = 0
    for (const name of [...FIRST, ...between, ...LAST]) total += await deleteRows(tx, name, repo_id)
    for (const counted of COUNTED) await correctTally(tx, repo_id, counted)
    return total
  })
}

const FIRST = ['activities', 'notables']
/** Creations wait for the tallies, so these come late. */
const LAST = ['tallies', 'repositories']

async function deleteRows(tx: Db, name: string, repo_id: number): Promise<number> {
  const records = sql`(select id from activities where repo_id = ${repo_id} union all select id from notables where repo_id = ${repo_id})`
  const conditions: Record<string, SQL> = {
    claims: sql`and record_id not in ${records}`,
    idempotency_keys: sql`and record_id not in ${records}`,
    repositories: sql`and not exists ${records}`,
  }
  const gone = tx
    .$with('gone', {})
    .as(
      sql`delete from ${sql.identifier(name)} where repo_id = ${repo_id} ${conditions[name] ?? sql``} returning 1`,
    )
  const [row] = await tx.with(gone).select({ count: sql<number>`count(*)::int` }).from(sql`gone`)
  return row?.count ?? 0
}
