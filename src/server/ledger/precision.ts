/** How often the comments of a repository were right: the counts of pairs by outcome, and precision (docs/contract/signal.md#report). Pure. */
import type { z } from 'zod'
import type { Month, PairCounts } from '../../vocabulary/contract/signal.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'

/** With fewer decided pairs, precision is not meaningful. */
const DECIDED_MIN = 10

/** The share of right pairs among those that were shown and decided; null if fewer than 10 were decided. */
export function precisionOf({
  came_true,
  resolved,
  wrong,
}: Pick<Record<Outcome, number>, 'came_true' | 'resolved' | 'wrong'>): number | null {
  const right = came_true + resolved
  return right + wrong < DECIDED_MIN ? null : right / (right + wrong)
}

/** Pairs that were shown, by outcome. */
export type OutcomeCounts = Record<Outcome, number>

const NO_PAIRS: OutcomeCounts = { open: 0, came_true: 0, resolved: 0, wrong: 0, given_up: 0 }

/** The counts as the operation returns them. An outcome that is missing in `counts` counts as 0. */
export function pairCountsOf(counts: Partial<OutcomeCounts>): z.output<typeof PairCounts> {
  const all = { ...NO_PAIRS, ...counts }
  return { shown: Object.values(all).reduce((sum, count) => sum + count, 0), ...all }
}

/** The maximum number of months in a response. */
const MONTHS_MAX = 12

/** The last months with pairs, the oldest first. Counts of the same month and outcome are added. */
export function monthsOf(
  counts: readonly { month: string; outcome: Outcome; pairs: number }[],
): z.output<typeof Month>[] {
  const months = new Map<string, OutcomeCounts>()
  for (const { month, outcome, pairs } of counts) {
    const before = months.get(month) ?? NO_PAIRS
    months.set(month, { ...before, [outcome]: before[outcome] + pairs })
  }
  return [...months]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(-MONTHS_MAX)
    .map(([month, each]) => ({ month, ...pairCountsOf(each), precision: precisionOf(each) }))
}
