/** The lines that a change brings and takes away, as hashes: what shows that work was done already (docs/contract/issues.md#done-already). Pure. */
import type { Steps } from '../../vocabulary/event-loop.ts'
import { type FileChange, isBinary, isOnlyRenamed } from './change.ts'
import type { Digest } from './digest.ts'
import { isWork } from './fingerprint.ts'
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
    else is_complete &&= file.status === 'removed' || isOnlyRenamed(file) || isBinary(file)
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
