/** Whether two sides do the same work: by the lines that they add, and by the issue that they close (contract §11). Pure. */
import type { FileChange } from './change.ts'
import { type NoiseRules, noiseOf } from './noise.ts'

/** Of the smaller side. */
const SHARE_MIN = 0.5
const ADDED_LINES_MIN = 5

/** What the comparison needs of a side. It is made once for each side, however many it is compared with. */
export interface Work {
  /** The hashes of the telling lines that it adds, without indentation: each once, in ascending order. */
  added: Uint32Array
  /** See `closingIssues`. */
  closes: ReadonlySet<number | string>
}

export interface Duplicate {
  /** The part of the smaller side's added lines that the other adds as well, 0 to 1. */
  share: number
  /** The different telling lines that the smaller side adds. */
  added_lines: number
  /** An issue that both close: its number, or `owner/name#7` in another repository. */
  issue: number | string | null
}

export function workOf(
  files: readonly FileChange[],
  rules: NoiseRules,
  closes: ReadonlySet<number | string> = new Set(),
): Work {
  const added = new Set<number>()
  for (const file of files) {
    const noise = noiseOf(file, rules)
    // Two that raise the same dependency do the same work.
    if (noise !== null && noise !== 'manifest') continue
    for (const hash of file.digest?.trimmed ?? []) added.add(hash)
  }
  return { added: Uint32Array.from(added).sort(), closes }
}

/** Null if they do not do the same. */
export function duplicateOf(a: Work, b: Work): Duplicate | null {
  const added_lines = Math.min(a.added.length, b.added.length)
  const share = added_lines === 0 ? 0 : sharedCount(a.added, b.added) / added_lines
  const issue = [...a.closes].find((each) => b.closes.has(each)) ?? null
  const isAlike = added_lines >= ADDED_LINES_MIN && share >= SHARE_MIN
  return isAlike || issue !== null ? { share, added_lines, issue } : null
}

function sharedCount(a: Uint32Array, b: Uint32Array): number {
  let [count, at] = [0, 0]
  for (const hash of a) {
    while (at < b.length && (b[at] as number) < hash) at++
    if (b[at] === hash) count++
  }
  return count
}
