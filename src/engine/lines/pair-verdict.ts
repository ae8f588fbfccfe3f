/** The verdict about two sides, over all files that both change, and about each of these files (docs/contract/lines.md#pairs). Pure. */
import type { Deadline, Steps } from '../../vocabulary/clock.ts'
import {
  byStrength,
  type LineRange,
  type LinesVerdict,
  NOT_COMPARED,
  type Verdict,
} from '../../vocabulary/verdict.ts'
import { alignHunks, type Work } from './align.ts'
import { blocksVerdict, type ComparedFile, rangeOf, type Whole } from './blocks-verdict.ts'
import {
  type DigestedFile,
  EMPTY_BLOB,
  type FileChange,
  fileKey,
  isBinary,
  isOnlyRenamed,
  noiseOf,
} from './change.ts'
import type { Digest } from './digest.ts'
import type { NoiseRules } from './noise.ts'

/** The maximum number of files of a pair that are compared by lines; the first ones by path. */
const SHARED_FILES_MAX = 300

export interface FilePair {
  /** A name that the file has on both sides. */
  path: string
  yours: DigestedFile
  theirs: DigestedFile
}

export interface FileVerdict extends LinesVerdict {
  path: string
  /** The path and lines on your side after the change. The lines are null if they are unknown, and for a declared file. */
  your_head: { path: string; lines: LineRange | null }
}

export interface PairVerdict {
  /** The strongest verdict of the files that are not noise, or that of the first file if all are; null if no file is shared. */
  strongest: LinesVerdict | null
  /** In order of path. */
  files: FileVerdict[]
  /** More files are shared than were compared. */
  cut: boolean
  /** The verdict is `unknown` because declared work sent no patch, so the lines that it will change are unknown. */
  lacks_patch: boolean
  /** For each side, the keys of its files all of whose changes the other side makes too, and of those that are noise. */
  whole: Whole<Set<string>>
}

export interface PairVerdictOptions {
  noise: NoiseRules
  /** When it is over, no further files are compared. */
  deadline: Pick<Deadline, 'isOver'>
}

const UNKNOWN: LinesVerdict = { ...NOT_COMPARED, verdict: 'unknown' }

/** One file a step. */
export function* pairVerdict(pairs: readonly FilePair[], options: PairVerdictOptions): Steps<PairVerdict> {
  const files: FileVerdict[] = []
  const whole = { yours: new Set<string>(), theirs: new Set<string>() }
  let [real, cut] = [0, false]
  for (const { path, yours, theirs } of pairs.toSorted(byPath)) {
    if (options.deadline.isOver) break
    const isNoise = isPairOfNoise({ yours, theirs }, options.noise)
    const place = (verdict: LinesVerdict) => ({ path, your_head: headOf(yours, verdict) })
    let is_whole: Whole<boolean> = { yours: isNoise, theirs: isNoise }
    if (isNoise) files.push({ ...NOT_COMPARED, verdict: 'noise', ...place(UNKNOWN) })
    else if (real++ < SHARED_FILES_MAX) {
      const { is_whole: isWhole, ...verdict } = fileVerdict(yours, theirs, isOneBase(yours, theirs))
      is_whole = isWhole
      files.push({ ...verdict, ...place(verdict) })
    } else cut = true
    if (is_whole.yours) whole.yours.add(fileKey(yours))
    if (is_whole.theirs) whole.theirs.add(fileKey(theirs))
    yield
  }
  // Files that were not compared may conflict.
  const candidates = cut ? [...files, UNKNOWN] : files
  const strongest = candidates.toSorted(byStrength)[0] ?? null
  const lacks_patch =
    strongest?.verdict === 'unknown' && pairs.some((pair) => lacksDeclaredPatch(pair, options.noise))
  return { strongest, files, cut, lacks_patch, whole }
}

function headOf(
  { path, origin, digest }: DigestedFile,
  { verdict, your_lines }: LinesVerdict,
): FileVerdict['your_head'] {
  const isKnown = verdict !== 'unknown' && origin === 'pushed' && digest !== null && your_lines !== null
  return { path, lines: isKnown ? headLinesOf(digest, your_lines) : null }
}

/** Whether both patches are known to start from the same commit. */
function isOneBase(yours: DigestedFile, theirs: DigestedFile): boolean {
  return yours.base_sha !== null && yours.base_sha === theirs.base_sha
}

function isPairOfNoise({ yours, theirs }: Omit<FilePair, 'path'>, rules: NoiseRules): boolean {
  return noiseOf(yours, rules) !== null || noiseOf(theirs, rules) !== null
}

