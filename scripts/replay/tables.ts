/** The tables of a replay, in Markdown (docs/research/lines.md). Pure. */
import { LIVE_S } from './heads.ts'
import { opened, percent, scoreOf, table } from './markdown.ts'
import { isConflict, isProved } from './overlaps.ts'
import type { OverlapWithTruth } from './truth.ts'

export interface Replayed {
  since: number
  until: number
  /** Pull requests by people that were opened in the period. */
  people: number
  overlaps: OverlapWithTruth[]
}

export function tablesOf(replayed: Replayed): string {
  return [`${opened(replayed)}: ${replayed.people} pull requests by people.`, verdictTable(replayed)].join(
    '\n\n',
  )
}

const conflictsInGit = ({ truth }: OverlapWithTruth) => truth === 'conflict'

/** Whether the earlier side was live, rather than stale, when the later one was opened. */
function isLive({ earlier, later }: OverlapWithTruth): boolean {
  // The last push is the only one that is known for certain.
  return later.opened - earlier.pushed <= LIVE_S
}

const VERDICT_RULES: readonly [label: string, calls: (overlap: OverlapWithTruth) => boolean][] = [
  ['same file', () => true],
  ['verdict, proved and likely', isConflict],
  ['verdict, proved only', isProved],
]

function verdictTable({ overlaps }: Replayed): string {
  const people = overlaps.filter(({ is_of_people }) => is_of_people)
  const rebased = people.filter(({ rebased_over }) => rebased_over !== null).length
  const known = people.filter(({ truth }) => truth !== null && truth !== 'unknown')
  const conflicts = known.filter(conflictsInGit)
  const unknown = people.filter(({ truth }) => truth === 'unknown').length
  return [
    [
      `${people.length} pairs by different authors share a file that is not noise.`,
      `Git merged ${known.length}; ${conflicts.length} conflict (${percent(conflicts.length, known.length)}).`,
      `In ${unknown} of them, neither side can be rebased onto the other's base without a conflict.`,
      `In ${rebased}, one side was rebased over the other's merge.`,
    ].join(' '),
    table(
      ['precision / recall by pair, %', 'all pairs', 'found, false alarms, missed', 'live pairs', ''],
      VERDICT_RULES.map(([label, calls]) => [
        label,
        ...scoreOf(known, calls, conflictsInGit),
        ...scoreOf(known.filter(isLive), calls, conflictsInGit),
      ]),
    ),
  ].join('\n\n')
}
