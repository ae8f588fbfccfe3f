/** The table of the ledger: which pairs conflict or do the same, who was shown them, and what became of them. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Consequence, TakenFinding } from '../../vocabulary/finding-kinds.ts'
import type { Outcome } from '../../vocabulary/shown.ts'
import type { Confidence, LineRange } from '../../vocabulary/verdict.ts'
import { byteText, instant, repoId } from '../platform/db/database.ts'

/** The two sides of a stored pair. */
export const SLOTS = ['a', 'b'] as const
export type Slot = (typeof SLOTS)[number]
export type BySlot<Value> = Record<Slot, Value>

/** A side as of the last comparison. */
export interface PairSide {
  /** The login of its author; null if unknown. */
  author: string | null
  /** When it was last pushed or declared, as `Date.toISOString` writes it. */
  active_at: string
  /** The head commit of a pull request; null for a branch. */
  head: string | null
}

/** A file in which a pair conflicts, with the lines of each side on its own base. */
export type PairFile = BySlot<LineRange | null> & { path: string }

/** A number or a parent that both sides take (docs/contract/numbers.md). */
export type PairSequence = BySlot<PairTaker> & {
  kind: TakenFinding['kind']
  directory: string
  /** The number, or the name of the parent. */
  value: string
}

/** The name of the file that takes it, and the name by which other migrations build on that; null for numbers. */
interface PairTaker {
  name: string
  own: string | null
}

/** One row per pair of pull requests, or of branches without one. */
export const pairs = pgTable(
  'pairs',
  {
    repo_id: repoId(),
    /** The keys of both sides, see `SideKey`; the lower one is `a`. */
    a: byteText().notNull(),
    b: byteText().notNull(),
    sides: jsonb().$type<BySlot<PairSide>>().notNull(),
    /** The side whose event brought the pair about; null if unknown. */
    cause: text().$type<Slot>(),
    consequence: text().$type<Consequence>().notNull(),
    /** One side was merged, and has most of the lines that the other one adds. */
    is_done: boolean().notNull().default(false),
    /** The strongest confidence of its conflicts; null if there is none. */
    confidence: text().$type<Confidence>(),
    /** The files that conflict, at most 20. */
    files: jsonb().$type<PairFile[]>().notNull(),
    /** The numbers and parents that both take; at most ten of each. */
    sequence: jsonb().$type<PairSequence[]>().notNull().default([]),
    seen_at: instant().notNull(),
    /** When each side was shown the pair, or would have been in shadow mode. */
    a_shown_at: instant(),
    b_shown_at: instant(),
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
    primaryKey({ columns: [table.repo_id, table.a, table.b] }),
    index('pairs_b').on(table.repo_id, table.b),
    index('pairs_seen').on(table.repo_id, table.seen_at),
    index('pairs_shown')
      .on(table.repo_id, firstShownAt(table))
      .where(sql`${firstShownAt(table)} is not null`),
    check('pairs_order_check', sql`${table.a} < ${table.b}`),
    check('pairs_place_check', sql`(${table.merged} is null) = (${table.merged_at} is null)`),
    check('pairs_outcome_check', sql`(${table.outcome} = 'open') = (${table.ended_at} is null)`),
  ],
)

/** When either side was first shown the pair; null if neither was. */
export function firstShownAt(table: Record<`${Slot}_shown_at`, SQLWrapper>): SQL {
  return sql`least(${table.a_shown_at}, ${table.b_shown_at})`
}

export type PairRow = typeof pairs.$inferSelect
export type PairName = Pick<PairRow, Slot>
