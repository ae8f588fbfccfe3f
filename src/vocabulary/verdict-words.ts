/** Describes for humans how the changes of two sides relate. Pure. */
import type { Confidence, Duplicate, LineRange, Verdict } from './verdict.ts'

/** Quotes or escapes a text from users for the place where it is shown. */
export type Quote = (text: string) => string

/** A file that both sides change. */
export interface ComparedPlace {
  example: string
  verdict: Verdict
  confidence?: Confidence | null
  your_lines?: LineRange | null
  their_lines?: LineRange | null
}

/** `#123 changes lines 40–52 of src/retry.ts too`. `who`: the other side, quoted, as the subject of the sentence. */
export function placeSentence(who: string, place: ComparedPlace, quote: Quote): string {
  const { verdict, confidence, their_lines } = place
  const file = quote(place.example)
  const theirs = their_lines ? `${linesText(their_lines)} of ${file}` : file
  const yours = yoursText(place)
  switch (verdict) {
    case 'conflict':
      if (confidence === 'likely') return `${who} changes ${theirs} too${yours}, probably in conflict`
      return `${who} changes ${theirs} too${yours}${their_lines ? '' : ', and the changes conflict'}`
    case 'agrees':
      return `${who} makes the same change to ${theirs}${yours}`
    case 'touching':
      return `${who} changes ${theirs}, right next to your change${yours}`
    case 'near':
      return `${who} changes ${theirs}, near your change${yours}`
    case 'far':
      return `${who} changes ${file} too, far from your change`
    case 'unknown':
      return `${who} changes ${theirs} too; ${their_lines ? 'your' : 'its'} lines are not known`
    case 'noise':
      return `${who} changes ${file} too, a file whose conflicts are easy to resolve`
  }
}

/** `lines 40–52 (yours: lines 38–50)`: where the other side changes a file. The text before it names the file. */
export function placeText(place: Omit<ComparedPlace, 'example'>): string {
  const { verdict, confidence, their_lines } = place
  const theirs = their_lines ? `${linesText(their_lines)}${yoursText(place)}` : ''
  const note = confidence === 'likely' ? NOTES.likely : NOTES[verdict]
  return [theirs, note].filter(Boolean).join(', ')
}

/** ` (yours: lines 38–50)`; empty if your lines are unknown, or have the same numbers as theirs. */
function yoursText({ your_lines, their_lines }: Pick<ComparedPlace, 'your_lines' | 'their_lines'>): string {
  const isSame = String(your_lines) === String(their_lines)
  return your_lines && !isSame ? ` (yours: ${linesText(your_lines)})` : ''
}

const NOTES: Record<Verdict | 'likely', string> = {
  conflict: '',
  likely: 'probably in conflict',
  agrees: 'the same change',
  touching: 'right next to your change',
  near: 'near your change',
  far: 'far from your change',
  unknown: 'lines not known',
  noise: 'easy to resolve',
}

/** `lines 40–52`, or `line 40`. */
export function linesText(range: LineRange): string {
  return `${range[0] === range[1] ? 'line' : 'lines'} ${numbersText(range)}`
}

/** `40–52`, or `40` for one line. */
export function numbersText([first, last]: LineRange): string {
  return first === last ? `${first}` : `${first}–${last}`
}

/** `seems to do the same as #123 (both close #7)`. `who`: the other side, quoted. */
export function duplicateText(who: string, { share, added_lines, issue }: Duplicate, quote: Quote): string {
  const why = [
    share > 0 ? `${Math.round(share * added_lines)} of ${added_lines} added lines are alike` : '',
    issue === null ? '' : `both close ${quote(typeof issue === 'number' ? `#${issue}` : issue)}`,
  ].filter(Boolean)
  return `seems to do the same as ${who}${why.length > 0 ? ` (${why.join(', ')})` : ''}`
}

/** The words of `shortText`. */
const SHORT: Record<Verdict, string> = {
  conflict: 'same lines',
  unknown: 'lines unknown',
  agrees: 'same change',
  touching: 'adjacent lines',
  near: 'nearby lines',
  far: 'same file, far apart',
  noise: 'lock or generated file',
}

/** The lines of two sides, each on its own base. */
type LineRanges = readonly [LineRange | null, LineRange | null]

/** The fields of a match about lines. */
export interface ComparedLines {
  lines?: Verdict | null
  duplicate?: Duplicate | null
  /** The lines in the file next to which the text is shown. */
  line_ranges?: LineRanges | null
}

/** `same lines (40–52 and 49–61), seems to be the same work`; empty if lines were not compared. */
export function shortText({ lines, duplicate, line_ranges }: ComparedLines): string {
  const numbers = lines === 'far' || lines === 'unknown' ? '' : rangesText(line_ranges ?? [null, null])
  const place = lines && `${SHORT[lines]}${numbers && ` (${numbers})`}`
  return [place, duplicate && 'seems to be the same work'].filter(Boolean).join(', ')
}

function rangesText(ranges: LineRanges): string {
  const known = ranges.flatMap((range) => (range === null ? [] : [numbersText(range)]))
  return [...new Set(known)].join(' and ')
}

/** A collision as the list of all collisions shows it. */
interface ListedCollision extends Required<Omit<ComparedLines, 'line_ranges'>> {
  activity_ids: readonly string[]
  paths: readonly Required<Pick<ComparedLines, 'line_ranges'>>[]
}

/** The fields for `shortText` about the first path, with the lines of the activity `id` first. */
export function comparedLinesOf(
  id: string | undefined,
  { lines, duplicate, activity_ids, paths }: ListedCollision,
): ComparedLines {
  const ranges = paths[0]?.line_ranges ?? null
  const isSwapped = ranges !== null && id === activity_ids[1]
  return { lines, duplicate, line_ranges: isSwapped ? [ranges[1], ranges[0]] : ranges }
}
