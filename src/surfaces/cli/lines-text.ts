/** How the changed lines of two sides relate, in words (contract §11). Works without the fields that older services do not send. */
import type { Duplicate } from '../../lines/duplicate.ts'
import type { LinesVerdict, Verdict } from '../../lines/verdict.ts'
import { sanitize } from './terminal.ts'

/** A pair of paths that overlap. Without a verdict, their lines were not compared. */
export type JudgedPath = { yours: string; theirs: string; example: string } & {
  [Name in keyof LinesVerdict]?: LinesVerdict[Name] | null
}

/** The fields of a match that are about lines. */
export interface JudgedMatch {
  lines?: Verdict | null
  duplicate?: Duplicate | null
  /** Only the first files of the two were compared. */
  cut?: boolean
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

/** `src/retry.ts, same lines`; `example` is as it is if lines were not compared. */
export function placeText(example: string, { lines, duplicate }: JudgedMatch): string {
  const parts = [lines && SHORT[lines], duplicate && 'seems to be the same work']
  return [sanitize(example), ...parts.filter(Boolean)].join(', ')
}

/** One line for a path that overlaps. `who` names the other work: `#123`, or its title. */
export function pathText(path: JudgedPath, who: string): string {
  const { verdict, confidence, your_lines, their_lines } = path
  const file = sanitize(path.example)
  const theirs = their_lines ? `${linesText(their_lines)} of ${file}` : file
  const isSame = String(your_lines) === String(their_lines)
  const yours = your_lines && !isSame ? ` (yours: ${linesText(your_lines)})` : ''
  switch (verdict) {
    case 'conflict': {
      const changes = confidence === 'likely' ? 'probably changes' : 'changes'
      return `${who} ${changes} ${theirs} too${yours}${their_lines ? '' : ', and the changes conflict'}`
    }
    case 'agrees':
      return `${who} makes the same change to ${theirs}${yours}`
    case 'touching':
      return `${who} changes ${theirs}, right next to your change${yours}`
    case 'near':
      return `${who} changes ${theirs}, near your change${yours}`
    case 'far':
    case 'unknown':
    case 'noise':
      return `${file}: ${VERDICTS_WITHOUT_LINES[verdict]}`
    default:
      return path.yours === path.theirs
        ? file
        : `${file}  yours ${sanitize(path.yours)}, theirs ${sanitize(path.theirs)}`
  }
}

const VERDICTS_WITHOUT_LINES = {
  far: 'same file, far apart',
  unknown: 'same file; which lines is unknown',
  noise: 'lock, generated or similar file, whose conflicts are easy to resolve',
}

function linesText([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`
}

/** Lines about the match as a whole. */
export function matchNotes({ duplicate, cut }: JudgedMatch, who: string): string[] {
  return [
    ...(duplicate ? [duplicateText(duplicate, who)] : []),
    ...(cut ? ['only the first shared files were compared by lines'] : []),
  ]
}

function duplicateText({ share, added_lines, issue }: Duplicate, who: string): string {
  const why = [
    share > 0 ? `${Math.round(share * 100)} % of ${added_lines} added lines are alike` : '',
    issue === null ? '' : `both close ${typeof issue === 'number' ? `#${issue}` : sanitize(issue)}`,
  ].filter(Boolean)
  return `seems to do the same as ${who}${why.length > 0 ? `: ${why.join(', ')}` : ''}`
}
