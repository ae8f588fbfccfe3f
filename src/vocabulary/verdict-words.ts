/** What an overlap is called: one row for each verdict about lines, one column for each medium. Pure. */
import { evidenceOf, findingOf, saidIn } from './finding.ts'
import type { Consequence, Finding, FindingOf } from './finding-kinds.ts'
import { joined, type Quote } from './text.ts'
import type { ComparedLines, LineRange, Verdict } from './verdict.ts'

export const CONSEQUENCE_WORDS: Record<Consequence, string> = {
  same_work: 'same work',
  same_number: 'same number',
  conflict: 'conflict',
  possible: 'possible overlap',
  same_file: 'same file',
}

/** A verdict about lines; `likely`: a conflict that is not proved; `declared`: paths or areas whose lines were not compared. */
type Kind = Verdict | 'likely' | 'declared'

interface Words {
  /**
   * Without its full stop. `who`: the other side, as the subject. `what`: the lines and the file. `note`: the own lines in
   * parentheses, or empty.
   */
  sentence: (who: string, what: string, note: string) => string
  /** For a reader who already sees the lines of the other side; empty if those say enough. */
  short: string
  /** For a list of pairs, in which nobody is “you”. */
  label: string
}

export const LINES_WORDS: Record<Kind, Words> = {
  conflict: {
    sentence: (who, what, note) => `${who} changes ${what} too${note}`,
    short: 'the same lines as yours',
    label: 'same lines',
  },
  likely: {
    sentence: (who, what, note) => `${who} changes ${what} too${note}, probably in conflict`,
    short: 'probably in conflict',
    label: 'probably in conflict',
  },
  unknown: {
    sentence: (who, what) => `${who} changes ${what} too; whether the lines overlap is not known`,
    short: 'lines not known',
    label: 'lines not known',
  },
  agrees: {
    sentence: (who, what, note) => `${who} makes the same change to ${what}${note}`,
    short: 'the same change as yours',
    label: 'same change',
  },
  touching: {
    sentence: (who, what, note) => `${who} changes ${what}, right next to your change${note}`,
    short: 'right next to your change',
    label: 'adjacent lines',
  },
  near: {
    sentence: (who, what, note) => `${who} changes ${what}, near your change${note}`,
    short: 'near your change',
    label: 'nearby lines',
  },
  far: {
    sentence: (who, what, note) => `${who} changes ${what}, far from your change${note}`,
    short: 'far from your change',
    label: 'far apart',
  },
  noise: {
    sentence: (who, what) => `${who} changes ${what} too, a file whose conflicts are easy to resolve`,
    short: 'easy to resolve',
    label: 'easy to resolve',
  },
  declared: {
    sentence: (who, what, note) => `${who} works on ${what} too${note}`,
    short: '',
    label: '',
  },
}

/** A path that both sides match. `yours` and `theirs`: the globs that match it, if they are to be named. */
export interface ComparedPlace extends ComparedLines {
  example: string
  yours?: string
  theirs?: string
}

/** What two sides share. `paths`: the places, the most important first. */
export interface Shared {
  findings: readonly Finding[]
  paths: readonly ComparedPlace[]
  areas: readonly string[]
}

export function kindOf({ verdict, confidence }: Pick<ComparedLines, 'verdict' | 'confidence'>): Kind {
  return confidence === 'likely' ? 'likely' : (verdict ?? 'declared')
}

/** A sentence about the most important thing that two sides share. `own`: the own side, as the object of the sentence. */
export function overlapSentence(
  who: string,
  { findings, paths, areas }: Shared,
  own: string,
  quote: Quote,
): string {
  const evidence = evidenceOf(findings, quote)
  if (evidence) return sameWorkSentence(who, own, evidence)
  const [said] = saidIn(findings)
  if (said) return said.words.sentence(said.finding, who, quote)
  const [place] = paths
  if (place) return placeSentence(who, place, quote)
  return LINES_WORDS.declared.sentence(who, areas.length > 0 ? areasText(areas, quote) : 'the same scope', '')
}

