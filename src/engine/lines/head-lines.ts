/** Finds the lines of a change in the changed file. Pure. */
import type { LineRange } from '../../vocabulary/verdict.ts'
import type { Digest } from './digest.ts'

/**
 * The lines of the changed file that replace the blocks within `range`, which counts the lines of the base. Removed lines are
 * represented by the line before them. Null if no block is within the range.
 */
export function headLinesOf({ blocks }: Digest, [first, last]: LineRange): LineRange | null {
  let shift = 0
  let [from, to] = [Number.POSITIVE_INFINITY, 0]
  for (const { start, end, added_at, added_end } of blocks) {
    if (start > last) break
    const added = added_end - added_at
    if (start >= first) {
      const line = Math.max(start + shift - (added === 0 ? 1 : 0), 1)
      from = Math.min(from, line)
      to = Math.max(to, line + Math.max(added, 1) - 1)
    }
    shift += added - (end - start)
  }
  return to === 0 ? null : [from, to]
}
