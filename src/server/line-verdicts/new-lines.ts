/** The lines that a change brings and takes away, as hashes: what shows that work was done already (docs/contract/issues.md#done-already). Pure. */
import { type FileChange, isBinary, isOnlyRenamed } from './change.ts'
import type { Digest } from './digest.ts'
import { isWork } from './duplicate.ts'
import { isTelling, type LineWord } from './line-hash.ts'
import type { NoiseRules } from './noise.ts'

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

/** `files`: those of one side. Files that are noise bring no lines. */
export function newLinesOf(files: readonly FileChange[], rules: NoiseRules): NewLines {
  const [added, removed] = [new Set<LineWord>(), new Set<LineWord>()]
  let is_complete = true
  for (const file of files) {
    if (file.digest) addRemoved(removed, file.digest)
    if (!isWork(file, rules)) continue
    if (file.digest) addTelling(added, file.digest.added)
    else is_complete &&= file.status === 'removed' || isOnlyRenamed(file) || isBinary(file)
  }
  const only = (words: Set<LineWord>, others: Set<LineWord>) =>
    [...words].filter((word) => !others.has(word)).map((word) => word >>> 1)
  return { added: only(added, removed), removed: only(removed, added), is_complete }
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
