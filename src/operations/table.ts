/** The tables of idempotency keys and of the quota that callers have used. */
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, repoId } from '../db/column.ts'

export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    repo_id: repoId(),
    /** A GitHub user, or the hash of a token that belongs to none. */
    caller: text().notNull(),
    operation: text().notNull(),
    key: text().notNull(),
    input_hash: text().notNull(),
    record_id: text().notNull(),
    /** The answer, to the letter; null until it is known, or after a crash before that. */
    answer: text(),
    created_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.caller, table.operation, table.key] }),
    index('idempotency_keys_age').on(table.repo_id, table.created_at),
  ],
)

/** Not a table of repositories: a caller's quota is one, wherever it is used. Unlogged (see the migration): it costs no disk write. */
export const quotas = pgTable('quotas', {
  /** `token:` and its hash; `failed:` or `undecided:` and the address of requests with a token that GitHub has not accepted. */
  caller: text().primaryKey(),
  window_start: instant().notNull(),
  used: integer().notNull(),
})
