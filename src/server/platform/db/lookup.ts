/** Reads many records by their ids, each by the primary key. */
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './database.ts'

/**
 * The records of `repo_id` whose ids are in the JSON array `ids`; both are placeholders. With `id = any(…)`, the planner
 * would read all rows of a repository that is missing from its statistics.
 */
export function selectByIds<Fields extends Record<string, PgColumn | SQL.Aliased<string>>>(
  db: Db,
  table: PgTable & { repo_id: PgColumn; id: PgColumn },
  fields: Fields,
) {
  const found = db
    .select(fields as Record<string, PgColumn>)
    .from(table as PgTable)
    .where(and(eq(table.repo_id, sql.placeholder('repo_id')), sql`${table.id} = wanted.wanted_id`))
    .orderBy(asc(table.repo_id), asc(table.id))
    .limit(1)
    .as('found')
  const columns = found as unknown as Fields
  const all = Object.fromEntries(Object.keys(fields).map((name) => [name, columns[name]])) as Fields
  return db
    .select(all)
    .from(sql`json_array_elements_text(${sql.placeholder('ids')}::text::json) as wanted(wanted_id)`)
    .crossJoinLateral(found)
}
