/** The table and the pairs of a replay of shared numbers and parents, in Markdown (docs/research/numbers.md). Pure. */
import { isSameAuthor } from '../../../src/engine/check/sides.ts'
import { takenValue } from '../../../src/vocabulary/finding-kinds.ts'
import { day, list, opened, share, table } from '../markdown.ts'
import { type JudgedPair, type Measured, type Told, verdictOf } from './judged.ts'

export function sequenceTables(measured: Measured): string {
  const { pull_requests, taking, pairs } = measured
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
    ['… of these, share it with live work', share(shared, taking.length)],
    ['pairs told: same number, same parent', `${told.length}: ${kind('number')}, ${kind('parent')}`],
    ['… by two people', String(apart.length)],
    ['right, of those that can be judged', share(right.length, right.length + wrong.length)],
    ['not judged', String(unknown.length)],
    ['pairs twice in one tree, of these told', share(twice.length - missed.length, twice.length)],
    [
      'pairs of which one renames or removes the parent of the other, not told',
      String(pairs.filter((pair) => pair.is_gone && pair.told === null).length),
    ],
  ]
  return [
    `${opened(measured)}.`,
    table(['shared numbers and parents', ''], rows),
    list('Right', right.map(lineOf)),
    list('False alarms', wrong.map(lineOf)),
    list('Not judged', unknown.map(lineOf)),
    list('Missed', missed.map(missedLine)),
  ].join('\n\n')
}

function numbersOf({ one, other }: Pick<Told, 'one' | 'other'>): number[] {
  return [one.pr.n, other.pr.n]
}

function lineOf(told: Told): string {
  const shared = told.sequence.map(
    (each) => `${each.kind} ${takenValue(each)} in ${each.directory}: ${each.yours}, ${each.theirs}`,
  )
  return [namesOf(told), ...shared].join('; ')
}

function missedLine({ twice }: JudgedPair): string {
  const [first] = twice.filter(({ is_told }) => !is_told) as [JudgedPair['twice'][number]]
  const { meeting, finding } = first
  return `${namesOf(meeting)}; ${finding.kind} in ${finding.directory}: ${finding.files.join(', ')}`
}

function namesOf({ one, other }: Pick<Told, 'one' | 'other'>): string {
  return [one, other].map(({ pr, revision }) => `#${pr.n} of ${day(revision.at)}`).join(' and ')
}
