/** Queries of the ledger. Every statement starts with the repository id. */
import { and, asc, eq, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Batch } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { lockName } from '../db/statements.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import { withDecodedDigests } from '../line-verdicts/store.ts'
import { otherSlot, type SideKey, SLOTS, type Slot, slotOf } from './pair.ts'
import {
  merged_changes,
  type NoisePair,
  noise_pairs,
  type PairName,
  type PairRow,
  pair_totals,
  pairs,
} from './table.ts'

/** The maximum number of pairs of one side that are read: those that were found first. */
const PAIRS_MAX = 2_000

/** Locks the ledger of a repository until the transaction `tx` ends, because writers read rows before they change them. */
export async function lockLedger(tx: Db, repo_id: number): Promise<void> {
  await lockName(tx, ['pairs', repo_id])
}

const readPairsOf = prepared('pairs_of', (db) => {
  const keys = sql`array(select json_array_elements_text(${sql.placeholder('keys')}::text::json))`
  return db
    .select()
    .from(pairs)
    .where(
      and(
        eq(pairs.repo_id, sql.placeholder('repo_id')),
        or(sql`${pairs.first} = any(${keys})`, sql`${pairs.second} = any(${keys})`),
      ),
    )
    .orderBy(asc(pairs.seen_at), asc(pairs.first), asc(pairs.second))
    .limit(PAIRS_MAX)
})

/** The pairs in which one of `keys` is a side. */
export function listPairsOf(db: Db, repo_id: number, keys: SideKey[]): Promise<PairRow[]> {
  return readPairsOf(db, { repo_id, keys: JSON.stringify(keys) })
}

export async function findPair(db: Db, repo_id: number, name: PairName): Promise<PairRow | undefined> {
  const [row] = await db.select().from(pairs).where(isPair(repo_id, name))
  return row
}

function isPair(repo_id: number, { first, second }: PairName) {
  return and(eq(pairs.repo_id, repo_id), eq(pairs.first, first), eq(pairs.second, second))
}

/** What `markShown` and `saveMergeable` write without the lock, so that a row that was read before does not clear it. */
const kept = {
  first_shown_at: sql`coalesce(${pairs.first_shown_at}, excluded.first_shown_at)`,
  second_shown_at: sql`coalesce(${pairs.second_shown_at}, excluded.second_shown_at)`,
  was_mergeable: sql`coalesce(${pairs.was_mergeable}, excluded.was_mergeable)`,
}

/** Inserts or replaces pairs. */
export async function savePairs(tx: Db, rows: readonly PairRow[]): Promise<void> {
  for (const row of rows) {
    const { repo_id: _, first: __, second: ___, ...fields } = row
    await tx
      .insert(pairs)
      .values(row)
      .onConflictDoUpdate({
        target: [pairs.repo_id, pairs.first, pairs.second],
        set: { ...fields, ...kept },
      })
  }
}

/**
 * Records that the side `key` was shown its pairs with `others`, those that are stored. A pair is shown to a side once.
 * Returns whether the side is the first one of a pair that was shown it.
 */
export async function markShown(
  db: Db,
  repo_id: number,
  key: SideKey,
  { others, at }: { others: SideKey[]; at: Date },
): Promise<boolean> {
  let isFirst = false
  // One row in each statement, because statements that lock several could deadlock.
  for (const other of others) {
    const slot = slotOf(key, other)
    const [first, second] = slot === 'first' ? [key, other] : [other, key]
    const [marked] = await db
      .update(pairs)
      .set({ [`${slot}_shown_at`]: at })
      .where(and(isPair(repo_id, { first, second }), isNull(pairs[`${slot}_shown_at`])))
      .returning({ of_other: pairs[`${otherSlot(slot)}_shown_at`] })
    if (marked && marked.of_other === null) isFirst = true
  }
  return isFirst
}

/** Whether the side in `slot` was shown the pair before the other one. */
function isShownFirst(slot: Slot) {
  const [own, other] = [pairs[`${slot}_shown_at`], pairs[`${otherSlot(slot)}_shown_at`]]
  return and(isNotNull(own), or(isNull(other), lte(own, other)))
}

/** Whether the side `key` was the first one to be shown an open pair, and it is not known whether it could be merged. */
export async function isMergeableAwaited(db: Db, repo_id: number, key: SideKey): Promise<boolean> {
  const rows = await db
    .select({ first: pairs.first })
    .from(pairs)
    .where(and(eq(pairs.repo_id, repo_id), or(...SLOTS.map((slot) => isAwaitedOf(repo_id, key, slot)))))
    .limit(1)
  return rows.length > 0
}

/** Stores whether GitHub could merge the side `key` with the pairs for which that is awaited. */
export async function saveMergeable(
  db: Db,
  repo_id: number,
  key: SideKey,
  was_mergeable: boolean,
): Promise<void> {
  for (const slot of SLOTS)
    await db
      .update(pairs)
      .set({ was_mergeable })
      .where(isAwaitedOf(repo_id, key, slot))
}

function isAwaitedOf(repo_id: number, key: SideKey, slot: Slot) {
  const isUnknown = and(isNull(pairs.merged), isNull(pairs.was_mergeable))
  return and(isOpenOf(repo_id, key, slot), isUnknown, isShownFirst(slot))
}

/** Records that the side `key` does not see its open pairs any more. The transaction `tx` has locked the ledger. */
export async function clearShown(tx: Db, repo_id: number, key: SideKey): Promise<void> {
  for (const slot of SLOTS)
    await tx
      .update(pairs)
      .set({
        [`${slot}_shown_at`]: null,
        was_mergeable: sql`case when ${isShownFirst(slot)} then null else ${pairs.was_mergeable} end`,
      })
      .where(and(isOpenOf(repo_id, key, slot), isNotNull(pairs[`${slot}_shown_at`])))
}

