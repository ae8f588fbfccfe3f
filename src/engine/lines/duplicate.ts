/**
 * Finds duplicates: two sides that seem to do the same work, by the lines that they add and the issues that they close
 * (docs/contract/lines.md#duplicates). Pure.
 */

import type { Steps } from '../../vocabulary/steps.ts'
import type { Duplicate } from '../../vocabulary/verdict.ts'
import type { FileChange } from './change.ts'
import { type NoiseRules, noiseOf } from './noise.ts'

/** Of the lines that the smaller side adds, the share that the other side must add too. */
const SHARE_MIN = 0.5
const ADDED_LINES_MIN = 5

/** The fields of a side that the comparison uses. They are computed once per side. */
export interface Fingerprint {
  /** The hashes of its added telling lines, without indentation: distinct, in ascending order. */
  added: Uint32Array
  /** See `closingIssues`. */
  closes: ReadonlySet<number>
}

/** `files`: the changed files of the side. Those that are noise do not count. */
export function* fingerprintOf(
  files: readonly FileChange[],
  rules: NoiseRules,
  closes: ReadonlySet<number> = new Set(),
): Steps<Fingerprint> {
  const lists: Uint32Array[] = []
  for (const file of files) {
    if (file.digest && isWork(file, rules)) lists.push(file.digest.trimmed)
    yield
  }
  const added = joined(lists)
  yield
  return { added: distinct(added.sort()), closes }
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}

/** A set of a large side would take three times as long. */
function distinct(sorted: Uint32Array): Uint32Array {
  let count = 0
  for (const each of sorted) if (count === 0 || each !== sorted[count - 1]) sorted[count++] = each
  return sorted.slice(0, count)
}

/** Whether the lines of a file say what work it is. Those of manifests do: two updates of the same dependency are duplicates. */
export function isWork(file: FileChange, rules: NoiseRules): boolean {
  const noise = noiseOf(file, rules)
  return noise === null || noise === 'manifest'
}

/** Null if they are not duplicates. */
export function duplicateOf(a: Fingerprint, b: Fingerprint): Duplicate | null {
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
