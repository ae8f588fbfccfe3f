/** The tables of the ledger: which pairs conflicted, who was shown them, and what became of them. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { ChangeStatus } from '../../vocabulary/contract/scope-changes.ts'
import { OUTCOMES, type Outcome } from '../../vocabulary/outcome.ts'
import type { Confidence } from '../../vocabulary/verdict.ts'
import { bytes, byteText, instant, isOneOf, repoId } from '../db/column.ts'
import type { NoiseClass } from '../line-verdicts/noise.ts'
import { type PairFile, type PairSequence, SLOTS, type Slot } from './pair.ts'

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
    is_duplicate: boolean().notNull(),
    /** A proof of the pair failed; see `proofs`. */
    fails_together: boolean().notNull().default(false),
    /** One side was merged, and has most of the lines that the other one adds. */
    is_done: boolean().notNull().default(false),
    /** The strongest confidence of its conflicts; null if there is none. */
    confidence: text().$type<Confidence>(),
    /** The files that conflict, at most `FILES_MAX`. */
    files: jsonb().$type<PairFile[]>().notNull(),
    /** The numbers and parents that both take; at most `SEQUENCES_MAX`. */
    sequence: jsonb().$type<PairSequence[]>().notNull().default([]),
    seen_at: instant().notNull(),
    /** When each side was shown the pair, or would have been in shadow mode. */
    first_shown_at: instant(),
    second_shown_at: instant(),
    /** When its notification was enqueued, see docs/notifications.md. */
    notified_at: instant(),
    /** Whether GitHub could merge the side that was shown the pair first, soon after that; null if unknown. */
    was_mergeable: boolean(),
    /** The side that was merged while the other one was open. */
    merged: text().$type<Slot>(),
    merged_at: instant(),
    /** How often GitHub has been asked about the other side since the merge. */
    reads: integer().notNull().default(0),
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
    check('pairs_order_check', sql`${table.repo_id} > 0 and ${table.first} < ${table.second}`),
    check(
      'pairs_place_check',
      sql`${isOneOf(table.cause, SLOTS)} and ${isOneOf(table.merged, SLOTS)} and (${table.merged} is null) = (${table.merged_at} is null)`,
    ),
    check(
      'pairs_outcome_check',
      sql`${isOneOf(table.outcome, OUTCOMES)} and (${table.outcome} = 'open') = (${table.ended_at} is null)`,
    ),
  ],
)

/** The changed files of a merged pull request, while the outcome of one of its pairs is open. */
export const merged_changes = pgTable(
  'merged_changes',
  {
    repo_id: repoId(),
    side: byteText().notNull(),
    position: integer().notNull(),
    path: text().notNull(),
    previous_path: text(),
    status: text().$type<ChangeStatus>().notNull(),
    blob_sha: text(),
    changed_lines: integer(),
    /** See `encodeDigest`. */
    digest: bytes(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.side, table.position] })],
)

/** Pairs that share only noise. One row per class of noise that they share. */
export const noise_pairs = pgTable(
  'noise_pairs',
  {
    repo_id: repoId(),
    noise: text().$type<NoiseClass>().notNull(),
    first: byteText().notNull(),
    second: byteText().notNull(),
    seen_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.noise, table.first, table.second] }),
    index('noise_pairs_seen').on(table.repo_id, table.seen_at),
  ],
)

/** The number of shown pairs by month and outcome, after their rows were deleted. */
export const pair_totals = pgTable(
  'pair_totals',
  {
    repo_id: repoId(),
    /** The month in which they were first seen, such as `2026-03`. */
    month: text().notNull(),
    outcome: text().$type<Outcome>().notNull(),
    pairs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.month, table.outcome] })],
)

export type PairRow = typeof pairs.$inferSelect
export type PairName = Pick<PairRow, 'first' | 'second'>
export type NoisePair = Pick<typeof noise_pairs.$inferSelect, 'noise' | 'first' | 'second'>
