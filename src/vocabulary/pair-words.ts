/** What a list says about a pair of activities. Pure. */
import { evidenceOf, findingOf, saidIn } from './finding.ts'
import type { Finding } from './finding-kinds.ts'
import type { Quote } from './text.ts'
import type { LineRange } from './verdict.ts'
import { evidenceText, LINES_WORDS, numbersText, SAME_WORK } from './verdict-words.ts'

/** What a list says about a pair, with the own lines first. */
export interface ComparedPair {
  findings: readonly Finding[]
  /** The lines in the first file, of each side on its own base. */
  line_ranges?: LineRanges | null
}

type LineRanges = readonly [LineRange | null, LineRange | null]

/** `same lines (40–52 and 49–61), seems to do the same (both close #7)`; empty if lines were not compared. */
export function pairLabel({ findings, line_ranges }: ComparedPair, quote: Quote): string {
  const lines = findingOf(findings, 'lines')
  const numbers = lines?.verdict === 'unknown' ? '' : numbersText(line_ranges ?? [])
  const label = LINES_WORDS[lines?.verdict ?? 'declared'].label
  const place = numbers === '' || label === '' ? label : `${label} (${numbers})`
  const evidence = evidenceOf(findings, quote)
  const twin = evidence ? `${SAME_WORK}${evidenceText(evidence)}` : ''
  const said = saidIn(findings)
    .slice(0, 1)
    .map(({ finding, words }) => {
      const what = words.place(finding, quote)
      return `${words.label} (${what}${words.hint?.(finding, quote) ?? ''})`
    })
  return [...said, place, twin].filter(Boolean).join(', ')
}

/** A collision of the list of all collisions. */
interface ListedCollision extends Pick<ComparedPair, 'findings'> {
  activity_ids: readonly string[]
  paths: readonly { line_ranges: LineRanges | null }[]
}

/** The collision as the activity `id` sees it. */
export function pairOf(id: string, { activity_ids, paths, findings }: ListedCollision): ComparedPair {
  const ranges = paths[0]?.line_ranges ?? null
  const isSwapped = ranges !== null && id === activity_ids[1]
  return { findings, line_ranges: isSwapped ? [ranges[1], ranges[0]] : ranges }
}
