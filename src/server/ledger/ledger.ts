/** The ledger records which pairs conflict, who was shown them, and what became of them. */
import { later } from '../../vocabulary/clock.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import { inTurn } from '../base/turns.ts'
import { enqueue, type NewJob } from '../jobs/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { branchKey, numberOf, otherSlot, type SideKey } from './pair.ts'
import { changePairs, gatherPairs, type PairChanges, type SidePairs } from './side-pairs.ts'
import * as store from './store.ts'
import type { PairName, PairRow } from './table.ts'
import { afterEnd, withOutcome } from './transitions.ts'

/**
 * Runs a transaction that has locked the ledger of the repository. Those of one repository wait for each other before they
 * take a connection: they would hold all connections of the pool if one of them took long.
 */
export function inLedger<Result>(
  ctx: RepoContext,
  work: (within: RepoContext) => Promise<Result>,
): Promise<Result> {
  const { id } = ctx.repo
  return inTurn(`ledger:${id}`, () =>
    inTransaction(ctx, async (within) => {
      await store.lockLedger(within.db, id)
      return work(within)
    }),
  )
}

/** Reads the pairs of a side, to change them; see `gatherPairs`. `within`: that of `inLedger`. */
export async function readPairs(
  { db, repo }: RepoContext,
  key: SideKey,
  branch: string | null,
): Promise<SidePairs> {
  const branch_key = branch === null ? key : branchKey(branch)
  const rows = await store.listPairsOf(db, repo.id, [...new Set([key, branch_key])])
  return { rows, pairs: gatherPairs(rows, key, branch_key) }
}

/** Writes pairs that were read with `readPairs` in the same transaction. */
export async function writePairs({ db, repo }: RepoContext, { deleted, saved }: PairChanges): Promise<void> {
  for (const name of deleted) await store.deletePair(db, repo.id, name)
  await store.savePairs(db, saved)
  const hasOutcome = saved.some(({ merged, outcome }) => merged !== null && outcome !== 'open')
  if (hasOutcome) await store.deleteUnusedMergedChanges(db, repo.id)
}

/** A pull request that was merged or closed, or a branch whose work ended. */
export interface EndedSide {
  key: SideKey
  /** The branch of a pull request, unless it is in a fork. */
  branch: string | null
  is_merged: boolean
  at: Date
  /** Its activities, whose changed files are kept while an outcome is open. */
  activity_ids: string[]
}

/** Records that a side ended. Returns those of its pairs whose outcome now depends on the other side. */
export function recordEnd(ctx: RepoContext, side: EndedSide): Promise<PairRow[]> {
  return inLedger(ctx, async (within) => {
    const own = await readPairs(within, side.key, side.branch)
    const next = new Map([...own.pairs].map(([other, row]) => [other, afterEnd(row, side)]))
    const awaited = [...next.values()].filter(
      (row) => row.outcome === 'open' && row.merged !== null && row[row.merged] === side.key,
    )
    if (awaited.length > 0 && side.activity_ids.length > 0)
      await store.saveMergedChanges(within.db, within.repo.id, { side: side.key, ids: side.activity_ids })
    await writePairs(within, changePairs(own.rows, next))
    return awaited
  })
}

/**
 * Counts a request to GitHub about the side that is still open after a merge. Undefined if there must be no request: the
 * outcome is known, it does not depend on whether the side can be merged, or there were `max` already.
 */
export function countRead(ctx: RepoContext, name: PairName, max: number): Promise<PairRow | undefined> {
  return changePair(ctx, name, (row) =>
    row.merged === null || row.is_done || row.reads >= max ? undefined : { ...row, reads: row.reads + 1 },
  )
}

/** Records an outcome that follows from GitHub's answer. */
export async function recordOutcome(
  ctx: RepoContext,
  name: PairName,
  outcome: Exclude<Outcome, 'open'>,
): Promise<void> {
  await changePair(ctx, name, (row) => withOutcome(row, outcome, ctx.now))
}

/** Changes a pair whose outcome is open. Returns the next row; undefined if nothing changed. */
function changePair(
  ctx: RepoContext,
  name: PairName,
  change: (row: PairRow) => PairRow | undefined,
): Promise<PairRow | undefined> {
  return inLedger(ctx, async (within) => {
    const row = await store.findPair(within.db, within.repo.id, name)
    const next = row?.outcome === 'open' ? change(row) : undefined
    if (next) await writePairs(within, { deleted: [], saved: [next] })
    return next
  })
}

/** The kind of job that asks GitHub whether a pull request could be merged when it was first shown a pair. */
export const MERGEABLE = 'mergeable'

/** GitHub computes the answer in the background, after a push. */
const MERGEABLE_AFTER_MS = 10_000

/** Records that the side `key` was shown its pairs with `others`. Enqueues one call to GitHub if it is the first one. */
export async function recordShown(
  { db, now, repo }: RepoContext,
  key: SideKey,
  others: SideKey[],
): Promise<void> {
  const isFirst = await store.markShown(db, repo.id, key, { others, at: now })
  const number = numberOf(key)
  if (!isFirst || number === null) return
  const id = `${MERGEABLE}:${repo.id}:${number}`
  const job: NewJob = {
    id,
    kind: MERGEABLE,
    priority: 'live',
    repo_id: repo.id,
    owner: repo.owner,
    payload: { number },
    run_at: later(now, MERGEABLE_AFTER_MS),
  }
  await enqueue(db, [job], now)
}

/** Whether either side was shown the pair. */
export function wasShown({ first_shown_at, second_shown_at }: PairRow): boolean {
  return first_shown_at !== null || second_shown_at !== null
}

/** Whether the side that is open after a merge could be merged when it was the first one to be shown the pair. */
export function wasClean({ merged, was_mergeable, ...row }: PairRow): boolean {
  if (merged === null || was_mergeable !== true) return false
  const [own, other] = [row[`${otherSlot(merged)}_shown_at`], row[`${merged}_shown_at`]]
  return own !== null && (other === null || own <= other)
}

/**
 * The number of the pull request that is still open after the other side was merged. Null if neither was merged, or if the
 * other one is a branch.
 */
export function openNumberOf(row: PairRow): number | null {
  if (row.merged === null) return null
  return numberOf(row.merged === 'first' ? row.second : row.first)
}
