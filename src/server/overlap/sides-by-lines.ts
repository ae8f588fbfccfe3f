/** What two sides share by the lines of the files that both change: the verdict, and the fields of a match. Pure. */

import { duplicateOf, type Fingerprint, fingerprintOf } from '../../engine/lines/duplicate.ts'
import type { NoiseRules } from '../../engine/lines/noise.ts'
import {
  type FilePair,
  type FileVerdict,
  type PairVerdict,
  pairVerdict,
} from '../../engine/lines/pair-verdict.ts'
import { type NumberRules, sharedTaken, type Taking, takingOf } from '../../engine/lines/taken.ts'
import type { Budget } from '../../vocabulary/budget.ts'
import { type Match, type PathPair, SEQUENCES_MAX } from '../../vocabulary/contract/overlap.ts'
import { addTo } from '../../vocabulary/lists.ts'
import type { GlobPair } from '../../vocabulary/scope/path-set.ts'
import type { StrongestVerdict } from '../../vocabulary/severity.ts'
import type { Steps } from '../../vocabulary/steps.ts'
import { byStrength, type Duplicate, NOT_COMPARED, type Sequence } from '../../vocabulary/verdict.ts'
import { type DigestedFile, isSameAuthor, type Side } from './side.ts'

export interface DigestedSide extends Side {
  fingerprint: Fingerprint
  taking: Taking
}

/** A file that both sides change. */
export interface SharedFile extends FilePair {
  yours: DigestedFile
  theirs: DigestedFile
}

/** How two sides relate by their lines. */
export interface SideVerdict {
  /** The strongest verdict; null if they share no changed file. */
  lines: StrongestVerdict | null
  /** The files that both change, the strongest verdict first. */
  files: FileVerdict[]
  duplicate: Duplicate | null
  /** The numbers and parents that both take. */
  sequence: Sequence[]
  /** They share more files than were compared. */
  cut: boolean
}

export interface VerdictOptions {
  noise: NoiseRules
  numbers: NumberRules
  /** Units of about 5 ns. */
  budget: Budget
}

/** Adds to a side its files with their digests, its fingerprint, and what it takes. */
export function* digestedSide(
  side: Omit<Side, 'files'>,
  files: readonly DigestedFile[],
  noise: NoiseRules,
): Steps<DigestedSide> {
  const fingerprint = yield* fingerprintOf(files, noise, side.closes)
  yield
  return { ...side, files, fingerprint, taking: takingOf(files) }
}

/** How two sides relate by their lines. `shared`: the files that both change. */
export function* sideVerdict(
  yours: DigestedSide,
  theirs: DigestedSide,
  { shared, ...options }: VerdictOptions & { shared: readonly SharedFile[] },
): Steps<SideVerdict> {
  const duplicate = duplicateOf(yours.fingerprint, theirs.fingerprint)
  options.budget.remaining -= yours.fingerprint.added.length + theirs.fingerprint.added.length
  yield
  const { strongest, files, cut, lacks_patch } = yield* verdictOf(shared, options)
  const lines = strongest && { verdict: strongest.verdict, confidence: strongest.confidence, lacks_patch }
  const sequence = sharedTaken(yours.taking, theirs.taking, options.numbers)
    .slice(0, SEQUENCES_MAX)
    .map((each) => ({ ...each, next: null }))
  return { lines, files: files.toSorted(byStrength), duplicate, sequence, cut }
}

/**
 * The files of a draft can be declared and pushed, so pairs of files can differ in their origins and bases. Each combination
 * gets its own verdict. Usually there is only one combination.
 */
function* verdictOf(shared: readonly SharedFile[], options: VerdictOptions): Steps<PairVerdict> {
  const kinds = new Map<string, SharedFile[]>()
  for (const pair of shared) {
    const kind = JSON.stringify([pair.yours.origin, pair.theirs.origin, isOneBase(pair)])
    addTo(kinds, kind, pair)
  }
  const verdicts: PairVerdict[] = []
  for (const pairs of kinds.values()) {
    const [first] = pairs as [SharedFile]
    const declared = {
      yours: first.yours.origin === 'declared',
      theirs: first.theirs.origin === 'declared',
    }
    verdicts.push(yield* pairVerdict(pairs, { declared, one_base: isOneBase(first), ...options }))
  }
  const strongest = verdicts
    .flatMap((each) => (each.strongest ? [each.strongest] : []))
    .toSorted(byStrength)[0]
  return {
    strongest: strongest ?? null,
    files: verdicts.flatMap(({ files }) => files),
    cut: verdicts.some(({ cut }) => cut),
    lacks_patch: strongest?.verdict === 'unknown' && verdicts.some(({ lacks_patch }) => lacks_patch),
  }
}

/** Whether both patches are known to start from the same commit. */
function isOneBase({ yours, theirs }: SharedFile): boolean {
  return yours.base_sha !== null && yours.base_sha === theirs.base_sha
}

/** The fields of a match that do not come from scopes. */
export type Relation = Pick<Match, 'lines' | 'duplicate' | 'sequence' | 'same_author' | 'cut'>

/** `side_verdict` is undefined if the lines were not compared: then only a shared issue can show a duplicate. */
/** `side_verdict` is undefined if the lines were not compared: then only a shared issue can show a duplicate. */
export function relationOf(
  yours: Omit<Side, 'files'>,
  theirs: Omit<Side, 'files'>,
  side_verdict: SideVerdict | undefined,
): Relation {
  return {
    lines: side_verdict?.lines?.verdict ?? null,
    duplicate: side_verdict ? side_verdict.duplicate : duplicateByIssue(yours, theirs),
    sequence: side_verdict?.sequence ?? [],
    same_author: isSameAuthor(yours.author, theirs.author),
    cut: side_verdict?.cut ?? false,
  }
}

const NO_LINES = new Uint32Array()

function duplicateByIssue(yours: Pick<Side, 'closes'>, theirs: Pick<Side, 'closes'>): Duplicate | null {
  return duplicateOf({ added: NO_LINES, closes: yours.closes }, { added: NO_LINES, closes: theirs.closes })
}

/** The relation to a notable, which has no lines. */
export const NO_RELATION: Relation = {
  lines: null,
  duplicate: null,
  sequence: [],
  same_author: false,
  cut: false,
}

export function pairOfFile({ path, verdict, confidence, your_lines, their_lines }: FileVerdict): PathPair {
  return { yours: path, theirs: path, example: path, verdict, confidence, your_lines, their_lines }
}

export function pairOfGlobs(pair: GlobPair): PathPair {
  return { ...pair, ...NOT_COMPARED }
}
