/** Compares two sides by their changed files: what they have in common, and in which files. */
import type { Steps } from '../../vocabulary/deadline.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { byStrength } from '../../vocabulary/verdict.ts'
import {
  type FilePair,
  type FileVerdict,
  type PairVerdictOptions,
  pairVerdict,
} from '../lines/pair-verdict.ts'
import type { NumberRules } from '../lines/taken.ts'
import { findingsOf } from './kinds.ts'
import type { DigestedSide } from './side.ts'

export interface Comparison {
  /** What they have in common, the weightiest first. */
  findings: Finding[]
  /** The files that both change, the strongest verdict first. */
  files: FileVerdict[]
  /** They share more files than were compared. */
  cut: boolean
  /** The sides all of whose changes the other makes too. */
  contained: Contained
  /** The keys of the files and manifests of `yours` all of whose changes the other makes too. */
  agreed: ReadonlySet<string>
}

interface Contained {
  yours: boolean
  theirs: boolean
}

export interface CompareOptions extends PairVerdictOptions {
  numbers: NumberRules
}

/** `shared`: the files that both change. If the deadline is over afterwards, some were not compared. */
export function* compareSides(
  yours: DigestedSide,
  theirs: DigestedSide,
  { shared, ...options }: CompareOptions & { shared: readonly FilePair[] },
): Steps<Comparison> {
  const { whole, ...pair } = yield* pairVerdict(shared, options)
  const { numbers } = options
  const isAgreed = pair.strongest?.verdict === 'agrees'
  const isContained = (side: DigestedSide, other: DigestedSide, found: ReadonlySet<string>) =>
    (isAgreed || (side.counted.size === 0 && side.manifests.size > 0)) &&
    isIn(side.counted, found) &&
    isIn(side.manifests, other.manifests)
  const contained = {
    yours: isContained(yours, theirs, whole.yours),
    theirs: isContained(theirs, yours, whole.theirs),
  }
  const is_contained = contained.yours || contained.theirs
  const findings = findingsOf({ yours, theirs, pair, is_contained, numbers })
  const manifests = [...yours.manifests].filter((key) => theirs.manifests.has(key))
  const counted = [...[...whole.yours].filter((key) => yours.counted.has(key)), ...manifests]
  const agreed = counted.length === 0 ? NONE : new Set(counted)
  return { findings, files: pair.files.toSorted(byStrength), cut: pair.cut, contained, agreed }
}

/** Shared, because a list of all pairs keeps the comparison of each. */
const NONE: ReadonlySet<string> = new Set()

function isIn(keys: ReadonlySet<string>, found: ReadonlySet<string>): boolean {
  return keys.size <= found.size && [...keys].every((key) => found.has(key))
}

/** Pull requests that make the same changes: so many are no duplicates, but make one change that has to be made in many places. */
const COMMON_MIN = 3
const COMMON_SHARE = 1 / 3

/** Whether changes that so many pull requests make are common among the `open` ones, such as a bumped version. */
export function isCommon(makers: number, open: () => number): boolean {
  return makers >= COMMON_MIN && makers >= COMMON_SHARE * open()
}

/** The comparison of two sides whose common changes are made by many others too, which makes them no duplicates. */
export function withoutDuplicate(comparison: Comparison): Comparison {
  return {
    ...comparison,
    findings: comparison.findings.filter(({ kind }) => kind !== 'duplicate'),
  }
}

/** How many pull requests there are among these. */
export function pullsOf(numbers: Iterable<number | null>): number {
  const pulls = new Set(numbers)
  pulls.delete(null)
  return pulls.size
}
