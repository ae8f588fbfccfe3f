/** The tables of a replay, in Markdown (docs/line-verdicts.md). Pure. */
import { isLive, type RuleCount } from './comment-rules.ts'
import { figure, percent, ratio, table } from './markdown.ts'
import { type AcrossBranches, isConflict, isProved } from './overlaps.ts'
import { type Period, type Play, playTables } from './play-table.ts'
import type { OverlapWithTruth } from './truth.ts'

export interface Replayed extends Period {
  pull_requests: { all: number; by_people: number }
  counts: RuleCount[]
  overlaps: OverlapWithTruth[]
  across_branches: AcrossBranches
  /** Pairs by people of which one side was rebased over the other's merge, and those of them that edit lines of that merge. */
  rebased: { pairs: number; editing_merge: number }
  /** Without and with the budget. */
  plays: Play[]
  /** False if the mirror has no refs that distinguish open pull requests from closed ones. */
  has_merge_refs: boolean
  closed_after_days: number
}

export function tablesOf(replayed: Replayed): string {
  const { since, until, pull_requests, counts, has_merge_refs } = replayed
  return [
    `Opened from ${dayOf(since)} to ${dayOf(until)}: ${pull_requests.all} pull requests, ${pull_requests.by_people} by people.`,
    ...(has_merge_refs
      ? []
      : ['The mirror has no refs/pull/N/merge: all pull requests that were not merged count as open.']),
    table(
      ['rule for a comment', 'pull requests commented × others named', 'comments'],
      counts.map((count) => [
        count.label,
        `${percent(count.commented, count.pull_requests)} × ${ratio(count.named, count.commented)}`,
        String(count.commented),
      ]),
    ),
    verdictTable(replayed),
    acrossBranches(replayed),
    playTables(replayed.plays, replayed),
    approximations(replayed),
  ].join('\n\n')
}

function acrossBranches({ across_branches: { pairs, conflicts, duplicates } }: Replayed): string {
  return `${pairs} pairs by different authors share such a file but have different target branches, so they are not compared. By their lines, ${conflicts} would conflict and ${duplicates} would be duplicates.`
}

/** What the commits of a mirror do not show. */
function approximations({ closed_after_days }: Replayed): string {
  return [
    'Approximated:',
    '- Each commit stands for a push at the time it was made, because a mirror contains only the last head of a pull request.',
    '- Pairs of which one side was rebased over the other’s merge are neither shown nor compared.',
    `- A pull request that was closed without a merge counts as open for ${closed_after_days} days after its last push.`,
    '- All pull requests count as ready for review.',
  ].join('\n')
}

const VERDICT_RULES: readonly [label: string, calls: (overlap: OverlapWithTruth) => boolean][] = [
  ['same file', () => true],
  ['raw line numbers touch', ({ raw_gap }) => raw_gap === 0],
  ['raw numbers within 3 lines', ({ raw_gap }) => raw_gap <= 3],
  ['aligned patches, proved and likely', isConflict],
  ['aligned patches, proved only', isProved],
]

function verdictTable({ overlaps, rebased }: Replayed): string {
  const people = overlaps.filter(({ is_of_people }) => is_of_people)
  const known = people.filter(({ truth }) => truth !== null && truth.verdict !== 'unknown')
  const conflicts = known.filter(conflictsInGit)
  const unknown = people.filter(({ truth }) => truth?.verdict === 'unknown').length
  const not_merged = people.length - known.length - unknown - rebased.pairs
  return [
    [
      `${people.length} pairs by different authors share a file that is not noise.`,
      `Git merged ${known.length}; ${conflicts.length} conflict (${percent(conflicts.length, known.length)}).`,
      `In ${unknown} of them, neither side can be rebased onto the other's base without a conflict.`,
      `In ${rebased.pairs}, one side was rebased over the other's merge, and in ${rebased.editing_merge} of these it edits lines of that merge.`,
      ...(not_merged > 0 ? [`The oldest ${not_merged} were not merged.`] : []),
    ].join(' '),
    table(
      [
        'verdict: precision / recall by pair, %',
        'all pairs',
        'found, false alarms, missed',
        'live pairs',
        '',
      ],
      VERDICT_RULES.map(([label, calls]) => [
        label,
        ...scoreOf(known, calls),
        ...scoreOf(known.filter(isLive), calls),
      ]),
    ),
  ].join('\n\n')
}

function conflictsInGit({ truth }: OverlapWithTruth): boolean {
  return truth?.verdict === 'conflict'
}

/** Precision and recall in percent, and the numbers of pairs found, called wrongly, and missed. */
function scoreOf(
  known: readonly OverlapWithTruth[],
  calls: (overlap: OverlapWithTruth) => boolean,
): string[] {
  const called = known.filter(calls)
  const found = called.filter(conflictsInGit).length
  const conflicts = known.filter(conflictsInGit).length
  return [
    `${figure(found, called.length)} / ${figure(found, conflicts)}`,
    `${found}, ${called.length - found}, ${conflicts - found}`,
  ]
}

function dayOf(seconds: number): string {
  return new Date(1000 * seconds).toISOString().slice(0, 10)
}
