/** The pairs of one side: all under its key, and what to write when they change. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { SideKey } from './pair.ts'
import type { PairName, PairRow } from './table.ts'
import { afterRename, otherOf } from './transitions.ts'

/** By the key of the other side. */
export type Pairs = ReadonlyMap<SideKey, PairRow>

export interface SidePairs {
  /** As they are stored. */
  rows: readonly PairRow[]
  /** Those of the branch have the key of its pull request. */
  pairs: Pairs
}

export interface PairChanges {
  deleted: PairName[]
  saved: PairRow[]
}

/**
 * The pairs of a side. Those that were stored under `branch_key`, before the branch had a pull request, get the key of the
 * pull request.
 */
export function gatherPairs(rows: readonly PairRow[], key: SideKey, branch_key: SideKey): Pairs {
  const isRenamed = ({ first, second }: PairName) =>
    branch_key !== key && (first === branch_key || second === branch_key)
  const pairs = new Map(rows.filter((row) => !isRenamed(row)).map((row) => [otherOf(row, key), row] as const))
  for (const row of rows.filter(isRenamed)) {
    const other = otherOf(row, branch_key)
    if (other !== key && !pairs.has(other)) pairs.set(other, afterRename(row, branch_key, key))
  }
  return pairs
}

/** What to write so that the stored `rows` become `next`. */
export function changePairs(rows: readonly PairRow[], next: Pairs): PairChanges {
  const nameOf = ({ first, second }: PairName) => `${first} ${second}`
  const stored = new Map(rows.map((row) => [nameOf(row), row]))
  const kept = new Set([...next.values()].map(nameOf))
  return {
    deleted: rows.filter((row) => !kept.has(nameOf(row))),
    saved: [...next.values()].filter((row) => !isDeepStrictEqual(stored.get(nameOf(row)), row)),
  }
}
