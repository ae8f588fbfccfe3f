/** What a list says about a pair of activities. Pure. */
import { type Finding, findingOf, isSameWork, nextOf, takenIn } from './finding.ts'
import { sequencePlace } from './sequence-words.ts'
import type { Quote } from './text.ts'
import type { LineRange } from './verdict.ts'
import { evidenceText, numbersText, OVERLAP_WORDS } from './verdict-words.ts'

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
  const label = OVERLAP_WORDS[lines?.verdict ?? 'declared'].label
  const place = numbers === '' || label === '' ? label : `${label} (${numbers})`
  const twin = isSameWork(findings) ? `${OVERLAP_WORDS.duplicate.label}${evidenceText(findings, quote)}` : ''
  const taken = takenIn(findings)
    .slice(0, 1)
    .map((each) => {
      const next = nextOf(each)
      const free = next === null ? '' : `; ${quote(next)} is free`
      return `${OVERLAP_WORDS[each.kind].label} (${sequencePlace(each, quote)}${free})`
    })
  return [...taken, place, twin].filter(Boolean).join(', ')
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
