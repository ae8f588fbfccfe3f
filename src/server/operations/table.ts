/** The table of idempotency keys. */
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, repoId } from '../platform/db/database.ts'

export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    repo_id: repoId(),
    /** `user:` and the id of a GitHub user, or `token:` and the hash of a token that belongs to no user. */
    caller: text().notNull(),
    operation: text().notNull(),
    key: text().notNull(),
    input_hash: text().notNull(),
    record_id: text().notNull(),
    /** The body of the response. Null until it is stored; a crash can leave it null. */
    answer: text(),
    created_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.caller, table.operation, table.key] }),
    index('idempotency_keys_age').on(table.repo_id, table.created_at),
  ],
)
