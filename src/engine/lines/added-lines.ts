/** The lines that a side adds and takes away, as far as they say what work it is (docs/contract/lines.md#duplicates), or that it was done already (docs/contract/issues.md#done-already). Pure. */

import { DAY_MS, type Steps } from '../../vocabulary/clock.ts'
import { addTo } from '../../vocabulary/lists.ts'
import { EMPTY_BLOB, type FileChange, isBinary, isOnlyRenamed, noiseOf } from './change.ts'
import type { Digest } from './digest.ts'
import { isTelling, type LineWord } from './line-hash.ts'
import type { NoiseRules } from './noise.ts'

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

/**
 * Distinct hashes of 31 bits of telling lines, with their indentation. A line that is taken away in one place and added in
 * another, as when code is moved, is in neither.
 */
export interface NewLines {
  added: number[]
  removed: number[]
  /** False if the lines of a file are unknown. */
  is_complete: boolean
}

/** Words of one step. */
const STEP = 1_000

/** `files`: those of one side. Files that are noise bring no lines. */
export function* newLinesOf(files: readonly FileChange[], rules: NoiseRules): Steps<NewLines> {
  const [added, removed] = [new Set<LineWord>(), new Set<LineWord>()]
  let is_complete = true
  for (const file of files) {
    yield
    if (file.digest) addRemoved(removed, file.digest)
    if (!isWork(file, rules)) continue
    if (file.digest) addTelling(added, file.digest.added)
    else
      is_complete &&=
        file.status === 'removed' || file.blob_sha === EMPTY_BLOB || isOnlyRenamed(file) || isBinary(file)
  }
  return { added: yield* onlyIn(added, removed), removed: yield* onlyIn(removed, added), is_complete }
}

function* onlyIn(words: Set<LineWord>, others: Set<LineWord>): Steps<number[]> {
  const only: number[] = []
  for (const word of words) {
    if (!others.has(word)) only.push(word >>> 1)
    if (only.length % STEP === 0) yield
  }
  return only
}

function addRemoved(words: Set<LineWord>, { blocks, lines }: Digest): void {
  for (const { start, end, lines_at } of blocks)
    addTelling(words, lines.subarray(lines_at, lines_at + end - start))
}

function addTelling(words: Set<LineWord>, found: Uint32Array): void {
  for (const word of found) if (isTelling(word)) words.add(word)
}

/** Titles as git and GitHub write them for a change that is taken back, or made again: `Revert "…"`, `Reapply "…"`, `Reland …`, `Restore …`. */
const TYPE = String.raw`^\s*(?:\w+(?:\([^)]*\))?!?:\s*)?`
const AGAIN = new RegExp(`${TYPE}(?:revert|reapply|re-?land|restore)`, 'i')
const REVERT = new RegExp(`${TYPE}revert`, 'i')

/** Whether the title says that work is made again or taken back, so that its lines stood somewhere before. */
export function isMadeAgain(title: string): boolean {
  return AGAIN.test(title)
}

/** The pull requests that a commit takes back by its subject: `Revert "Retry payments (#40)"`. */
export function numbersReverted(message: string): number[] {
  const [subject = ''] = message.split('\n', 1)
  if (!REVERT.test(subject)) return []
  const quoted = /"(.*)"/.exec(subject)?.[1] ?? ''
  return [...quoted.matchAll(/#(\d{1,9})\b/g)].map(([, number]) => Number(number))
}

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

/** Merged work by the lines that it added. The service asks its database the same (src/server/records/merged-work/store.ts). */
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
