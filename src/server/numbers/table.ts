/** The table of directories whose files pull requests number, although their names do not say so. */
import { integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { byteText, repoId } from '../db/column.ts'

export const learned_directories = pgTable(
  'learned_directories',
  {
    repo_id: repoId(),
    directory: byteText().notNull(),
    /** How many files were added with a number above all before. */
    files: integer().notNull(),
    /** The highest number. */
    last: integer().notNull(),
    /** The number of the file that was the last one needed; null before. Files with a higher number are numbered. */
    learned_at: integer(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.directory] })],
)
