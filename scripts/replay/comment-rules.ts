/** Counts the comments that each rule would post, by the last heads of the pull requests (docs/line-verdicts.md). Pure. */

import { findSuppression, type Room } from '../../src/server/decision/who-is-told.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import type { Verdict } from '../../src/vocabulary/verdict.ts'
import { isComparable, isConflict, isProved } from './overlaps.ts'
import type { OverlapWithTruth } from './truth.ts'

const WITHIN_3: readonly Verdict[] = ['conflict', 'agrees', 'touching']
const WITHIN_30: readonly Verdict[] = [...WITHIN_3, 'near']

interface Rule {
  label: string
  holds(overlap: OverlapWithTruth): boolean
  /** The sides that then get a comment by the rules of the service; all if undefined. */
  audience?: Settings['comment']['audience']
  /** What the budget leaves; all if undefined. */
  room?: Room
}

const isWithin = (overlap: OverlapWithTruth, verdicts: readonly Verdict[]) =>
  isComparable(overlap) && verdicts.includes(overlap.compared.lines?.verdict ?? 'far')
const conflictsInGit = ({ truth }: OverlapWithTruth) => truth?.verdict === 'conflict'

const LATER = { audience: 'later' } as const

const RULES: readonly Rule[] = [
  { label: 'same file', holds: () => true },
  { label: "… other people's only, no noise files", holds: ({ is_of_people }) => is_of_people },
  { label: '… within 30 lines', holds: (overlap) => isWithin(overlap, WITHIN_30) },
  { label: '… within 3 lines', holds: (overlap) => isWithin(overlap, WITHIN_3) },
  { label: '… git would conflict', holds: conflictsInGit },
  { label: '… the other side pushed within 14 days', holds: conflictsInGit, audience: 'both' },
  { label: '… and only the later side gets a comment', holds: conflictsInGit, ...LATER },
  { label: '… in at least two files', holds: conflictsInGit, ...LATER, room: 'strong' },
  { label: 'our verdict instead of git’s: conflict', holds: isConflict, ...LATER },
  { label: '… proved only', holds: isProved, ...LATER },
]

/** Whether one side gets a comment about the other, by the rules of the service, when the later one is opened. */
function isTold(
  { earlier, later, truth }: OverlapWithTruth,
  { side, audience, room = 'any' }: { side: 'earlier' | 'later' } & Pick<Rule, 'audience' | 'room'>,
): boolean {
  if (audience === undefined) return true
  const other = side === 'later' ? earlier : later
  const now = new Date(1000 * later.opened)
  const suppression = findSuppression(
    {
      severity: 'high',
      fails_together: false,
      is_duplicate: false,
      takes_same: false,
      is_only_moved: false,
      is_proved: false,
      conflicts: truth?.conflicts ?? 0,
      is_risky: false,
      is_blocking: false,
      breadth: null,
      is_bot: other.is_bot,
      is_same_author: false,
      // The last push is the only one that is known for certain.
      active_at: new Date(1000 * other.pushed),
      cause: null,
      is_earlier: side === 'later',
    },
    { comment: { ...DEFAULT_SETTINGS.comment, audience }, is_draft: false, room, active_at: now, now },
  )
  return suppression === null
}

/** Whether the earlier side was live, rather than stale, when the later one was opened. */
export function isLive(overlap: OverlapWithTruth): boolean {
  return isTold(overlap, { side: 'later', audience: 'both' })
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
  overlaps: readonly OverlapWithTruth[],
  { pull_requests, isCounted }: { pull_requests: number; isCounted: (n: number) => boolean },
): RuleCount[] {
  return RULES.map(({ label, holds, ...rule }) => {
    const commented = new Map<number, number>()
    for (const overlap of overlaps.filter(holds)) {
      for (const side of ['later', 'earlier'] as const) {
        const { n } = overlap[side]
        if (isCounted(n) && isTold(overlap, { side, ...rule })) commented.set(n, (commented.get(n) ?? 0) + 1)
      }
    }
    const named = [...commented.values()].reduce((sum, count) => sum + count, 0)
    return { label, pull_requests, commented: commented.size, named }
  })
}
