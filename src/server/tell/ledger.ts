/** The ledger records which pairs conflict, who was shown them, and what became of them. */
import { isDeepStrictEqual } from 'node:util'
import { inTurn } from '../platform/background.ts'
import { inTransaction, type RepoContext } from '../records/repositories/repo.ts'
import { branchKey, numberOf, type SideKey } from './sides.ts'
import * as store from './store.ts'
import type { PairName, PairRow } from './table.ts'
import { afterEnd, gatherPairs, type Pairs } from './transitions.ts'

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
  const rows = await store.listPairsOf(db, repo.id, [...new Set([key, branch_key])])
  return { rows, pairs: gatherPairs(rows, key, branch_key) }
}

/** Writes what pairs became that were read with `readPairs` in the same transaction. */
export async function writePairs({ db, repo }: RepoContext, { rows }: SidePairs, next: Pairs): Promise<void> {
  const nameOf = ({ a, b }: PairName) => `${a} ${b}`
  const stored = new Map(rows.map((row) => [nameOf(row), row]))
  const kept = new Set([...next.values()].map(nameOf))
  for (const row of rows) if (!kept.has(nameOf(row))) await store.deletePair(db, repo.id, row)
  const changed = [...next.values()].filter((row) => !isDeepStrictEqual(stored.get(nameOf(row)), row))
  await store.savePairs(db, changed)
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
