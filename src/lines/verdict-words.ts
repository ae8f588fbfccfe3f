/** Describes for humans how the changes of two sides relate (contract §11). Pure. */
import type { Duplicate } from './duplicate.ts'
import type { Confidence, LineRange, Verdict } from './verdict.ts'

/** Quotes or escapes a text from users for the place where it is shown. */
export type Quote = (text: string) => string

/** A file that both sides change. Older services send neither confidence nor lines. */
export interface JudgedPlace {
  example: string
  verdict: Verdict
  confidence?: Confidence | null
  your_lines?: LineRange | null
  their_lines?: LineRange | null
}

/** `#123 changes lines 40–52 of src/retry.ts too`. `who`: the other side, quoted, as the subject of the sentence. */
export function placeSentence(who: string, place: JudgedPlace, quote: Quote): string {
  const { verdict, confidence, your_lines, their_lines } = place
  const file = quote(place.example)
  const theirs = their_lines ? `${linesText(their_lines)} of ${file}` : file
  const isSame = String(your_lines) === String(their_lines)
  const yours = your_lines && !isSame ? ` (yours: ${linesText(your_lines)})` : ''
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
      return `${who} changes ${file} too; its lines are not known`
    case 'noise':
      return `${who} changes ${file} too, a file whose conflicts are easy to resolve`
  }
}

function linesText([first, last]: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`
}

/** `seems to do the same as #123 (both close #7)`. `who`: the other side, quoted. */
export function duplicateText(who: string, { share, added_lines, issue }: Duplicate, quote: Quote): string {
  const why = [
    share > 0 ? `${Math.round(share * added_lines)} of ${added_lines} added lines are alike` : '',
    issue === null ? '' : `both close ${quote(typeof issue === 'number' ? `#${issue}` : issue)}`,
  ].filter(Boolean)
  return `seems to do the same as ${who}${why.length > 0 ? ` (${why.join(', ')})` : ''}`
}

const SHORT: Record<Verdict, string> = {
  conflict: 'same lines',
  unknown: 'lines unknown',
  agrees: 'same change',
  touching: 'adjacent lines',
  near: 'nearby lines',
  far: 'same file, far apart',
  noise: 'lock or generated file',
}

/** The fields of a match about lines. Older services send neither. */
export interface JudgedLines {
  lines?: Verdict | null
  duplicate?: Duplicate | null
}

/** `same lines, seems to be the same work`; empty if lines were not compared. */
export function shortText({ lines, duplicate }: JudgedLines): string {
  return [lines && SHORT[lines], duplicate && 'seems to be the same work'].filter(Boolean).join(', ')
}
