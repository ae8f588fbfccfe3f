/** The verdict about two sides, over all files that both change (docs/contract/lines.md#pairs). Pure. */
import type { Deadline, Steps } from '../../vocabulary/deadline.ts'
import { addTo } from '../../vocabulary/lists.ts'
import { byStrength, type LineRange, type LinesVerdict } from '../../vocabulary/verdict.ts'
import type { Whole } from './blocks-verdict.ts'
import { type ChangedFile, type FileChange, namesOf } from './change.ts'
import type { Digest } from './digest.ts'
import { fileVerdict } from './file-verdict.ts'
import { type NoiseClass, type NoiseRules, noiseOf } from './noise.ts'

/** The maximum number of files of a pair that are compared by lines; the first ones by path. */
const SHARED_FILES_MAX = 300

export interface FilePair {
  /** A name that the file has on both sides. */
  path: string
  yours: FileChange
  theirs: FileChange
}

export interface FileVerdict extends LinesVerdict {
  path: string
  /** The noise class for the verdict `noise`; otherwise null. */
  noise: NoiseClass | null
  /** The path and lines on your side after the change. The lines are null if they are unknown, and for a declared file. */
  your_head: { path: string; lines: LineRange | null }
}

type Unplaced = Omit<FileVerdict, 'path' | 'your_head'>

export interface PairVerdict {
  /** The strongest verdict of the files that are not noise, or that of the first file if all are; null if no file is shared. */
  strongest: Unplaced | null
  /** In order of path. */
  files: FileVerdict[]
  /** More files are shared than were compared. */
  cut: boolean
  /** The verdict is `unknown` because declared work sent no patch, so the lines that it will change are unknown. */
  lacks_patch: boolean
  /** For each side, the paths of its files all of whose changes the other side makes too, and of those that are noise. */
  whole: Whole<Set<string>>
}

export interface PairVerdictOptions {
  /** Which sides are declared changes, rather than read from a pull request or a branch. */
  declared: { yours: boolean; theirs: boolean }
  /** Both patches are known to start from the same commit. */
  one_base: boolean
  noise: NoiseRules
  /** When it is over, no further files are compared. */
  deadline: Pick<Deadline, 'isOver'>
}

const NOT_COMPARED: Unplaced = {
  verdict: 'unknown',
  confidence: null,
  your_lines: null,
  their_lines: null,
  noise: null,
}

/** One file a step. */
export function* pairVerdict(pairs: readonly FilePair[], options: PairVerdictOptions): Steps<PairVerdict> {
  const files: FileVerdict[] = []
  const whole = { yours: new Set<string>(), theirs: new Set<string>() }
  let [real, cut] = [0, false]
  for (const { path, yours, theirs } of pairs.toSorted(byPath)) {
    if (options.deadline.isOver) break
    const noise = noiseOf(yours, options.noise) ?? noiseOf(theirs, options.noise)
    const place = (verdict: LinesVerdict) => ({ path, your_head: headOf(yours, verdict, options) })
    let is_whole: Whole<boolean> = { yours: noise !== null, theirs: noise !== null }
    if (noise !== null) files.push({ ...NOT_COMPARED, verdict: 'noise', noise, ...place(NOT_COMPARED) })
    else if (real++ < SHARED_FILES_MAX) {
      const { is_whole: isWhole, ...verdict } = fileVerdict(yours, theirs, options.one_base)
      is_whole = isWhole
      files.push({ ...verdict, noise, ...place(verdict) })
    } else cut = true
    if (is_whole.yours) whole.yours.add(yours.path)
    if (is_whole.theirs) whole.theirs.add(theirs.path)
    yield
  }
  // Files that were not compared may conflict.
  const candidates = cut ? [...files, NOT_COMPARED] : files
  const strongest = candidates.toSorted(byStrength)[0] ?? null
  const lacks_patch =
    strongest?.verdict === 'unknown' && pairs.some((pair) => lacksDeclaredPatch(pair, options))
  return { strongest, files, cut, lacks_patch, whole }
}

function headOf(
  { path, digest }: FileChange,
  { verdict, your_lines }: LinesVerdict,
  { declared }: PairVerdictOptions,
): FileVerdict['your_head'] {
  const isKnown = verdict !== 'unknown' && !declared.yours && digest !== null && your_lines !== null
  return { path, lines: isKnown ? headLinesOf(digest, your_lines) : null }
}

function lacksDeclaredPatch({ yours, theirs }: FilePair, { declared, noise }: PairVerdictOptions): boolean {
  const isMissing = (declared.yours && !yours.digest) || (declared.theirs && !theirs.digest)
  return isMissing && noiseOf(yours, noise) === null && noiseOf(theirs, noise) === null
}

/** The files of a side by each of their names. */
export type FileIndex<File> = ReadonlyMap<string, readonly File[]>

export function indexFiles<File extends ChangedFile>(files: readonly File[]): FileIndex<File> {
  const index = new Map<string, File[]>()
  for (const file of files) for (const name of namesOf(file)) addTo(index, name, file)
  return index
}

/**
 * The files that both sides change. A side that renames a file changes it under both names. `path`: a name that both sides
 * have.
 */
export function sharedFiles<Mine extends ChangedFile, Theirs extends ChangedFile>(
  yours: FileIndex<Mine>,
  theirs: readonly Theirs[],
): { path: string; yours: Mine; theirs: Theirs }[] {
  return theirs.flatMap((file) => {
    const found = new Map<Mine, string>()
    for (const name of namesOf(file))
      for (const other of yours.get(name) ?? []) if (!found.has(other)) found.set(other, name)
    return [...found].map(([other, path]) => ({ path, yours: other, theirs: file }))
  })
}

function byPath(a: FilePair, b: FilePair): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

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
