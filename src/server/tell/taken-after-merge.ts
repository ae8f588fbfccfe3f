/** What a side still takes of the numbers and parents of a pair whose other side was merged. Pure. */

import type { ChangedFile } from '../../engine/lines/change.ts'
import { stillTaken } from '../../engine/lines/taken.ts'
import type { SideKey } from './pair.ts'
import type { PairRow } from './table.ts'

/** `own_files`: the changed files of the side `key`. Empty unless the other side was merged. */
export function takenAfterMerge(row: PairRow, key: SideKey, own_files: readonly ChangedFile[]) {
  const { merged, sequence } = row
  if (merged === null || row[merged] === key) return []
  const isMergedFirst = merged === 'first'
  const seen = sequence.map(({ first, second, first_own, second_own, ...each }) => ({
    ...each,
    yours: isMergedFirst ? second : first,
    theirs: isMergedFirst ? first : second,
    their_own: isMergedFirst ? first_own : second_own,
  }))
  return stillTaken(own_files, seen)
}
