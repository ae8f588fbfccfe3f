/** The collisions of a repository as they are listed. Pure. */

import { type Overlap, SHARED_PATHS_MAX, type SharedPath } from '../../vocabulary/contract/overlap-list.ts'
import type { Steps } from '../../vocabulary/deadline.ts'
import { byConsequence, consequenceOf } from '../../vocabulary/finding.ts'
import { type GlobPair, takePairs } from '../../vocabulary/scope/path-set.ts'
import { sharedIssue } from '../kinds/kinds.ts'
import { isSameAuthor } from '../kinds/side.ts'
import type { FileVerdict } from '../lines/pair-verdict.ts'
import { scopeOf } from '../record.ts'
import type { RankedCollision } from './collisions-by-lines.ts'
import { comparisonOf, scopeFindings } from './compare.ts'
import type { Participant } from './live-pairs.ts'
import type { Rules } from './rules.ts'

/** If the deadline is over, examples of shared paths are missing. */
export function* overlapItems(
  collisions: readonly RankedCollision[],
  participants: readonly Participant[],
  rules: Rules,
): Steps<Overlap[]> {
  const items: Overlap[] = []
  for (const { comparison, paths: declared, ...pair } of collisions) {
    yield
    const [older, newer] = [participants[pair.older], participants[pair.newer]] as [Participant, Participant]
    const shared = comparisonOf(older.proposal, scopeOf(newer.record), rules)
    const { areas } = shared
    const files = comparison?.files ?? []
    const globs = declared ?? (yield* takePairs(shared.pairs, SHARED_PATHS_MAX))
    const ofScopes = [...sharedIssue(older, newer), ...scopeFindings(globs, areas)]
    const findings = comparison?.findings ?? ofScopes.sort(byConsequence)
    items.push({
      activity_ids: [older.record.id, newer.record.id],
      severity: pair.severity,
      consequence: consequenceOf(findings) ?? 'possible',
      areas,
      paths: [...files.map(placeOfFile), ...globs.map(placeOfGlobs)].slice(0, SHARED_PATHS_MAX),
      findings,
      same_author: isSameAuthor(older.author, newer.author),
      cut: comparison?.cut ?? false,
    })
  }
  return items
}

function placeOfFile({ path, verdict, confidence, your_lines, their_lines }: FileVerdict): SharedPath {
  const line_ranges: SharedPath['line_ranges'] =
    your_lines === null && their_lines === null ? null : [your_lines, their_lines]
  return { globs: [path, path], example: path, verdict, confidence, line_ranges }
}

function placeOfGlobs({ yours, theirs, example }: GlobPair): SharedPath {
  return { globs: [yours, theirs], example, verdict: null, confidence: null, line_ranges: null }
}
