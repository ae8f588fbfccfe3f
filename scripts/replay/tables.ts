/** The tables of a replay, in Markdown (docs/signal.md). Pure. */
import { isConflict, isDuplicate, isProved, type JudgedOverlap, type RuleCount } from './comment-rules.ts'
import { OUTCOMES, type Outcome } from './outcomes.ts'

export interface Replayed {
  /** The first and the last second of the replayed period. */
  since: number
  until: number
  pull_requests: { all: number; by_people: number }
  counts: RuleCount[]
  overlaps: JudgedOverlap[]
  shown: { overlap: JudgedOverlap; outcome: Outcome }[]
  /** Pairs by people of which one side was rebased over the other's merge, and those of them that edit lines of that merge. */
  rebased: { pairs: number; editing_merge: number }
  /** False if the mirror has no refs that distinguish open pull requests from closed ones. */
  has_merge_refs: boolean
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
    outcomeTable(replayed),
  ].join('\n\n')
}

const VERDICT_RULES: readonly [label: string, calls: (overlap: JudgedOverlap) => boolean][] = [
  ['same file', () => true],
  ['raw line numbers touch', ({ raw_gap }) => raw_gap === 0],
  ['raw numbers within 3 lines', ({ raw_gap }) => raw_gap <= 3],
  ['aligned patches, proved and likely', isConflict],
  ['aligned patches, proved only', isProved],
]

function verdictTable({ overlaps, rebased }: Replayed): string {
  const people = overlaps.filter(({ is_of_people }) => is_of_people)
  const known = people.filter(({ truth }) => truth !== null && truth.verdict !== 'unknown')
  const conflicts = known.filter(({ truth }) => truth?.verdict === 'conflict')
  const unknown = people.filter(({ truth }) => truth?.verdict === 'unknown').length
  const not_merged = people.length - known.length - unknown - rebased.pairs
  const rows = VERDICT_RULES.map(([label, calls]) => {
    const called = known.filter(calls)
    const found = called.filter(({ truth }) => truth?.verdict === 'conflict').length
    const score = `${figure(found, called.length)} / ${figure(found, conflicts.length)}`
    return [label, score, `${found}, ${called.length - found}, ${conflicts.length - found}`]
  })
  return [
    [
      `${people.length} pairs by different authors share a file that is not noise.`,
      `Git judged ${known.length}; ${conflicts.length} conflict (${percent(conflicts.length, known.length)}).`,
      `In ${unknown} of them, neither side can be rebased onto the other's base without a conflict.`,
      `In ${rebased.pairs}, one side was rebased over the other's merge, and in ${rebased.editing_merge} of these it edits lines of that merge.`,
      ...(not_merged > 0 ? [`The oldest ${not_merged} were not judged.`] : []),
    ].join(' '),
    table(['verdict (by pair)', 'precision / recall, %', 'found, false alarms, missed'], rows),
  ].join('\n\n')
}

function outcomeTable({ shown }: Replayed): string {
  const kinds = [
    ['conflicts', shown.filter(({ overlap }) => isConflict(overlap))],
    ['duplicates', shown.filter(({ overlap }) => isDuplicate(overlap))],
  ] as const
  const rows = (Object.keys(OUTCOMES) as Outcome[]).map((outcome) => [
    OUTCOMES[outcome],
    ...[shown, ...kinds.map(([, pairs]) => pairs)].map((pairs) => {
      const count = pairs.filter((pair) => pair.outcome === outcome).length
      return `${count} (${percent(count, pairs.length)})`
    }),
  ])
  const head = [`${shown.length} pairs shown`, ...kinds.map(([name, pairs]) => `${pairs.length} ${name}`)]
  return table(['outcome', ...head], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`
}

function figure(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)
}

function ratio(part: number, whole: number): string {
  return whole === 0 ? '–' : (part / whole).toFixed(1)
}

function dayOf(seconds: number): string {
  return new Date(1000 * seconds).toISOString().slice(0, 10)
}
