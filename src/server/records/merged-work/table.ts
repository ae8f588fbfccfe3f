/** The table of lines that merged pull requests brought. */
import { index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { repoId } from '../../platform/db/database.ts'

/** One row per line and pull request. */
export const merged_lines = pgTable(
  'merged_lines',
  {
    repo_id: repoId(),
    /** A hash of the line, see `NewLines`. */
    hash: integer().notNull(),
    /** The pull request. */
    number: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.hash, table.number] }),
    index('merged_lines_number').on(table.repo_id, table.number),
  ],
)
