/** Queries that count the pairs of the ledger. Every statement about one repository starts with its id. */
import { and, count, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { CONSEQUENCES, type Consequence } from '../../vocabulary/finding-kinds.ts'
import { OUTCOMES, type Outcome } from '../../vocabulary/outcome.ts'
import { COUNTED_MAX, type Db } from '../platform/db/database.ts'
import { firstShownAt, type PairRow, pairs } from './table.ts'

interface ShownCounts {
  by_outcome: Record<Outcome, number>
  by_consequence: Record<Consequence, number>
}

const isShown = sql`${firstShownAt(pairs)} is not null`

function shownSince(repo_id: number, since: Date): SQL {
  return and(eq(pairs.repo_id, repo_id), gte(firstShownAt(pairs), since.toISOString())) as SQL
}

/** The pairs first shown since `since`. */
export function countShownSince(db: Db, repo_id: number, since: Date): Promise<ShownCounts> {
  return countPairs(db, shownSince(repo_id, since))
}

/** The shown pairs of all repositories, by outcome. */
export async function countShown(db: Db): Promise<Record<Outcome, number>> {
  return (await countPairs(db, isShown)).by_outcome
}

async function countPairs(db: Db, condition: SQL): Promise<ShownCounts> {
  const { outcome, consequence } = pairs
  const shown = db
    .select({ outcome, consequence })
    .from(pairs)
    .where(condition)
    .limit(COUNTED_MAX)
    .as('shown')
  const rows = await db
    .select({ outcome: shown.outcome, consequence: shown.consequence, count: count() })
    .from(shown)
    .groupBy(shown.outcome, shown.consequence)
  const zeros = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  const counts = { by_outcome: zeros(OUTCOMES), by_consequence: zeros(CONSEQUENCES) }
  for (const row of rows) {
    counts.by_outcome[row.outcome] += row.count
    counts.by_consequence[row.consequence] += row.count
  }
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
