/** The table of names that the pull requests of live activities take away or use anew, as keyed hashes. */
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core'
import { byteText, repoId } from '../db/column.ts'

/** One row per name of an activity; see `ChangedName`. */
export const changed_names = pgTable(
  'changed_names',
  {
    repo_id: repoId(),
    activity_id: byteText().notNull(),
    /** The index in `NAME_KINDS`. */
    kind: smallint().notNull(),
    key: integer().notNull(),
    position: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.activity_id, table.kind, table.key] }),
    index('changed_names_used').on(table.repo_id, table.key).where(sql`kind = 0`),
    // Few pull requests take a name away, so this index is small.
    index('changed_names_taken').on(table.repo_id, table.key).where(sql`kind > 0`),
    check('changed_names_kind_check', sql`${table.repo_id} > 0 and ${table.kind} >= 0 and ${table.key} >= 0`),
  ],
)
