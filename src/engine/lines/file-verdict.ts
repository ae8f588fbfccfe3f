/** The verdict about one file that both sides change. Pure. */
import type { LineRange, Verdict } from '../../vocabulary/verdict.ts'
import { alignHunks, type Work } from './align.ts'
import { blocksVerdict, type ComparedFile } from './blocks-verdict.ts'
import { type FileChange, isBinary, isOnlyRenamed } from './change.ts'
import type { Digest } from './digest.ts'

/** How many lines are compared of one file at most, sixty times what the largest of the recorded ones takes (docs/contract/lines.md#verdicts). */
const COMPARED_LINES_MAX = 2_000_000

/** The two changes must have a name in common: see `namesOf`. `one_base`: both patches are known to start from the same commit. */
export function fileVerdict(yours: FileChange, theirs: FileChange, one_base: boolean): ComparedFile {
  const verdict = verdictWithoutLines(yours, theirs)
  if (verdict === 'unknown')
    return { ...asWhole(verdict), your_lines: rangeOf(yours), their_lines: rangeOf(theirs) }
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
  if (mine.from === null || its.from === null || mine.from !== its.from) return 'conflict'
  if (mine.to === null || its.to === null) return mine.to === its.to ? 'agrees' : 'conflict'
  if (yours.status === 'renamed' && theirs.status === 'renamed' && mine.to !== its.to) return 'conflict'
  if (isOnlyRenamed(yours) || isOnlyRenamed(theirs)) return 'far'
  if (yours.digest?.is_submodule || theirs.digest?.is_submodule) return 'conflict'
  if (isBinary(yours) || isBinary(theirs)) return 'conflict'
  return yours.digest === null || theirs.digest === null ? 'unknown' : null
}

/** The name of a file before the change (null if it is added) and after it (null if it is removed). */
function pathsOf({ path, previous_path, status }: FileChange): { from: string | null; to: string | null } {
  return {
    from: status === 'added' ? null : (previous_path ?? path),
    to: status === 'removed' ? null : path,
  }
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
  const is_whole = { yours: is_same, theirs: is_same }
  return { verdict, confidence, your_lines: null, their_lines: null, is_whole }
}

/** All lines that a patch changes, from the first to the last; null without a patch. */
function rangeOf({ digest }: FileChange): LineRange | null {
  const [first, last] = [digest?.blocks[0], digest?.blocks.at(-1)]
  return first && last ? [first.start, Math.max(last.start, last.end - 1)] : null
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
  return (orderOf(a, b, 'lines') || orderOf(a, b, 'added')) > 0
}

function orderOf(a: Digest, b: Digest, part: 'lines' | 'added'): number {
  const [mine, its] = [a[part], b[part]]
  if (mine.length !== its.length) return mine.length - its.length
  const differs = mine.findIndex((word, index) => word !== its[index])
  return differs === -1 ? 0 : (mine[differs] as number) - (its[differs] as number)
}
