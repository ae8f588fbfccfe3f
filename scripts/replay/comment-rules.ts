/** Counts the comments that each rule would post, by the last heads of the pull requests (docs/research/lines.md). Pure. */
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import type { Verdict } from '../../src/vocabulary/verdict.ts'
import { isComparable, isConflict, isProved } from './overlaps.ts'
import { DAY } from './pull-requests.ts'
import type { OverlapWithTruth } from './truth.ts'

const WITHIN_3: readonly Verdict[] = ['conflict', 'agrees', 'touching']
const WITHIN_30: readonly Verdict[] = [...WITHIN_3, 'near']

type Audience = Settings['comment']['audience']
interface Rule {
  label: string
  holds(overlap: OverlapWithTruth): boolean
  /** The sides that then get a comment by the rules of the service; all if undefined. */
  audience?: Audience
}

const isWithin = (overlap: OverlapWithTruth, verdicts: readonly Verdict[]) =>
  isComparable(overlap) && verdicts.includes(overlap.compared.lines?.verdict ?? 'far')
export const conflictsInGit = ({ truth }: OverlapWithTruth) => truth === 'conflict'

const LATER = { audience: 'later' } as const

const RULES: readonly Rule[] = [
  { label: 'same file', holds: () => true },
  { label: "… other people's only, no noise files", holds: ({ is_of_people }) => is_of_people },
  { label: '… within 30 lines', holds: (overlap) => isWithin(overlap, WITHIN_30) },
  { label: '… within 3 lines', holds: (overlap) => isWithin(overlap, WITHIN_3) },
  { label: '… git would conflict', holds: conflictsInGit },
  { label: '… the other side pushed within 14 days', holds: conflictsInGit, audience: 'both' },
  { label: '… and only the later side gets a comment', holds: conflictsInGit, ...LATER },
  { label: 'our verdict instead of git’s: conflict', holds: isConflict, ...LATER },
  { label: '… proved only', holds: isProved, ...LATER },
]

/** Whether the earlier side was live, rather than stale, when the later one was opened. */
export function isLive({ earlier, later }: OverlapWithTruth): boolean {
  // The last push is the only one that is known for certain.
  return later.opened - earlier.pushed <= DEFAULT_SETTINGS.comment.stale_after_days * DAY
}

/** Whether one side gets a comment about the other when the later one is opened. */
function isTold(
  overlap: OverlapWithTruth,
  side: 'earlier' | 'later',
  audience: Audience | undefined,
): boolean {
  if (audience === undefined) return true
  return side === 'later' ? isLive(overlap) : audience === 'both'
}

export interface RuleCount {
  label: string
  commented: number
  /** The number of other pull requests in these comments, counted once per comment. */
  named: number
}

/** `isCounted`: a pull request by people that was opened during the replayed period. */
export function countsOf(
  overlaps: readonly OverlapWithTruth[],
  isCounted: (n: number) => boolean,
): RuleCount[] {
  return RULES.map(({ label, holds, audience }) => {
    const commented = new Set<number>()
    let named = 0
    for (const overlap of overlaps.filter(holds))
      for (const side of ['later', 'earlier'] as const) {
        const { n } = overlap[side]
        if (!isCounted(n) || !isTold(overlap, side, audience)) continue
        commented.add(n)
        named += 1
      }
    return { label, commented: commented.size, named }
  })
}
