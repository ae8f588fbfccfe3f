/** The lines that a side adds, as far as they say what work it is (docs/contract/lines.md#duplicates). Pure. */

import type { Steps } from '../../vocabulary/event-loop.ts'
import type { FileChange } from './change.ts'
import { type NoiseRules, noiseOf } from './noise.ts'

/** The hashes of the added telling lines of a side, without indentation: distinct, in ascending order. */
export type Fingerprint = Uint32Array

/** `files`: the changed files of the side. Those that are noise do not count. */
export function* fingerprintOf(files: readonly FileChange[], rules: NoiseRules): Steps<Fingerprint> {
  const lists: Uint32Array[] = []
  for (const file of files) {
    if (file.digest && isWork(file, rules)) lists.push(file.digest.trimmed)
    yield
  }
  const added = joined(lists)
  yield
  return distinct(added.sort())
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

/** How many lines both add. */
export function sharedCount(a: Uint32Array, b: Uint32Array): number {
  let [count, at] = [0, 0]
  for (const hash of a) {
    while (at < b.length && (b[at] as number) < hash) at++
    if (b[at] === hash) count++
  }
  return count
}
