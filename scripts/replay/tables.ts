/** The tables of a replay, in Markdown (docs/research/lines.md). Pure. */
import { conflictsInGit, isLive, type RuleCount } from './comment-rules.ts'
import { opened, percent, ratio, scoreOf, table } from './markdown.ts'
import { isConflict, isProved } from './overlaps.ts'
import type { OverlapWithTruth } from './truth.ts'

export interface Replayed {
  since: number
  until: number
  /** Opened in the period. */
  pull_requests: { all: number; by_people: number }
  counts: RuleCount[]
  overlaps: OverlapWithTruth[]
  /** Pairs by people of which one side was rebased over the other's merge. */
  rebased: number
}

export function tablesOf(replayed: Replayed): string {
  const { pull_requests, counts } = replayed
  return [
    `${opened(replayed)}: ${pull_requests.all} pull requests, ${pull_requests.by_people} by people.`,
    table(
      ['rule for a comment', 'pull requests commented × others named', 'comments'],
      counts.map(({ label, commented, named }) => [
        label,
        `${percent(commented, pull_requests.by_people)} × ${ratio(named, commented)}`,
        String(commented),
      ]),
    ),
    verdictTable(replayed),
  ].join('\n\n')
}

const VERDICT_RULES: readonly [label: string, calls: (overlap: OverlapWithTruth) => boolean][] = [
  ['same file', () => true],
  ['line numbers touch', ({ numbers_touch }) => numbers_touch],
  ['verdict, proved and likely', isConflict],
  ['verdict, proved only', isProved],
]

function verdictTable({ overlaps, rebased }: Replayed): string {
  const people = overlaps.filter(({ is_of_people }) => is_of_people)
  const known = people.filter(({ truth }) => truth !== null && truth !== 'unknown')
  const conflicts = known.filter(conflictsInGit)
  const unknown = people.filter(({ truth }) => truth === 'unknown').length
  const not_merged = people.length - known.length - unknown - rebased
  return [
    [
      `${people.length} pairs by different authors share a file that is not noise.`,
      `Git merged ${known.length}; ${conflicts.length} conflict (${percent(conflicts.length, known.length)}).`,
      `In ${unknown} of them, neither side can be rebased onto the other's base without a conflict.`,
      `In ${rebased}, one side was rebased over the other's merge.`,
      ...(not_merged > 0 ? [`The oldest ${not_merged} were not merged.`] : []),
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
