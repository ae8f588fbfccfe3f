/** The distance between two changes by the line numbers of their patches, without alignment, as a baseline for verdicts. Pure. */
import type { FileChange } from '../../src/server/line-verdicts/change.ts'
import { fileVerdict } from '../../src/server/line-verdicts/file-verdict.ts'

/** The number of unchanged lines between the nearest blocks; 0 if they touch, infinite if one of the patches has no lines. */
export function rawGap(yours: FileChange, theirs: FileChange): number {
  const [mine, its] = [yours.digest, theirs.digest]
  const isDecidedByLines = [yours, theirs].every(
    ({ status }) => status === 'modified' || status === 'renamed',
  )
  if (mine === null || its === null || !isDecidedByLines) {
    const { verdict } = fileVerdict(yours, theirs, { one_base: false, budget: { remaining: 0 } })
    return verdict === 'conflict' ? 0 : Number.POSITIVE_INFINITY
  }
  let [gap, a, b] = [Number.POSITIVE_INFINITY, 0, 0]
  // Blocks are in order, so the one that ends first is not compared with later ones.
  while (a < mine.blocks.length && b < its.blocks.length) {
    const [one, other] = [mine.blocks[a], its.blocks[b]] as const
    if (one === undefined || other === undefined) break
    gap = Math.min(gap, Math.max(0, Math.max(one.start, other.start) - Math.min(one.end, other.end)))
    if (one.end <= other.end) a++
    else b++
  }
  return gap
}
