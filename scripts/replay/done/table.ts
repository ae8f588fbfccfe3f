/** The table and the pull requests of a replay of work that was done already, in Markdown (docs/done-already.md). Pure. */
import { isSameAuthor } from '../../../src/server/overlap/side.ts'
import { figure, table } from '../markdown.ts'
import type { Measured, Superseded } from './done.ts'
import type { Told } from './tell.ts'

/** The least lines that are compared (docs/contract/issues.md#done-already). */
const LINES_MIN = 8

export function doneTables({ since, until, pull_requests, told, elsewhere, superseded }: Measured): string {
  const by = (outcome: ReturnType<typeof outcomeOf>) =>
    told.filter((each) => outcomeOf(each, elsewhere) === outcome)
  const [right, wrong] = [by('given_up'), by('merged')]
  const known = new Set(told.map(({ pr }) => pr))
  const brought = superseded.filter(({ by }) => by !== null)
  const large = brought.filter(({ lines }) => lines >= LINES_MIN)
  const missed = large.filter(({ pr }) => !known.has(pr))
  const apart = told.filter(({ pr, by }) => !isSameAuthor(pr.last.author, by.last.author))
  const people = pull_requests.filter(({ is_bot }) => !is_bot).length
  const commented = apart.filter(({ pr }) => !pr.is_bot).length
  const rows: [string, string][] = [
    ['pull requests opened, by people', `${pull_requests.length}, ${people}`],
    ['told that their work is done', String(told.length)],
    [
      '… of a person about the work of another, for 200 pull requests',
      `${commented}, ${figure(2 * commented, people)}`,
    ],
    ['closed without a merge', String(right.length)],
    ['pushed without the lines, then merged or open', String(by('pushed').length)],
    ['merged after all', String(wrong.length)],
    ['open', String(by('open').length)],
    ['base branch not known', String(by('unknown').length)],
    [
      'right: closed or pushed, of those that ended',
      shareOf(right.length + by('pushed').length, right.length + by('pushed').length + wrong.length),
    ],
    ['for another branch than the default one', String(told.filter(({ pr }) => pr.branch !== 0).length)],
    [
      'closed ones of which a merge leaves nothing, with eight lines or more',
      `${superseded.length}, ${large.length}`,
    ],
    ['… of these told', shareOf(large.length - missed.length, large.length)],
  ]
  return [
    `Opened from ${dayOf(since)} to ${dayOf(until)}.`,
    table(['work that was done already', ''], rows),
    listOf('Merged after all', wrong.map(lineOf)),
    listOf('Pushed', by('pushed').map(lineOf)),
    listOf('Closed', right.map(lineOf)),
    listOf('Open', by('open').map(lineOf)),
    listOf(
      'Missed',
      missed.map(({ pr, by, lines }: Superseded) => `#${pr.n}: ${lines} lines, by #${by?.n}`),
    ),
  ].join('\n\n')
}

/** `elsewhere`: see `Measured`. */
export function outcomeOf(
  { pr, by, is_told_at_end }: Told,
  elsewhere: ReadonlySet<number>,
): 'given_up' | 'pushed' | 'merged' | 'open' | 'unknown' {
  if (elsewhere.has(pr.n) || elsewhere.has(by.n)) return 'unknown'
  if (pr.merged === null && !pr.is_open) return 'given_up'
  if (!is_told_at_end) return 'pushed'
  return pr.merged === null ? 'open' : 'merged'
}

function lineOf({ pr, by, shared, lines, at }: Told): string {
  return `#${pr.n} (${pr.author}): ${shared} of ${lines} lines are in #${by.n} (${by.author}), told on ${dayOf(at)}`
}

function shareOf(part: number, whole: number): string {
  return `${part} of ${whole} (${figure(part, whole)} %)`
}

function listOf(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [`${title}:`, '', ...items.map((item) => `- ${item}`)].join('\n')
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
