/** The ledger: its lock, its queries, and what is written of the pairs of a side. Every statement starts with the repository id. */

import { isDeepStrictEqual } from 'node:util'
import { and, asc, count, desc, eq, gte, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { CONSEQUENCES, type Consequence } from '../../vocabulary/finding-kinds.ts'
import { OUTCOMES, type Outcome } from '../../vocabulary/shown.ts'
import { inTurn } from '../platform/background.ts'
import { COUNTED_MAX, type Db, lockName } from '../platform/db/database.ts'
import { inTransaction, type RepoContext } from '../records/repositories/repo.ts'
import { branchKey, numberOf, type SideKey } from './sides.ts'
import { firstShownAt, type PairName, type PairRow, pairs, SLOTS } from './table.ts'
import { afterEnd, bySlot, gatherPairs, type Pairs, slotOf } from './transitions.ts'

/** The maximum number of pairs of one side that are read: open ones, then those that were found first. */
const PAIRS_MAX = 2_000

/**
 * Runs a transaction that has locked the ledger of the repository, because writers read rows before they change them. Those of one
 * repository wait for each other before they take a connection: they would hold all connections of the pool if one of them took long.
 */
export function inLedger<Result>(
  ctx: RepoContext,
  work: (within: RepoContext) => Promise<Result>,
): Promise<Result> {
  const { id } = ctx.repo
  return inTurn(`ledger:${id}`, () =>
    inTransaction(ctx, async (within) => {
      await lockName(within.db, ['pairs', id])
      return work(within)
    }),
  )
}

export interface SidePairs {
  /** As they are stored. */
  rows: readonly PairRow[]
  /** Those of the branch have the key of its pull request. */
  pairs: Pairs
}

/** Reads the pairs of a side, to change them; see `gatherPairs`. `within`: that of `inLedger`. */
export async function readPairs(
  { db, repo }: RepoContext,
  key: SideKey,
  branch: string | null,
): Promise<SidePairs> {
  const branch_key = branch === null ? key : branchKey(branch)
  const rows = await listPairsOf(db, repo.id, [...new Set([key, branch_key])])
  return { rows, pairs: gatherPairs(rows, key, branch_key) }
}

/** The pairs in which one of `keys` is a side. */
function listPairsOf(db: Db, repo_id: number, keys: SideKey[]): Promise<PairRow[]> {
  const any = sql`any(array(select json_array_elements_text(${JSON.stringify(keys)}::text::json)))`
  return db
    .select()
    .from(pairs)
    .where(and(eq(pairs.repo_id, repo_id), or(sql`${pairs.a} = ${any}`, sql`${pairs.b} = ${any}`)))
    .orderBy(sql`${pairs.outcome} <> 'open'`, asc(pairs.seen_at), asc(pairs.a), asc(pairs.b))
    .limit(PAIRS_MAX)
}

export async function findPair(db: Db, repo_id: number, name: PairName): Promise<PairRow | undefined> {
  const [row] = await db.select().from(pairs).where(isPair(repo_id, name))
  return row
}

function isPair(repo_id: number, { a, b }: PairName) {
  return and(eq(pairs.repo_id, repo_id), eq(pairs.a, a), eq(pairs.b, b))
}

/** Writes what pairs became that were read with `readPairs` in the same transaction. */
export async function writePairs({ db, repo }: RepoContext, { rows }: SidePairs, next: Pairs): Promise<void> {
  const nameOf = ({ a, b }: PairName) => `${a} ${b}`
  const stored = new Map(rows.map((row) => [nameOf(row), row]))
  const kept = new Set([...next.values()].map(nameOf))
  for (const row of rows) if (!kept.has(nameOf(row))) await db.delete(pairs).where(isPair(repo.id, row))
  const changed = [...next.values()].filter((row) => !isDeepStrictEqual(stored.get(nameOf(row)), row))
  await savePairs(db, changed)
}

/** Inserts pairs, or replaces all but what `markShown` writes without the lock. */
export async function savePairs(tx: Db, rows: readonly PairRow[]): Promise<void> {
  for (const row of rows) {
    const { repo_id: _, a: __, b: ___, a_shown_at: ____, b_shown_at: _____, ...fields } = row
    await tx
      .insert(pairs)
      .values(row)
      .onConflictDoUpdate({ target: [pairs.repo_id, pairs.a, pairs.b], set: fields })
  }
}

/** A pull request that was merged or closed, or a branch whose work ended. */
interface EndedSide {
  key: SideKey
  /** The branch of a pull request, unless it is in a fork. */
  branch: string | null
  is_merged: boolean
  at: Date
}

/** Records that a side ended. Returns the pull requests whose pairs with it ended by its merge. */
export function recordEnd(ctx: RepoContext, side: EndedSide): Promise<number[]> {
  return inLedger(ctx, async (within) => {
    const own = await readPairs(within, side.key, side.branch)
    const next = new Map([...own.pairs].map(([other, row]) => [other, afterEnd(row, side)]))
    await writePairs(within, own, next)
    const ended = [...next].filter(([other, row]) => row !== own.pairs.get(other))
    return side.is_merged ? ended.flatMap(([other]) => numberOf(other) ?? []) : []
  })
}

/** Records that the side `key` was shown its pairs with `others`, those that are stored. A pair is shown to a side once. */
export async function markShown(
  { db, now, repo }: RepoContext,
  key: SideKey,
  others: readonly SideKey[],
): Promise<void> {
  // One row in each statement, because statements that lock several could deadlock.
  for (const other of others) {
    const slot = slotOf(key, other)
    await db
      .update(pairs)
      .set({ [`${slot}_shown_at`]: now })
      .where(and(isPair(repo.id, bySlot(slot, key, other)), isNull(pairs[`${slot}_shown_at`])))
  }
}

/** Records that the side `key` does not see its open pairs any more. The transaction `tx` has locked the ledger. */
export async function clearShown(tx: Db, repo_id: number, key: SideKey): Promise<void> {
  for (const slot of SLOTS)
    await tx
      .update(pairs)
      .set({ [`${slot}_shown_at`]: null })
      .where(
        and(
          eq(pairs.repo_id, repo_id),
          eq(pairs[slot], key),
          eq(pairs.outcome, 'open'),
          isNotNull(pairs[`${slot}_shown_at`]),
        ),
      )
}

/** Deletes the pairs, open or ended, to which nothing has happened since `before`. Returns how many. */
export async function purgePairs(db: Db, repo_id: number, before: Date): Promise<number> {
  const last = sql`greatest(${pairs.seen_at}, ${pairs.ended_at}, ${pairs.merged_at})`
  const last_active = sql`greatest(${pairs.sides}->'a'->>'active_at', ${pairs.sides}->'b'->>'active_at')`
  const deleted = await db
    .delete(pairs)
    .where(
      and(
        eq(pairs.repo_id, repo_id),
        lte(pairs.seen_at, before),
        sql`${last} <= ${before.toISOString()}::timestamptz`,
        sql`${last_active} <= ${before.toISOString()}::text`,
      ),
    )
    .returning({ a: pairs.a })
  return deleted.length
}

interface ShownCounts {
  by_outcome: Record<Outcome, number>
  by_consequence: Record<Consequence, number>
}

function shownSince(repo_id: number, since: Date): SQL {
  return and(eq(pairs.repo_id, repo_id), gte(firstShownAt(pairs), since.toISOString())) as SQL
}

/** Counts the pairs of a repository that were first shown since `since`, or all shown pairs of all repositories. */
export async function countShown(db: Db, of?: { repo_id: number; since: Date }): Promise<ShownCounts> {
  const { outcome, consequence } = pairs
  const shown = db
    .select({ outcome, consequence })
    .from(pairs)
    .where(of ? shownSince(of.repo_id, of.since) : isNotNull(firstShownAt(pairs)))
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
    .orderBy(desc(firstShownAt(pairs)), pairs.a, pairs.b)
    .limit(limit)
}
