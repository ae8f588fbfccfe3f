/** Measures on a mirror which work that is done twice is told, and whether one of both was then closed (docs/research/same-work.md). */

import { isSameAuthor } from '../../src/engine/check/sides.ts'
import { isCommon } from '../../src/engine/kinds/kinds.ts'
import { consequenceOf, findingOf, isForOneOfBoth } from '../../src/vocabulary/finding.ts'
import type { Finding } from '../../src/vocabulary/finding-kinds.ts'
import { type Changed, type ComparedHeads, compareHeads, isStacked, LIVE_S } from './heads.ts'
import { type History, ofPeople, type ReplayOptions, readHistory, withMirror } from './history.ts'
import { list, opened, share, table } from './markdown.ts'
import { type Overlap, overlapsOf } from './overlaps.ts'
import { readTexts } from './read-changes.ts'

/** Fewer lines in common were no duplicate before. */
const SHORT = 5

/** Two that were open at the same time. */
interface Pair extends Pick<Overlap, 'earlier' | 'later'> {
  /**
   * By the heads when the later one was opened. Null if they are not compared: stacked, rebased over each other's merge, or the
   * earlier one was stale.
   */
  findings: readonly Finding[] | null
}
type Met = Pair & { findings: readonly Finding[] }

export function replaySameWork(directory: string, options: ReplayOptions): Promise<string> {
  return withMirror(directory, async (git, mirror) => {
    const history = await readHistory(mirror, git, options)
    const pairs = pairsIn(history)
    options.report(`${pairs.length} pairs met`)
    const texts = await readTexts(git, history, history.changed)
    const named = new Map([...texts].map(([n, own]) => [n, own.flatMap(replacedIn)]))
    return tablesOf(history, pairs, named)
  })
}

function pairsIn({ changed, branches, since, noise }: History): Pair[] {
  const pairs: Pair[] = []
  const met = new Map<Changed, Map<Changed, ComparedHeads>>()
  for (const { earlier, later, rebased_over } of overlapsOf(changed, { branches, since, noise })) {
    if (earlier.is_bot || later.is_bot) continue
    const mine = later.revisions[0]
    const its = earlier.revisions.findLast(({ at }) => at <= later.opened && at > later.opened - LIVE_S)
    if (mine === undefined || its === undefined || rebased_over !== null || isStacked(earlier, later))
      pairs.push({ earlier, later, findings: null })
    else {
      const others = met.get(later) ?? new Map()
      met.set(later, others.set(earlier, compareHeads(its.changes, mine.changes, { noise })))
    }
  }
  for (const [later, others] of met) {
    const open = changed.filter((pr) => pr.opened <= later.opened && pr.ended > later.opened).length
    for (const [earlier, comparison] of others)
      pairs.push({ earlier, later, findings: withoutCommon(comparison, [...others.values()], open) })
  }
  return pairs
}

/** Without a duplicate that a third of the open pull requests make. `all`: the comparisons with the same pull request. */
function withoutCommon(
  { findings, contained, agreed }: ComparedHeads,
  all: readonly ComparedHeads[],
  open: number,
): Finding[] {
  if (!contained.yours && !contained.theirs) return findings
  const makers = all.filter((each) => [...agreed].every((key) => each.agreed.has(key))).length + 1
  return isCommon(makers, () => open) ? findings.filter(({ kind }) => kind !== 'duplicate') : findings
}