function lacksDeclaredPatch({ yours, theirs }: FilePair, rules: NoiseRules): boolean {
  const isMissing = [yours, theirs].some(({ origin, digest }) => origin === 'declared' && !digest)
  const isUnknown = () => verdictWithoutLines(yours, theirs) === 'unknown'
  return isMissing && !isPairOfNoise({ yours, theirs }, rules) && isUnknown()
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

/** How many lines are compared of one file at most, sixty times what the largest of the recorded ones takes (docs/contract/lines.md#verdicts). */
const COMPARED_LINES_MAX = 2_000_000

/** The two changes must have a name in common: see `namesOf`. `one_base`: both patches are known to start from the same commit. */
export function fileVerdict(yours: FileChange, theirs: FileChange, one_base: boolean): ComparedFile {
  const verdict = verdictWithoutLines(yours, theirs)
  if (verdict === 'unknown')
    return { ...asWhole(verdict), your_lines: changedRange(yours), their_lines: changedRange(theirs) }
  if (verdict !== null) return asWhole(verdict)
  const found = linesVerdict(yours.digest as Digest, theirs.digest as Digest, one_base)
  if (yours.path === theirs.path) return found
  // A new name is a change that only one side makes.
  const { is_whole } = found
  return {
    ...found,
    is_whole: {
      yours: is_whole.yours && yours.status !== 'renamed',
      theirs: is_whole.theirs && theirs.status !== 'renamed',
    },
  }
}

/** The verdict by names, status and content; null if the lines decide and both sides have a digest. */
export function verdictWithoutLines(yours: FileChange, theirs: FileChange): Verdict | null {
  const [mine, its] = [pathsOf(yours), pathsOf(theirs)]
  const hasSamePaths = mine.from === its.from && mine.to === its.to
  if (hasSamePaths && yours.status === theirs.status && isSameContent(yours, theirs)) return 'agrees'
  // Git merges a new file without content with any other of its name.
  if (mine.to === its.to && (isEmptyAndNew(yours) || isEmptyAndNew(theirs))) return 'far'
  if (mine.from === null || its.from === null || mine.from !== its.from) return 'conflict'
  if (mine.to === null || its.to === null) return mine.to === its.to ? 'agrees' : 'conflict'
  if (yours.status === 'renamed' && theirs.status === 'renamed' && mine.to !== its.to) return 'conflict'
  if (isOnlyRenamed(yours) || isOnlyRenamed(theirs)) return 'far'
  if (yours.digest?.is_submodule || theirs.digest?.is_submodule) return 'conflict'
  if (isBinary(yours) || isBinary(theirs)) return 'conflict'
  return yours.digest === null || theirs.digest === null ? 'unknown' : null
}

function isEmptyAndNew({ status, blob_sha }: FileChange): boolean {
  return status === 'added' && blob_sha === EMPTY_BLOB
}

/** The name of a file before the change (null if it is added) and after it (null if it is removed). */
function pathsOf({ path, previous_path, status }: FileChange): { from: string | null; to: string | null } {
  return { from: status === 'added' ? null : (previous_path ?? path), to: status === 'removed' ? null : path }
}

/** Whether the content is certainly the same: by its blob, or else by the added lines of an added file or a submodule. */
function isSameContent(yours: FileChange, theirs: FileChange): boolean {
  if (yours.blob_sha !== null && theirs.blob_sha !== null) return yours.blob_sha === theirs.blob_sha
  const [mine, its] = [yours.digest, theirs.digest]
  if (mine === null || its === null) return false
  const isWhole = yours.status === 'added' || (mine.is_submodule && its.is_submodule)
  return isWhole && orderOf(mine, its, 'added') === 0
}

function asWhole(verdict: Verdict): ComparedFile {
  const confidence = verdict === 'conflict' ? 'proved' : null
  const is_same = verdict === 'agrees'
  return { ...NOT_COMPARED, verdict, confidence, is_whole: { yours: is_same, theirs: is_same } }
}

/** All lines that a patch changes, from the first to the last; null without a patch. */
function changedRange({ digest }: FileChange): LineRange | null {
  return rangeOf(digest?.blocks ?? [])
}

function linesVerdict(yours: Digest, theirs: Digest, one_base: boolean): ComparedFile {
  const work: Work = { left: COMPARED_LINES_MAX }
  // The alignment depends on which side is first, so the sides are put into a fixed order. The verdict is then the same
  // for both sides.
  const isSwapped = isAfter(yours, theirs)
  const [a, b] = isSwapped ? [theirs, yours] : [yours, theirs]
  const alignments = alignHunks(a, b, one_base, work)
  const found = blocksVerdict(a, b, alignments, work)
  if (work.left < 0) {
    if (found.verdict !== 'conflict') return asWhole('unknown')
    // Not all blocks were compared. With the missing ones, both sides might turn out to make the same change.
    found.confidence = 'likely'
  }
  if (!isSwapped) return found
  const is_whole = { yours: found.is_whole.theirs, theirs: found.is_whole.yours }
  return { ...found, your_lines: found.their_lines, their_lines: found.your_lines, is_whole }
}

function isAfter(a: Digest, b: Digest): boolean {
  const order = orderOf(a, b, 'lines') || orderOf(a, b, 'added')
  // Both may make the same changes to different copies of a text.
  return order === 0 ? JSON.stringify(a.blocks) > JSON.stringify(b.blocks) : order > 0
}

function orderOf(a: Digest, b: Digest, part: 'lines' | 'added'): number {
  const [mine, its] = [a[part], b[part]]
  if (mine.length !== its.length) return mine.length - its.length
  const differs = mine.findIndex((word, index) => word !== its[index])
  return differs === -1 ? 0 : (mine[differs] as number) - (its[differs] as number)
}
