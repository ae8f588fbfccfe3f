/** The table and the pairs of a replay of shared numbers and parents, in Markdown (docs/numbers.md). Pure. */
import { isSameAuthor } from '../../../src/server/overlap/side.ts'
import { figure, table } from '../markdown.ts'
import { type JudgedPair, type Measured, type Told, verdictOf } from './judged.ts'
import { OUTCOMES, type Outcome } from './outcomes.ts'

export function sequenceTables({ since, until, pull_requests, commented, taking, pairs }: Measured): string {
  const told = pairs.flatMap((pair) => pair.told ?? [])
  const by = (verdict: ReturnType<typeof verdictOf>) => told.filter((pair) => verdictOf(pair) === verdict)
  const [right, wrong, unknown] = [by('right'), by('wrong'), by('unknown')]
  const twice = pairs.filter((pair) => pair.twice.length > 0)
  const missed = twice.filter((pair) => !pair.twice.every(({ is_told }) => is_told))
  const apart = told.filter(({ one, other }) => !isSameAuthor(one.pr.last.author, other.pr.last.author))
  const sharing = new Set(twice.flatMap(({ twice: [first] }) => (first ? numbersOf(first.meeting) : [])))
  const shared = taking.filter(({ n }) => sharing.has(n)).length
  const people = pull_requests.filter(({ is_bot }) => !is_bot).length
  const kind = (name: string) =>
    told.filter(({ sequence }) => sequence.some((each) => each.kind === name)).length
  const rows: [string, string][] = [
    ['pull requests opened, by people', `${pull_requests.length}, ${people}`],
    ['… that take a number or a parent', String(taking.length)],
    ['… of these, share it with live work', shareOf(shared, taking.length)],
    [
      'pairs told: same number, same parent',
      `${told.length}: ${kind('same_number')}, ${kind('same_parent')}`,
    ],
    [
      '… by two people, with a comment',
      `${apart.length}, ${told.filter((each) => each.commented.length > 0).length}`,
    ],
    ['right, of those that can be judged', shareOf(right.length, right.length + wrong.length)],
    ['not judged', String(unknown.length)],
    ['pairs twice in one tree, of these told', shareOf(twice.length - missed.length, twice.length)],
    [
      'pairs of which one renames or removes the parent of the other, not told',
      String(pairs.filter((pair) => pair.is_gone && pair.told === null).length),
    ],
    ['comments, for 200 pull requests by people', `${commented}, ${figure(2 * commented, people)}`],
  ]
  const ends = (Object.keys(OUTCOMES) as Outcome[]).map((outcome): [string, string] => [
    OUTCOMES[outcome],
    String(told.filter(({ end }) => end.outcome === outcome).length),
  ])
  return [
    `Opened from ${dayOf(since)} to ${dayOf(until)}.`,
    table(['shared numbers and parents', ''], rows),
    table(['outcome of the pairs told', ''], ends),
    listOf('Right', right.map(lineOf)),
    listOf('False alarms', wrong.map(lineOf)),
    listOf('Not judged', unknown.map(lineOf)),
    listOf('Missed', missed.map(missedLine)),
  ].join('\n\n')
}

function shareOf(part: number, whole: number): string {
  return `${part} of ${whole} (${figure(part, whole)} %)`
}

function numbersOf({ one, other }: Pick<Told, 'one' | 'other'>): number[] {
  return [one.pr.n, other.pr.n]
}

function listOf(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? `${title}: none` : `${title}:\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function lineOf(told: Told): string {
  const shared = told.sequence.map(
    ({ kind, directory, value, yours, theirs }) => `${kind} ${value} in ${directory}: ${yours}, ${theirs}`,
  )
  const who =
    told.commented.length === 0 ? 'no comment' : `comment on ${told.commented.map((n) => `#${n}`).join(', ')}`
  const { outcome, repair } = told.end
  return [namesOf(told), ...shared, who, repair === null ? outcome : `${outcome}: ${repair}`].join('; ')
}

function missedLine({ twice }: JudgedPair): string {
  const [first] = twice.filter(({ is_told }) => !is_told) as [JudgedPair['twice'][number]]
  const { meeting, finding } = first
  return `${namesOf(meeting)}; ${finding.kind} in ${finding.directory}: ${finding.files.join(', ')}`
}

function namesOf({ one, other }: Pick<Told, 'one' | 'other'>): string {
  return [one, other].map(({ pr, revision }) => `#${pr.n} of ${dayOf(revision.at)}`).join(' and ')
}

function dayOf(seconds: number): string {
  return new Date(1000 * seconds).toISOString().slice(0, 10)
}
