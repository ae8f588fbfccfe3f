/**
 * Which merged work has most of the lines that other work adds (docs/contract/issues.md#done-already). The service asks its
 * database the same with these limits (src/server/records/merged-work/store.ts). Pure.
 */
import { DAY_MS } from '../../vocabulary/clock.ts'
import { addTo } from '../../vocabulary/lists.ts'
import type { NewLines } from './added-lines.ts'

/** How long the lines of merged work are kept. */
export const KEPT_FOR_MS = 30 * DAY_MS

/** How much of the lines that work adds merged work must have: a share, and a number of them. */
export const ENOUGH = { share_min: 0.8, shared_min: 8 }

/** Work that adds more lines is neither kept nor compared: an import of code, or generated code with an unusual name. */
export const NEW_LINES_MAX = 5_000

/** A line that so much merged work added says nothing about other work, such as one of a licence. */
export const COMMON_MIN = 3

/** Whether the lines of work can show that it is done. */
export function isComparable({ added, is_complete }: NewLines): boolean {
  return is_complete && added.length <= NEW_LINES_MAX && added.length >= ENOUGH.shared_min
}

interface Shared<Merged> {
  merged: Merged
  /** How many of the lines it has, and how many there are, without those that are common. */
  shared: number
  lines: number
}

export class MergedLines<Merged> {
  readonly #byHash = new Map<number, Merged[]>()

  /** Enters a merge: lines that it removes are forgotten of earlier ones that `isSameBase`. */
  merge(
    merged: Merged,
    { added, removed }: Pick<NewLines, 'added' | 'removed'>,
    isSameBase: (other: Merged) => boolean,
  ): void {
    for (const hash of removed) this.#drop(hash, isSameBase)
    if (added.length > NEW_LINES_MAX) return
    for (const hash of added) addTo(this.#byHash, hash, merged)
  }

  /** Forgets all lines of merged work that was taken back. */
  forget(isGone: (other: Merged) => boolean): void {
    for (const hash of this.#byHash.keys()) this.#drop(hash, isGone)
  }

  /** Those of the merges `isKept` that have enough of the lines, the one with the most first. */
  having(added: readonly number[], isKept: (merged: Merged) => boolean = () => true): Shared<Merged>[] {
    const counts = new Map<Merged, number>()
    let lines = added.length
    for (const hash of added) {
      const owners = (this.#byHash.get(hash) ?? []).filter(isKept)
      if (owners.length >= COMMON_MIN) lines -= 1
      else for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    }
    const least = Math.max(ENOUGH.shared_min, ENOUGH.share_min * lines)
    return [...counts]
      .filter(([, shared]) => shared >= least)
      .sort(([, a], [, b]) => b - a)
      .map(([merged, shared]) => ({ merged, shared, lines }))
  }

  #drop(hash: number, isGone: (other: Merged) => boolean): void {
    const owners = this.#byHash.get(hash)
    if (owners?.some(isGone))
      this.#byHash.set(
        hash,
        owners.filter((each) => !isGone(each)),
      )
  }
}
