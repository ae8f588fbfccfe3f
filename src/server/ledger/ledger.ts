/** Records in the ledger which pairs conflict, who was shown them, and what became of them. */
import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import type { NoiseRules } from '../line-verdicts/noise.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { outcomeAfterMerge } from './merged-lines.ts'
import type { LastChange, LedgerSide, SideKey, Sighting } from './pair.ts'
import { numberOf } from './pair.ts'
import * as store from './store.ts'
import type { PairRow } from './table.ts'
import {
  afterAbsence,
  afterEnd,
  afterRename,
  afterShowing,
  afterSighting,
  otherOf,
  wasPushedAfterMerge,
  withOutcome,
} from './transitions.ts'

/** Cost units of about 5 ns for comparing one side with merged lines. */
const MERGED_UNITS_MAX = 20_000_000

/**
 * The pairs of a side, by the key of the other side. Pairs that were stored under `branch_key`, before the branch had a pull
 * request, are moved to `key`. `within`: a transaction that has locked the ledger.
 */
export async function pairsOf(
  within: RepoContext,
  key: SideKey,
  branch_key: SideKey | null,
): Promise<Map<SideKey, PairRow>> {
  const { db, repo } = within
  const keys = branch_key === null || branch_key === key ? [key] : [key, branch_key]
  const rows = await store.listPairsOf(db, repo.id, keys)
  const pairs = new Map<SideKey, PairRow>()
  const isOf = (name: SideKey) => (row: PairRow) => row.first === name || row.second === name
  for (const row of rows.filter(isOf(key))) pairs.set(otherOf(row, key), row)
  if (branch_key === null || branch_key === key) return pairs
  for (const row of rows.filter(isOf(branch_key))) {
    const other = otherOf(row, branch_key)
    await store.deletePair(db, repo.id, row)
    if (other === key || pairs.has(other)) continue
    const next = afterRename(row, branch_key, key)
    await store.savePairs(db, [next])
    pairs.set(other, next)
  }
  return pairs
}

/** What a comparison of one side with all others found. */
export interface Sightings {
  found: Sighting[]
  /** The other sides of open pairs that were not found, with their last change. Null for a branch whose work has ended. */
  absent: ReadonlyMap<SideKey, LastChange | null>
  /** Everything was compared, so a pair that was not found does not exist any more. */
  is_complete: boolean
}

/**
 * Records the result of a comparison. Returns all pairs of the side. `pairs`: the result of `pairsOf` in the same
 * transaction.
 */
export async function enterSightings(
  within: RepoContext,
  side: LedgerSide,
  { pairs, found, absent, is_complete }: Sightings & { pairs: ReadonlyMap<SideKey, PairRow> },
): Promise<Map<SideKey, PairRow>> {
  const { now, repo } = within
  const next = new Map(pairs)
  for (const sighting of found)
    next.set(
      sighting.other,
      afterSighting(pairs.get(sighting.other), { side, sighting, repo_id: repo.id, now }),
    )
  if (is_complete) {
    for (const [other, last_change] of absent) {
      const row = pairs.get(other)
      if (row)
        next.set(other, afterAbsence(row, { key: side.key, mine: side.last_change, other: last_change }, now))
    }
  }
  await saveChanged(within, pairs, next)
  return next
}

async function saveChanged(
  { db, repo }: RepoContext,
  before: ReadonlyMap<SideKey, PairRow>,
  after: ReadonlyMap<SideKey, PairRow>,
): Promise<void> {
  const changed = [...after].filter(([other, row]) => !isDeepStrictEqual(before.get(other), row))
  await store.savePairs(
    db,
    changed.map(([, row]) => row),
  )
  const hasOutcome = changed.some(([, { merged, outcome }]) => merged !== null && outcome !== 'open')
  if (hasOutcome) await store.deleteUnusedMergedChanges(db, repo.id)
}

/** Records that a side was shown its pairs with `others`. */
export function enterShown(
  ctx: RepoContext,
  key: SideKey,
  { others, is_mergeable }: { others: SideKey[]; is_mergeable: boolean | null },
): Promise<void> {
  return inTransaction(ctx, async (within) => {
    await store.lockLedger(within.db, within.repo.id)
    const pairs = await pairsOf(within, key, null)
    const known = [...pairs].filter(([other]) => others.includes(other))
    const next = known.map(
      ([other, row]) => [other, afterShowing(row, { key, at: within.now, is_mergeable })] as const,
    )
    await saveChanged(within, pairs, new Map(next))
  })
}

