/** Deletes all that is stored of a repository. */
import { sql } from 'drizzle-orm'
import type { Db } from './connect.ts'

/**
 * Deletes the rows of a repository from every table that has a `repo_id`, in one transaction; a table that is added
 * later is not forgotten. Answers how many rows there were.
 */
export async function purgeRepository(db: Db, repo_id: number): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    const tables = await tx
      .select({ name: sql<string>`table_name` })
      .from(sql`information_schema.columns`)
      .where(sql`column_name = 'repo_id' and table_schema = current_schema()`)
    let total = 0
    for (const { name } of tables) {
      const rows = sql`${sql.identifier(name)} where repo_id = ${repo_id}`
      const [row] = await tx.select({ count: sql<number>`count(*)::int` }).from(rows)
      await tx.execute(sql`delete from ${rows}`)
      total += row?.count ?? 0
    }
    return total
  })
}
