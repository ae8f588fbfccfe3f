/** The table of proofs: what runs of the team's own commands say about pairs of pull requests. */
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { PROOF_RESULTS, type ProofResult } from '../../vocabulary/contract/proof.ts'
import { byteText, instant, isOneOf, repoId } from '../db/column.ts'

/** One row per pair, head commits, base commit and command: the last result that was reported. */
export const proofs = pgTable(
  'proofs',
  {
    repo_id: repoId(),
    /** The numbers of the two pull requests; the lower one is `first`. */
    first: integer().notNull(),
    second: integer().notNull(),
    first_head: byteText().notNull(),
    second_head: byteText().notNull(),
    base: byteText().notNull(),
    command_hash: byteText().notNull(),
    result: text().$type<ProofResult>().notNull(),
    log_url: text(),
    reported_at: instant().notNull(),
  },
  (table) => [
    primaryKey({
      name: 'proofs_pk',
      columns: [
        table.repo_id,
        table.first,
        table.second,
        table.first_head,
        table.second_head,
        table.command_hash,
        table.base,
      ],
    }),
    index('proofs_second').on(table.repo_id, table.second),
    index('proofs_failed').on(table.repo_id, table.reported_at).where(sql`result = 'failed'`),
    index('proofs_reported').on(table.repo_id, table.reported_at),
    check(
      'proofs_order_check',
      sql`${table.repo_id} > 0 and 0 < ${table.first} and ${table.first} < ${table.second}`,
    ),
    check('proofs_result_check', isOneOf(table.result, PROOF_RESULTS)),
  ],
)

export type ProofRow = typeof proofs.$inferSelect
