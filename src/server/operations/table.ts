/** The tables of idempotency keys and of quotas. */
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, repoId } from '../db/column.ts'

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
    check('idempotency_keys_caller_check', sql`${table.repo_id} > 0 and ${table.caller} ~ '^(user|token):.'`),
    check('idempotency_keys_key_check', sql`${table.key} ~ '^[ -~]{1,255}$'`),
    check('idempotency_keys_input_hash_check', sql`${table.input_hash} ~ '^[0-9a-f]{64}$'`),
  ],
)

/** Belongs to callers, not to a repository: a quota covers all repositories. Unlogged (see the migration), so that updates do not wait for the disk. */
export const quotas = pgTable('quotas', {
  /** `token:` and the hash of a token, or `failed:` or `undecided:` and a client address. */
  caller: text().primaryKey(),
  window_start: instant().notNull(),
  used: integer().notNull(),
})