function tablesOf(history: History, pairs: Pair[], named: ReadonlyMap<number, readonly number[]>): string {
  const people = ofPeople(history).length
  const met = pairs.filter((pair): pair is Met => pair.findings !== null)
  const told = met.filter(({ findings }) => isForOneOfBoth(findings))
  const [one, two] = [told.filter(isOfOne), told.filter((pair) => !isOfOne(pair))]
  const [short, long] = [two.filter(isShort), two.filter((pair) => !isShort(pair))]
  const inConflict = met.filter((pair) => !isOfOne(pair) && consequenceOf(pair.findings) === 'conflict')
  const closed = pairs.filter((pair) => [pair.earlier, pair.later].some(isClosed) && isReplaced(pair, named))
  const commented = (pairs: readonly Pair[]) => new Set(pairs.map(({ later }) => later))
  const before = commented([...inConflict, ...long])
  const row = (label: string, pairs: readonly Pair[]) => {
    const more = [...commented(pairs)].filter((pr) => !before.has(pr)).length
    return [label, String(pairs.length), ...endsOf(pairs), share(more, people)]
  }
  const compared = closed.filter((pair): pair is Met => pair.findings !== null)
  const untold = compared.filter((pair) => !told.includes(pair))
  return [
    `${opened(history)}: ${people} pull requests by people.`,
    `By the rule alone, without a budget, ${share(before.size, people)} get a comment on a conflict or on the first row.`,
    table(
      ['', 'pairs', 'one side closed', '… where the other was merged', 'comments for nothing else'],
      [
        row('the same work by two people, five lines or more', long),
        row('… fewer lines', short),
        row('the same work by one author', one),
        [...row('all pairs', met).slice(0, -1), ''],
      ],
    ),
    `Closed for the other: ${share(compared.length - untold.length, compared.length)} are told when the later one is opened; ${closed.length - compared.length} more are stacks, rebased, or stale.`,
    list('Fewer than five lines', short.map(lineOf)),
    list('One author', one.map(lineOf)),
    list('Closed for the other, not told', untold.map(lineOf)),
  ].join('\n\n')
}

function isOfOne({ earlier, later }: Pair): boolean {
  return isSameAuthor(earlier.last.author, later.last.author)
}

/** Told only because all changes of one stand in the other, however few. */
function isShort({ findings }: Met): boolean {
  const others = findings.filter(({ kind }) => kind !== 'duplicate')
  const lines = findingOf(findings, 'duplicate')?.added_lines ?? SHORT
  return lines < SHORT && !isForOneOfBoth(others)
}

/** Of those that ended, how many have a side that was closed unmerged; and of those of which the other side was merged. */
function endsOf(pairs: readonly Pair[]): string[] {
  const sides = pairs.map(({ earlier, later }) => [earlier, later])
  const right = sides.filter((pair) => pair.some(isClosed))
  const both = sides.filter((pair) => pair.every(({ merged }) => merged !== null)).length
  const chosen = right.filter((pair) => pair.some(({ merged }) => merged !== null)).length
  return [share(right.length, right.length + both), share(chosen, chosen + both)]
}

function isClosed({ merged, is_open }: Changed): boolean {
  return merged === null && !is_open
}

const REPLACES =
  /\b(?:supersed\w+|replac\w+|duplicates?(?: of)?|alternative to|instead of|continu\w+(?: of)?|revives?|clos\w+|fix\w*|resolv\w+)(?: by)?:? +(?:pr |pull request )?(?:[\w.-]+\/[\w.-]+|https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/pull\/)?#?(\d+)\b/gi

/** The numbers that a message names as what it replaces or is replaced by. */
function replacedIn(text: string): number[] {
  return [...text.matchAll(REPLACES)].map(([, number]) => Number(number))
}

/** One names the other, or both close one issue. */
function isReplaced({ earlier, later }: Pair, named: ReadonlyMap<number, readonly number[]>): boolean {
  const names = (one: Changed, other: Changed) => named.get(one.n)?.includes(other.n) ?? false
  const isOneIssue = [...earlier.last.closes].some((issue) => later.last.closes.has(issue))
  return isOneIssue || names(earlier, later) || names(later, earlier)
}

function lineOf({ earlier, later, findings }: Met): string {
  const sides = [earlier, later].map(
    (pr) => `#${pr.n} (${pr.merged ? 'merged' : isClosed(pr) ? 'closed' : 'open'})`,
  )
  const kinds = findings.filter(({ kind }) => kind !== 'lines').map(({ kind }) => kind)
  return `${sides.join(' and ')}: ${kinds.join(', ')}`
}