/** A pull request that was merged or closed, or a branch whose work ended. */
export interface EndedSide {
  key: SideKey
  branch_key: SideKey | null
  is_merged: boolean
  at: Date
  /** Its activities, whose changed files are kept while an outcome is open. */
  activity_ids: string[]
}

/** Records that a side ended. Returns those of its pairs whose outcome now depends on the other side. */
export function enterEnd(ctx: RepoContext, side: EndedSide): Promise<PairRow[]> {
  return inTransaction(ctx, async (within) => {
    const { db, repo } = within
    await store.lockLedger(db, repo.id)
    const pairs = await pairsOf(within, side.key, side.branch_key)
    const next = new Map([...pairs].map(([other, row]) => [other, afterEnd(row, side)]))
    const awaited = [...next.values()].filter(
      (row) => row.outcome === 'open' && row.merged !== null && row[row.merged] === side.key,
    )
    if (awaited.length > 0 && side.activity_ids.length > 0)
      await store.saveMergedChanges(db, repo.id, { side: side.key, ids: side.activity_ids })
    await saveChanged(within, pairs, next)
    return awaited
  })
}

/**
 * Records the outcome of each pair whose other side was merged before the last push of this side. `files`: the changed files
 * of this side. A pair whose lines are unknown stays open. Returns all pairs of the side.
 */
export async function enterPushAfterMerge(
  within: RepoContext,
  side: LedgerSide,
  {
    pairs,
    files,
    noise,
  }: { pairs: ReadonlyMap<SideKey, PairRow>; files: () => Promise<FileChange[]>; noise: NoiseRules },
): Promise<Map<SideKey, PairRow>> {
  const { db, repo } = within
  const next = new Map(pairs)
  const awaited = [...pairs].filter(([, row]) => wasPushedAfterMerge(row, side.key, side.last_change))
  if (awaited.length === 0) return next
  const own = await files()
  const budget = { remaining: MERGED_UNITS_MAX }
  for (const [other, row] of awaited) {
    const merged = await store.listMergedChanges(db, repo.id, other)
    const outcome = merged.length > 0 ? outcomeAfterMerge(own, merged, { noise, budget }) : null
    if (outcome !== null) next.set(other, withOutcome(row, outcome, side.last_change.at))
  }
  await saveChanged(within, pairs, next)
  return next
}

/**
 * Counts a request to GitHub about the side that is still open after a merge. Undefined if there must be no request: the
 * outcome is known, or there were `max` already.
 */
export function enterRead(ctx: RepoContext, name: store.PairName, max: number): Promise<PairRow | undefined> {
  return inTransaction(ctx, async ({ db, repo }) => {
    await store.lockLedger(db, repo.id)
    const row = await store.findPair(db, repo.id, name)
    if (!row || row.merged === null || row.outcome !== 'open' || row.reads >= max) return undefined
    const next = { ...row, reads: row.reads + 1 }
    await store.savePairs(db, [next])
    return next
  })
}

/** Records an outcome that follows from GitHub's answer. */
export function enterOutcome(
  ctx: RepoContext,
  name: store.PairName,
  outcome: Exclude<Outcome, 'open'>,
): Promise<void> {
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await store.lockLedger(db, repo.id)
    const row = await store.findPair(db, repo.id, name)
    if (row?.outcome !== 'open') return
    await saveChanged(within, new Map(), new Map([[row.first, withOutcome(row, outcome, now)]]))
  })
}

/** Whether either side was shown the pair. */
export function wasShown({ first_shown_at, second_shown_at }: PairRow): boolean {
  return first_shown_at !== null || second_shown_at !== null
}

/**
 * The number of the pull request that is still open after the other side was merged. Null if neither was merged, or if the
 * other one is a branch.
 */
export function openNumberOf(row: PairRow): number | null {
  if (row.merged === null) return null
  return numberOf(row.merged === 'first' ? row.second : row.first)
}
