/** Queries that count the pairs of the ledger. Every statement about one repository starts with its id. */
import { and, count, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Outcome } from '../../vocabulary/outcome.ts'
import { COUNTED_MAX } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import type { NoiseClass } from '../line-verdicts/noise.ts'
import type { OutcomeCounts } from './precision.ts'
import { firstShownAt, noise_pairs, type PairRow, pair_totals, pairs } from './table.ts'

/** The maximum number of pairs whose files are counted, the newest ones. */
const FILED_MAX = 5_000

/** The maximum number of monthly totals that are read: more than those of a year. */
const TOTALS_MAX = 100

const isShown = sql`${firstShownAt(pairs)} is not null`

function shownSince(repo_id: number, since: Date): SQL {
  return and(eq(pairs.repo_id, repo_id), gte(firstShownAt(pairs), since.toISOString())) as SQL
}

/** The pairs first shown since `since`, by outcome. */
export function countShownSince(db: Db, repo_id: number, since: Date): Promise<Partial<OutcomeCounts>> {
  return countOutcomes(db, shownSince(repo_id, since))
}

/** Those of them whose work was done already. */
export function countDoneSince(db: Db, repo_id: number, since: Date): Promise<Partial<OutcomeCounts>> {
  return countOutcomes(db, and(shownSince(repo_id, since), eq(pairs.is_done, true)) as SQL)
}

/** The shown pairs of all repositories, by outcome. */
export function countShown(db: Db): Promise<Partial<OutcomeCounts>> {
  return countOutcomes(db, isShown)
}

async function countOutcomes(db: Db, condition: SQL): Promise<Partial<OutcomeCounts>> {
  const shown = db
    .select({ outcome: pairs.outcome })
    .from(pairs)
    .where(condition)
    .limit(COUNTED_MAX)
    .as('shown')
  const rows = await db.select({ outcome: shown.outcome, count: count() }).from(shown).groupBy(shown.outcome)
  return Object.fromEntries(rows.map((row) => [row.outcome, row.count]))
}

/** The pairs found since `since`, shown or not. */
export function countRecorded(db: Db, repo_id: number, since: Date): Promise<number> {
  const recorded = db
    .select({ one: sql`1`.as('one') })
    .from(pairs)
    .where(and(eq(pairs.repo_id, repo_id), gte(pairs.seen_at, since)))
    .limit(COUNTED_MAX)
    .as('recorded')
  return db.$count(recorded)
}

/** The pairs found since `since` that share only noise, by class, those with the most first. */
export async function countNoise(
  db: Db,
  repo_id: number,
  since: Date,
): Promise<Partial<Record<NoiseClass, number>>> {
  const found = db
    .select({ noise: noise_pairs.noise })
    .from(noise_pairs)
    .where(and(eq(noise_pairs.repo_id, repo_id), gte(noise_pairs.seen_at, since)))
    .orderBy(desc(noise_pairs.seen_at))
    .limit(COUNTED_MAX)
    .as('found')
  const rows = await db
    .select({ noise: found.noise, count: count() })
    .from(found)
    .groupBy(found.noise)
    .orderBy(desc(count()), found.noise)
  return Object.fromEntries(rows.map((row) => [row.noise, row.count]))
}

/** Files with the most pairs among the newest found since `since`. */
export function listHotFiles(
  db: Db,
  repo_id: number,
  { since, limit }: { since: Date; limit: number },
): Promise<{ path: string; pairs: number; people: number }[]> {
  const { first_author, second_author, files } = pairs
  const newest = db
    .select({ first_author, second_author, files })
    .from(pairs)
    .where(and(eq(pairs.repo_id, repo_id), gte(pairs.seen_at, since)))
    .orderBy(desc(pairs.seen_at))
    .limit(FILED_MAX)
    .as('newest')
  const path = sql<string>`file->>'path'`
  // For each file of a pair, the join returns two rows: one per author.
  const found = sql<number>`(count(*) / 2)::int`
  return db
    .select({ path, pairs: found, people: sql<number>`count(distinct lower(author) collate "C")::int` })
    .from(newest)
    .crossJoinLateral(sql`jsonb_array_elements(${newest.files}) as file`)
    .crossJoinLateral(sql`(values (${newest.first_author}), (${newest.second_author})) as authors (author)`)
    .groupBy(path)
    .orderBy(desc(found), path)
    .limit(limit)
}

/** Pairs first shown since `since`, the newest first. */
export function listShown(
  db: Db,
  repo_id: number,
  { since, limit }: { since: Date; limit: number },
): Promise<PairRow[]> {
  return db
    .select()
    .from(pairs)
    .where(shownSince(repo_id, since))
    .orderBy(desc(firstShownAt(pairs)), pairs.first, pairs.second)
    .limit(limit)
}

export interface MonthCount {
  /** Such as `2026-03`. */
  month: string
  outcome: Outcome
  pairs: number
}

/** The shown pairs by the month in which they were found, deleted ones included. A month and outcome may occur twice. */
export async function countByMonth(db: Db, repo_id: number): Promise<MonthCount[]> {
  const shown = db
    .select({
      month: sql<string>`to_char(${pairs.seen_at} at time zone 'UTC', 'YYYY-MM')`.as('month'),
      outcome: pairs.outcome,
    })
    .from(pairs)
    .where(and(eq(pairs.repo_id, repo_id), isShown))
    .limit(COUNTED_MAX)
    .as('shown')
  const stored = await db
    .select({ month: shown.month, outcome: shown.outcome, pairs: count() })
    .from(shown)
    .groupBy(shown.month, shown.outcome)
  const { month, outcome, pairs: total } = pair_totals
  const deleted = await db
    .select({ month, outcome, pairs: total })
    .from(pair_totals)
    .where(eq(pair_totals.repo_id, repo_id))
    .orderBy(desc(month))
    .limit(TOTALS_MAX)
  return [...stored, ...deleted]
}

/** The files of the newest pairs that conflict in several, found since `since`. */
export async function listFilesOfPairs(db: Db, repo_id: number, since: Date): Promise<string[][]> {
  const rows = await db
    .select({ files: pairs.files })
    .from(pairs)
    .where(
      and(eq(pairs.repo_id, repo_id), gte(pairs.seen_at, since), sql`jsonb_array_length(${pairs.files}) > 1`),
    )
    .orderBy(desc(pairs.seen_at))
    .limit(FILED_MAX)
  return rows.map(({ files }) => files.map(({ path }) => path))
}
