/** Counts the comments that each rule would post in a replay (docs/signal.md). Pure. */
import type { Verdict } from '../../src/lines/verdict.ts'
import type { Overlap } from './overlaps.ts'
import { DAY } from './pull-requests.ts'
import type { Truth } from './truth.ts'

/** `truth` is null if git did not judge the pair: see `isComparable`. */
export interface JudgedOverlap extends Overlap {
  truth: Truth | null
}

const STALE_AFTER_DAYS = 14
const WITHIN_3: readonly Verdict[] = ['conflict', 'agrees', 'touching']
const WITHIN_30: readonly Verdict[] = [...WITHIN_3, 'near']

interface Rule {
  label: string
  holds(overlap: JudgedOverlap): boolean
  /** The other side was pushed in the last 14 days. */
  is_fresh?: true
  /** Only the side that was opened later gets a comment. */
  is_later?: true
}

const isWithin = (overlap: JudgedOverlap, verdicts: readonly Verdict[]) =>
  isComparable(overlap) && verdicts.includes(overlap.judged.strongest?.verdict ?? 'far')
const conflictsInGit = ({ truth }: JudgedOverlap) => truth?.verdict === 'conflict'

const SHOWN = { is_fresh: true, is_later: true } as const

export const RULES: readonly Rule[] = [
  { label: 'same file', holds: () => true },
  { label: "… other people's only, no noise files", holds: ({ is_of_people }) => is_of_people },
  { label: '… within 30 lines', holds: (overlap) => isWithin(overlap, WITHIN_30) },
  { label: '… within 3 lines', holds: (overlap) => isWithin(overlap, WITHIN_3) },
  { label: '… git would conflict', holds: conflictsInGit },
  { label: '… the other side pushed within 14 days', holds: conflictsInGit, is_fresh: true },
  { label: '… and only the later side gets a comment', holds: conflictsInGit, ...SHOWN },
  { label: '… in at least two files', holds: ({ truth }) => (truth?.conflicts ?? 0) >= 2, ...SHOWN },
  { label: 'our verdict instead of git’s: conflict', holds: isConflict, ...SHOWN },
  { label: '… proved only', holds: isProved, ...SHOWN },
  { label: '… conflict or duplicate (what the service comments)', holds: isShown, ...SHOWN },
]

/** Both are by people, and neither side was rebased over the other's merge. */
export function isComparable({ is_of_people, rebased_over }: Overlap): boolean {
  return is_of_people && rebased_over === null
}

export function isConflict(overlap: JudgedOverlap): boolean {
  return isWithin(overlap, ['conflict'])
}

export function isProved(overlap: JudgedOverlap): boolean {
  return isConflict(overlap) && overlap.judged.strongest?.confidence === 'proved'
}

export function isDuplicate(overlap: JudgedOverlap): boolean {
  return isComparable(overlap) && overlap.duplicate !== null
}

function isShown(overlap: JudgedOverlap): boolean {
  return isConflict(overlap) || isDuplicate(overlap)
}

/** The pairs that the service would show to the author of the later side: those with an earlier side pushed in the last 14 days. */
export function shownOf(overlaps: readonly JudgedOverlap[]): JudgedOverlap[] {
  return overlaps.filter((overlap) => isShown(overlap) && isFresh(overlap))
}

/** Compares the last push of the earlier side, the only one that is known, with the time at which the later side was opened. */
function isFresh({ earlier, later }: JudgedOverlap): boolean {
  return earlier.pushed >= later.opened - STALE_AFTER_DAYS * DAY
}

export interface RuleCount {
  label: string
  /** Pull requests by people that were opened during the replayed period, and those with a comment. */
  pull_requests: number
  commented: number
  /** The number of other pull requests in these comments, counted once per comment. */
  named: number
}

/** `isCounted`: a pull request by people that was opened during the replayed period. */
export function countsOf(
  overlaps: readonly JudgedOverlap[],
  { pull_requests, isCounted }: { pull_requests: number; isCounted: (n: number) => boolean },
): RuleCount[] {
  return RULES.map(({ label, holds, is_fresh, is_later }) => {
    const commented = new Map<number, number>()
    const comment = (n: number) => {
      if (isCounted(n)) commented.set(n, (commented.get(n) ?? 0) + 1)
    }
    for (const overlap of overlaps.filter(holds)) {
      if (!is_fresh || isFresh(overlap)) comment(overlap.later.n)
      if (!is_later) comment(overlap.earlier.n)
    }
    const named = [...commented.values()].reduce((sum, count) => sum + count, 0)
    return { label, pull_requests, commented: commented.size, named }
  })
}
