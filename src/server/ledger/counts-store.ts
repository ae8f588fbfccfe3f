/** Queries that count the pairs of the ledger. Every statement about one repository starts with its id. */
import { and, count, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { OUTCOMES, type Outcome } from '../../vocabulary/outcome.ts'
import { COUNTED_MAX } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { firstShownAt, type PairRow, pairs } from './table.ts'

type OutcomeCounts = Record<Outcome, number>

const isShown = sql`${firstShownAt(pairs)} is not null`

function shownSince(repo_id: number, since: Date): SQL {
  return and(eq(pairs.repo_id, repo_id), gte(firstShownAt(pairs), since.toISOString())) as SQL
}

/** The pairs first shown since `since`, by outcome. */
export function countShownSince(db: Db, repo_id: number, since: Date): Promise<OutcomeCounts> {
  return countOutcomes(db, shownSince(repo_id, since))
}

/** The shown pairs of all repositories, by outcome. */
export function countShown(db: Db): Promise<OutcomeCounts> {
  return countOutcomes(db, isShown)
}

async function countOutcomes(db: Db, condition: SQL): Promise<OutcomeCounts> {
  const shown = db
    .select({ outcome: pairs.outcome })
    .from(pairs)
    .where(condition)
    .limit(COUNTED_MAX)
    .as('shown')
  const rows = await db.select({ outcome: shown.outcome, count: count() }).from(shown).groupBy(shown.outcome)
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as OutcomeCounts
  for (const { outcome, count } of rows) counts[outcome] = count
  return counts
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