/** `#123 changes lines 40–52 of src/retry.ts too (yours: lines 38–50)`. */
export function placeSentence(who: string, place: ComparedPlace, quote: Quote): string {
  const lines = linesText(place.their_lines)
  const file = quote(place.example)
  const isUnplaced = place.verdict === 'conflict' && lines === ''
  const note = isUnplaced ? ', and the changes conflict' : yourLines(place) || globsText(place, quote)
  return LINES_WORDS[kindOf(place)].sentence(who, lines === '' ? file : `${lines} of ${file}`, note)
}

/** `#123 seems to do the same as yours (9 of 12 added lines are alike, both close #7)`. */
export function sameWorkSentence(who: string, own: string, evidence: readonly string[]): string {
  return `${who} ${SAME_WORK} as ${own}${evidenceText(evidence)}`
}

export const SAME_WORK = 'seems to do the same'

/** ` (9 of 12 added lines are alike, both close #7)`; empty if nothing is known. */
export function evidenceText(evidence: readonly string[]): string {
  return evidence.length > 0 ? ` (${evidence.join(', ')})` : ''
}

/** How much of the lines that work adds a merged pull request has. */
export interface DoneLines {
  shared: number
  lines: number
}

export function linesOf({ share, added_lines }: FindingOf<'done'>): DoneLines {
  return { shared: Math.round(share * added_lines), lines: added_lines }
}

/** `#40 is merged and has 11 of the 12 lines that this adds`. `own`: the own side, as the subject. */
export function doneSentence(who: string, { shared, lines }: DoneLines, own: string): string {
  return `${who} is merged and has ${shared} of the ${lines} lines that ${own} adds`
}

/** `lines 40–52 (yours: lines 38–50), probably in conflict`. The text before it names the file. */
export function placeText(place: ComparedLines): string {
  const [theirs, yours, kind] = [linesText(place.their_lines), yourLines(place), kindOf(place)]
  const isSaid = kind === 'conflict' ? yours !== '' : kind === 'unknown' && theirs !== ''
  return [`${theirs}${yours}`, isSaid ? '' : LINES_WORDS[kind].short].filter(Boolean).join(', ')
}

/** ` (yours: lines 38–50)`; empty if your lines are unknown, or have the same numbers as theirs. */
function yourLines({ your_lines, their_lines }: ComparedLines): string {
  const isSame = String(your_lines) === String(their_lines)
  return your_lines && their_lines && !isSame ? ` (yours: ${linesText(your_lines)})` : ''
}

/** ` (yours: src/**, theirs: src/pay.ts)`; empty if neither side names a glob. */
function globsText({ example, yours = example, theirs = example }: ComparedPlace, quote: Quote): string {
  if (yours === example && theirs === example) return ''
  return ` (yours: ${quote(yours)}, theirs: ${quote(theirs)})`
}

/** `area pay`, or `areas pay and cart`. */
export function areasText(areas: readonly string[], quote: Quote): string {
  return `${areas.length === 1 ? 'area' : 'areas'} ${joined(areas.map((area) => quote(area)))}`
}

/** `lines 40–52`, `line 40`, or `lines 40–52 and 49–61`; empty if no lines are known. */
export function linesText(...ranges: readonly (LineRange | null)[]): string {
  const numbers = numbersText(ranges)
  if (numbers === '') return ''
  return `${/^\d+$/.test(numbers) ? 'line' : 'lines'} ${numbers}`
}

/** `40–52 and 60`: the ranges that are known, each once. */
export function numbersText(ranges: readonly (LineRange | null)[]): string {
  const known = ranges.flatMap((range) => {
    if (range === null) return []
    const [first, last] = range
    return [first === last ? `${first}` : `${first}–${last}`]
  })
  return joined([...new Set(known)])
}

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

interface ListedCollision extends Pick<ComparedPair, 'findings'> {
  activity_ids: readonly string[]
  paths: readonly { line_ranges: LineRanges | null }[]
}

export function pairOf(id: string, { activity_ids, paths, findings }: ListedCollision): ComparedPair {
  const ranges = paths[0]?.line_ranges ?? null
  const isSwapped = ranges !== null && id === activity_ids[1]
  return { findings, line_ranges: isSwapped ? [ranges[1], ranges[0]] : ranges }
}
