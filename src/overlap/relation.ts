/** The fields of a match beyond scopes: lines, duplicate, author (contract §11). Pure. */
import type { JudgedFile } from '../lines/pair-verdict.ts'
import type { PathPair as GlobPair } from '../scope/path-set.ts'
import { duplicateByIssue, type Judgment } from './judge.ts'
import type { Match, PathPair } from './overlap.ts'
import { isSameAuthor, type Side } from './side.ts'

export type Relation = Pick<Match, 'lines' | 'duplicate' | 'same_author' | 'cut'>

/** `judgment` is undefined if the lines were not compared. In that case, only a shared issue can show a duplicate. */
export function relationOf(
  yours: Omit<Side, 'files'>,
  theirs: Omit<Side, 'files'>,
  judgment: Judgment | undefined,
): Relation {
  return {
    lines: judgment?.lines?.verdict ?? null,
    duplicate: judgment ? judgment.duplicate : duplicateByIssue(yours.closes, theirs.closes),
    same_author: isSameAuthor(yours.author, theirs.author),
    cut: judgment?.cut ?? false,
  }
}

/** Of a notable. */
export const NO_RELATION: Relation = { lines: null, duplicate: null, same_author: false, cut: false }

export function judgedPath({ path, verdict, confidence, your_lines, their_lines }: JudgedFile): PathPair {
  return { yours: path, theirs: path, example: path, verdict, confidence, your_lines, their_lines }
}

export function unjudgedPath(pair: GlobPair): PathPair {
  return { ...pair, verdict: null, confidence: null, your_lines: null, their_lines: null }
}
