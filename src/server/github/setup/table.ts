/** The tables of `/setup`: the codes that open it, and the GitHub App that it created. They belong to no repository. */
import { sql } from 'drizzle-orm'
import { check, pgTable, smallint, text } from 'drizzle-orm/pg-core'
import { instant } from '../../platform/db/database.ts'

export const setup_codes = pgTable('setup_codes', {
  /** SHA-256 of the code. */
  code_hash: text().primaryKey(),
  expires_at: instant().notNull(),
})

/** One row at most. */
export const created_app = pgTable(
  'created_app',
  {
    id: smallint().primaryKey().default(1),
    /** The credentials as a JWE, encrypted with `SECRETS_KEY`. */
    credentials: text().notNull(),
    created_at: instant().notNull(),
  },
  (table) => [check('created_app_id_check', sql`${table.id} = 1`)],
)
