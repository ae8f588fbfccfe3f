/** The table and the pull requests of a replay of work that was done already, in Markdown (docs/research/done.md). Pure. */
import { isSameAuthor } from '../../../src/engine/check/sides.ts'
import { day, figure, list, opened, share, table } from '../markdown.ts'
import type { Measured, ToldAndEnded } from './done.ts'

export function doneTables(measured: Measured): string {
  const { pull_requests, told, elsewhere } = measured
  const by = (outcome: Outcome) => told.filter((each) => outcomeOf(each, elsewhere) === outcome)
  const [closed, pushed, rest, merged] = [by('given_up'), by('pushed'), by('rest'), by('merged')]
  const right = closed.length + pushed.length + rest.length
  const people = pull_requests.filter(({ is_bot }) => !is_bot).length
  const commented = told.filter(({ pr }) => !pr.is_bot)
  const apart = commented.filter(({ pr, by: other }) => !isSameAuthor(pr.last.author, other.last.author))
  const comments = ({ length }: readonly unknown[]) => `${length}, ${figure(2 * length, people)}`
  const rows: [string, string][] = [
    ['pull requests opened, by people', `${pull_requests.length}, ${people}`],
    ['told that their work is done', String(told.length)],
    ['… of a person, for 200 pull requests', comments(commented)],
    ['… about the work of another, for 200 pull requests', comments(apart)],
    ['closed without a merge', String(closed.length)],
    ['pushed without the lines, then merged or open', String(pushed.length)],
    ['merged, which brought less than half of the lines', String(rest.length)],
    ['merged after all', String(merged.length)],
    ['base branch not known, or open', String(by('unknown').length + by('open').length)],
    ['right, of those that ended', share(right, right + merged.length)],
  ]
  return [
    `${opened(measured)}.`,
    table(['work that was done already', ''], rows),
    list('Merged after all', merged.map(lineOf)),
    list('Merged without most of the lines', rest.map(lineOf)),
    list('Pushed', pushed.map(lineOf)),
    list('Closed', closed.map(lineOf)),
    list('Open', by('open').map(lineOf)),
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

function lineOf({ pr, by, shared, lines, at }: ToldAndEnded): string {
  return `#${pr.n} (${pr.author}): ${shared} of ${lines} lines are in #${by.n} (${by.author}), told on ${day(at)}`
}
