/** The table of the ledger: which pairs conflicted, who was shown them, and what became of them. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Consequence } from '../../vocabulary/finding-kinds.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { Confidence } from '../../vocabulary/verdict.ts'
import { byteText, instant, repoId } from '../platform/db/column.ts'
import type { PairFile, PairSequence, Slot } from './pair.ts'

/** When either side was first shown the pair; null if neither was. */
export function firstShownAt(table: { first_shown_at: SQLWrapper; second_shown_at: SQLWrapper }): SQL {
  return sql`least(${table.first_shown_at}, ${table.second_shown_at})`
}

/** One row per pair of pull requests, or of branches without one. */
export const pairs = pgTable(
  'pairs',
  {
    repo_id: repoId(),
    /** The keys of both sides, see `SideKey`; the lower one is `first`. */
    first: byteText().notNull(),
    second: byteText().notNull(),
    /** The logins of their authors; null if unknown. */
    first_author: text(),
    second_author: text(),
    /** When each side was last pushed or declared, as of the last comparison. */
    first_active_at: instant().notNull(),
    second_active_at: instant().notNull(),
    /** The head commit of each pull request, as of the last comparison; null for a branch. */
    first_head: text(),
    second_head: text(),
    /** The side whose event brought the pair about; null if unknown. */
    cause: text().$type<Slot>(),
    consequence: text().$type<Consequence>().notNull(),
    /** One side was merged, and has most of the lines that the other one adds. */
    is_done: boolean().notNull().default(false),
    /** The strongest confidence of its conflicts; null if there is none. */
    confidence: text().$type<Confidence>(),
    /** The files that conflict, at most `FILES_MAX`. */
    files: jsonb().$type<PairFile[]>().notNull(),
    /** The numbers and parents that both take; at most ten of each. */
    sequence: jsonb().$type<PairSequence[]>().notNull().default([]),
    seen_at: instant().notNull(),
    /** When each side was shown the pair, or would have been in shadow mode. */
    first_shown_at: instant(),
    second_shown_at: instant(),
    /** When its notification was enqueued, see docs/notifications.md. */
    notified_at: instant(),
    /** The side that was merged first. */
    merged: text().$type<Slot>(),
    merged_at: instant(),
    outcome: text().$type<Outcome>().notNull().default('open'),
    /** When the outcome was known; null while it is open. */
    ended_at: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.first, table.second] }),
    index('pairs_second').on(table.repo_id, table.second),
    index('pairs_seen').on(table.repo_id, table.seen_at),
    index('pairs_shown')
      .on(table.repo_id, firstShownAt(table))
      .where(sql`${firstShownAt(table)} is not null`),
    check('pairs_order_check', sql`${table.first} < ${table.second}`),
    check('pairs_place_check', sql`(${table.merged} is null) = (${table.merged_at} is null)`),
    check('pairs_outcome_check', sql`(${table.outcome} = 'open') = (${table.ended_at} is null)`),
  ],
)

export type PairRow = typeof pairs.$inferSelect
export type PairName = Pick<PairRow, 'first' | 'second'>