function isOpenOf(repo_id: number, key: SideKey, slot: Slot) {
  return and(eq(pairs.repo_id, repo_id), eq(pairs[slot], key), eq(pairs.outcome, 'open'))
}

export async function deletePair(tx: Db, repo_id: number, name: PairName): Promise<void> {
  await tx.delete(pairs).where(isPair(repo_id, name))
}

/** Keeps the changed files of the activities `ids`, which end now, under the key of their pull request. */
export async function saveMergedChanges(
  tx: Db,
  repo_id: number,
  { side, ids }: { side: SideKey; ids: string[] },
): Promise<void> {
  await tx.execute(sql`insert into merged_changes
      (repo_id, side, position, path, previous_path, status, blob_sha, changed_lines, digest)
    select ${repo_id}::bigint, ${side}::text, row_number() over (order by path), path, previous_path, status, blob_sha,
      changed_lines, digest
    from (select distinct on (path) * from file_changes
      where repo_id = ${repo_id} and name = path and activity_id in (
        select * from json_array_elements_text(${JSON.stringify(ids)}::text::json))
      order by path, origin desc) as kept
    on conflict do nothing`)
}

/** The files that `saveMergedChanges` kept. */
export async function listMergedChanges(db: Db, repo_id: number, side: SideKey): Promise<FileChange[]> {
  const { path, previous_path, status, blob_sha, changed_lines, digest } = merged_changes
  const rows = await db
    .select({ path, previous_path, status, blob_sha, changed_lines, digest })
    .from(merged_changes)
    .where(and(eq(merged_changes.repo_id, repo_id), eq(merged_changes.side, side)))
    .orderBy(asc(merged_changes.position))
  return withDecodedDigests(rows)
}

/** Deletes the kept files of pull requests without a pair whose outcome is open. */
export async function deleteUnusedMergedChanges(tx: Db, repo_id: number): Promise<void> {
  const awaited = sql`select case merged when 'first' then first else second end from pairs
    where repo_id = ${repo_id} and outcome = 'open' and merged is not null`
  await tx
    .delete(merged_changes)
    .where(and(eq(merged_changes.repo_id, repo_id), sql`${merged_changes.side} not in (${awaited})`))
}

/** Stores pairs that share only noise, once for each class of noise that they share. */
export async function saveNoisePairs(
  tx: Db,
  repo_id: number,
  found: readonly NoisePair[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return
  await tx
    .insert(noise_pairs)
    .values(found.map((each) => ({ ...each, repo_id, seen_at: now })))
    .onConflictDoNothing()
}

/** Up to `limit` pairs, open or ended, to which nothing has happened since `before`. */
export async function listOldPairs(
  db: Db,
  repo_id: number,
  before: Date,
  { limit, except }: Batch<PairName>,
): Promise<PairName[]> {
  const skipped = new Set(except.map(({ first, second }) => `${first} ${second}`))
  const rows = await db
    .select({ first: pairs.first, second: pairs.second })
    .from(pairs)
    .where(isOld(repo_id, before))
    .orderBy(asc(pairs.seen_at), asc(pairs.first), asc(pairs.second))
    .limit(limit + except.length)
  return rows.filter(({ first, second }) => !skipped.has(`${first} ${second}`)).slice(0, limit)
}

function isOld(repo_id: number, before: Date) {
  const last = sql`greatest(${pairs.seen_at}, ${pairs.first_active_at}, ${pairs.second_active_at}, ${pairs.ended_at}, ${pairs.merged_at})`
  return and(
    eq(pairs.repo_id, repo_id),
    lte(pairs.seen_at, before),
    sql`${last} <= ${before.toISOString()}::timestamptz`,
  )
}

/**
 * Deletes these pairs and adds those that were shown to the totals of their months, in the transaction `tx`; returns how
 * many.
 */
export async function purgePairs(tx: Db, repo_id: number, before: Date, names: PairName[]): Promise<number> {
  let deleted = 0
  for (const { first, second } of names) {
    const [row] = await tx
      .delete(pairs)
      .where(and(isOld(repo_id, before), eq(pairs.first, first), eq(pairs.second, second)))
      .returning()
    if (!row) continue
    deleted += 1
    if (row.first_shown_at === null && row.second_shown_at === null) continue
    const month = row.seen_at.toISOString().slice(0, 7)
    await tx
      .insert(pair_totals)
      .values({ repo_id, month, outcome: row.outcome, pairs: 1 })
      .onConflictDoUpdate({
        target: [pair_totals.repo_id, pair_totals.month, pair_totals.outcome],
        set: { pairs: sql`${pair_totals.pairs} + 1` },
      })
  }
  await deleteUnusedMergedChanges(tx, repo_id)
  return deleted
}

/** Deletes pairs of noise that were first seen before `before`; returns how many. */
export async function deleteNoisePairs(db: Db, repo_id: number, before: Date): Promise<number> {
  const deleted = await db
    .delete(noise_pairs)
    .where(and(eq(noise_pairs.repo_id, repo_id), lt(noise_pairs.seen_at, before)))
    .returning({ first: noise_pairs.first })
  return deleted.length
}

/** Deletes the whole ledger of a repository. Returns how many pairs. */
export async function deleteLedger(tx: Db, repo_id: number): Promise<number> {
  await tx.delete(merged_changes).where(eq(merged_changes.repo_id, repo_id))
  await tx.delete(noise_pairs).where(eq(noise_pairs.repo_id, repo_id))
  await tx.delete(pair_totals).where(eq(pair_totals.repo_id, repo_id))
  const deleted = await tx.delete(pairs).where(eq(pairs.repo_id, repo_id)).returning({ first: pairs.first })
  return deleted.length
}
