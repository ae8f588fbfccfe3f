/** The fields of a match that do not come from scopes: lines, duplicate, author. Pure. */

import type { Match, PathPair } from '../../vocabulary/contract/overlap.ts'
import type { GlobPair } from '../../vocabulary/scope/path-set.ts'
import { NOT_COMPARED } from '../../vocabulary/verdict.ts'
import type { FileVerdict } from '../line-verdicts/pair-verdict.ts'
import { isSameAuthor, type Side } from './side.ts'
import { duplicateByIssue, type SideVerdict } from './sides-by-lines.ts'

export type Relation = Pick<Match, 'lines' | 'duplicate' | 'same_author' | 'cut'>

/** `side_verdict` is undefined if the lines were not compared. In that case, only a shared issue can show a duplicate. */
export function relationOf(
  yours: Omit<Side, 'files'>,
  theirs: Omit<Side, 'files'>,
  side_verdict: SideVerdict | undefined,
): Relation {
  return {
    lines: side_verdict?.lines?.verdict ?? null,
    duplicate: side_verdict ? side_verdict.duplicate : duplicateByIssue(yours.closes, theirs.closes),
    same_author: isSameAuthor(yours.author, theirs.author),
    cut: side_verdict?.cut ?? false,
  }
}

/** The relation to a notable, which has no lines. */
export const NO_RELATION: Relation = { lines: null, duplicate: null, same_author: false, cut: false }

export function pairOfFile({ path, verdict, confidence, your_lines, their_lines }: FileVerdict): PathPair {
  return { yours: path, theirs: path, example: path, verdict, confidence, your_lines, their_lines }
}

export function pairOfGlobs(pair: GlobPair): PathPair {
  return { ...pair, ...NOT_COMPARED }
}
