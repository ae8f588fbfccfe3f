/** The table and the pull requests of a replay of work that was done already, in Markdown (docs/done-already.md). Pure. */
import { ENOUGH } from '../../../src/server/merged-work/merged-work.ts'
import { isSameAuthor } from '../../../src/server/overlap/side.ts'
import { figure, table } from '../markdown.ts'
import type { Measured, SupersededLines, ToldAndEnded } from './done.ts'

/** The least lines that are compared, and the share of them (docs/contract/issues.md#done-already). */
const LINES_MIN = ENOUGH.shared_min

export function doneTables({
  since,
  until,
  pull_requests,
  told,
  elsewhere,
  empty,
  ...superseded
}: Measured): string {
  const by = (outcome: Outcome) => told.filter((each) => outcomeOf(each, elsewhere) === outcome)
  const ended = { closed: by('given_up'), pushed: by('pushed'), rest: by('rest'), merged: by('merged') }
  const right = ended.closed.length + ended.pushed.length + ended.rest.length
  const known = new Set(told.map(({ pr }) => pr))
  const isTold = ({ pr }: SupersededLines) => known.has(pr)
  const large = (found: SupersededLines[]) => found.filter(({ lines }) => lines >= LINES_MIN)
  const [brought, called] = [large(superseded.brought), large(superseded.called)]
  const reached = called.filter(
    ({ lines, shared }) => shared >= Math.max(LINES_MIN, ENOUGH.share_min * lines),
  )
  const apart = told.filter(({ pr, by: other }) => !isSameAuthor(pr.last.author, other.last.author))
  const people = pull_requests.filter(({ is_bot }) => !is_bot).length
  const commented = apart.filter(({ pr }) => !pr.is_bot).length
  const rows: [string, string][] = [
    ['pull requests opened, by people', `${pull_requests.length}, ${people}`],
    ['told that their work is done', String(told.length)],
    [
      '… of a person about the work of another, for 200 pull requests',
      `${commented}, ${figure(2 * commented, people)}`,
    ],
    ['closed without a merge', String(ended.closed.length)],
    ['pushed without the lines, then merged or open', String(ended.pushed.length)],
    ['merged, which brought less than half of the lines', String(ended.rest.length)],
    ['merged after all', String(ended.merged.length)],
    ['open', String(by('open').length)],
    ['base branch not known', String(by('unknown').length)],
    ['right, of those that ended', shareOf(right, right + ended.merged.length)],
    ['for another branch than the default one', String(told.filter(({ pr }) => pr.branch !== 0).length)],
    ['closed ones of which a merge leaves nothing', String(empty)],
    ['… brought by one merged pull request, with eight lines or more, and told', partOf(brought, isTold)],
    [
      'closed ones that a merged one says to close or replace, with eight lines or more, and told',
      partOf(called, isTold),
    ],
    ['… of which the merged one has enough lines, and told', partOf(reached, isTold)],
  ]
  const isMissed = (each: SupersededLines) => !isTold(each)
  return [
    `Opened from ${dayOf(since)} to ${dayOf(until)}.`,
    table(['work that was done already', ''], rows),
    listOf('Merged after all', ended.merged.map(lineOf)),
    listOf('Merged without most of the lines', ended.rest.map(lineOf)),
    listOf('Pushed', ended.pushed.map(lineOf)),
    listOf('Closed', ended.closed.map(lineOf)),
    listOf('Open', by('open').map(lineOf)),
    listOf('Brought by one, not told', brought.filter(isMissed).map(missedLineOf)),
    listOf('Closed or replaced by one, not told', called.filter(isMissed).map(missedLineOf)),
  ].join('\n\n')
}

export type Outcome = 'given_up' | 'pushed' | 'rest' | 'merged' | 'open' | 'unknown'

/** `rest`: merged, but the lines were there already, so that the merge brought less than half of them. `elsewhere`: see `Measured`. */
export function outcomeOf(
  { pr, by, is_told_at_end, shared, merged_lines }: ToldAndEnded,
  elsewhere: ReadonlySet<number>,
): Outcome {
  if (elsewhere.has(pr.n) || elsewhere.has(by.n)) return 'unknown'
  if (pr.merged === null && !pr.is_open) return 'given_up'
  if (!is_told_at_end) return 'pushed'
  if (pr.merged === null) return 'open'
  return merged_lines < shared / 2 ? 'rest' : 'merged'
}

function missedLineOf({ pr, by, lines, shared }: SupersededLines): string {
  return `#${pr.n}: ${shared} of ${lines} lines are in #${by.n}`
}

function partOf(of: readonly SupersededLines[], isPart: (each: SupersededLines) => boolean): string {
  return shareOf(of.filter(isPart).length, of.length)
}

function lineOf({ pr, by, shared, lines, at }: ToldAndEnded): string {
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
