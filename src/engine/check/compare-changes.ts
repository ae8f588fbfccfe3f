/** Compares two sides by their changed files, and by the paths that they declare besides. */
import type { Steps } from '../../vocabulary/deadline.ts'
import { byConsequence } from '../../vocabulary/finding.ts'
import { type GlobPair, takePairs } from '../../vocabulary/scope/path-set.ts'
import { type Comparison, compareSides } from '../kinds/compare.ts'
import type { DigestedSide } from '../kinds/side.ts'
import { sharedFiles } from '../lines/pair-verdict.ts'
import type { StoredScope } from '../record.ts'
import { type Proposal, pairsWithoutFiles, scopeFindings } from './compare.ts'
import type { Rules } from './rules.ts'
import type { IndexedSide } from './sides.ts'

/** Two sides with their changed files, and the scopes of both. */
export interface ChangedPair {
  yours: IndexedSide
  theirs: DigestedSide
  proposal: Proposal
  other: StoredScope
}

/**
 * Null if the deadline does not reach it. `paths`: the pairs of declared paths besides the files that both change. `max`: how many are found, and how many
 * files kept.
 */
export function* compareChanges(
  { yours, theirs, proposal, other }: ChangedPair,
  rules: Rules,
  max: { paths: number; files: number },
): Steps<{ comparison: Comparison; paths: GlobPair[] } | null> {
  const shared = sharedFiles(yours.index, theirs.files)
  yield
  const found = yield* compareSides(yours, theirs, { shared, ...rules })
  if (rules.deadline.isOver) return null
  const paths = yield* takePairs(pairsWithoutFiles(proposal, other, rules), max.paths)
  // Areas say less than the lines that are known.
  const findings = [...found.findings, ...scopeFindings(paths, [])].sort(byConsequence)
  return { comparison: { ...found, findings, files: found.files.slice(0, max.files) }, paths }
}
