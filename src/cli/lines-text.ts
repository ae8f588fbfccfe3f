/** How the changed lines of two sides relate, in words. */
import type { LinesVerdict } from '../vocabulary/verdict.ts'
import { type ComparedLines, duplicateText, placeSentence, shortText } from '../vocabulary/verdict-words.ts'
import { sanitize } from './terminal.ts'

/** A pair of paths that overlap. Without a verdict, their lines were not compared. */
export type ComparedPath = { yours: string; theirs: string; example: string } & {
  [Name in keyof LinesVerdict]?: LinesVerdict[Name] | null
}

/** The fields of a match that are about lines. */
export interface ComparedMatch extends ComparedLines {
  /** Only the first files of the two were compared. */
  cut?: boolean
}

/** `src/retry.ts, same lines`; only `example` if lines were not compared. */
export function placeText(example: string, match: ComparedMatch): string {
  return [sanitize(example), shortText(match)].filter(Boolean).join(', ')
}

/** One line for a path that overlaps. `who` names the other work: `#123`, or its title. */
export function pathText({ verdict, ...path }: ComparedPath, who: string): string {
  if (verdict) return placeSentence(who, { ...path, verdict }, sanitize)
  const file = sanitize(path.example)
  return path.yours === path.theirs
    ? file
    : `${file}  yours ${sanitize(path.yours)}, theirs ${sanitize(path.theirs)}`
}

/** Notes about the match as a whole. */
export function matchNotes({ duplicate, cut }: ComparedMatch, who: string): string[] {
  return [
    ...(duplicate ? [duplicateText(who, duplicate, sanitize)] : []),
    ...(cut ? ['only the first shared files were compared by lines'] : []),
  ]
}
