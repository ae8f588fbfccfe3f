/** What a match says about two works beyond their scopes: lines, duplicate, author (contract §11). Pure. */
import type { JudgedFile } from '../lines/pair-verdict.ts'
import type { PathPair as GlobPair } from '../scope/path-set.ts'
import type { Comparison } from './comparison.ts'
import { duplicateByIssue, type Judgment } from './judge.ts'
import type { Match, PathPair } from './overlap.ts'
import { authorOf, closesOf, isSameAuthor, type SideFields } from './side.ts'

export type Relation = Pick<Match, 'lines' | 'duplicate' | 'same_author' | 'cut'>

/** `judgment` is undefined if a side has no changed files. Then only an issue can tell a duplicate. */
export function relationOf(
  { side, ctx }: Pick<Comparison, 'side' | 'ctx'>,
  other: SideFields,
  judgment: Judgment | undefined,
): Relation {
  const byIssue = () => (side.closes.size === 0 ? null : duplicateByIssue(side.closes, closesOf(other, ctx)))
  return {
    lines: judgment?.lines?.verdict ?? null,
    duplicate: judgment ? judgment.duplicate : byIssue(),
    same_author: isSameAuthor(side.author, authorOf(other)),
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
