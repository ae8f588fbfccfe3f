/** The table of reserved numbers. */
import { pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { byteText, instant, repoId } from '../../platform/db/column.ts'

/** A number that is kept for an activity while it is live. */
export const reserved_numbers = pgTable(
  'reserved_numbers',
  {
    repo_id: repoId(),
    directory: byteText().notNull(),
    activity_id: byteText().notNull(),
    /** As it is written, such as `0043`. */
    number: text().notNull(),
    reserved_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.directory, table.activity_id] }),
    uniqueIndex('reserved_numbers_number').on(table.repo_id, table.directory, table.number),
  ],
)

export type ReservedNumber = typeof reserved_numbers.$inferSelect
