/** The collisions of a repository as they are listed. Pure. */

import { type Overlap, SHARED_PATHS_MAX, type SharedPath } from '../../vocabulary/contract/overlap-list.ts'
import type { Steps } from '../../vocabulary/event-loop.ts'
import { byConsequence, consequenceOf } from '../../vocabulary/finding.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { pairsOf, pathSet } from '../../vocabulary/scope/path-set.ts'
import { sharedIssue } from '../kinds/kinds.ts'
import { isSameAuthor } from '../kinds/side.ts'
import type { SharedPath as SharedByPair } from '../pair.ts'
import { globOf } from '../path-index.ts'
import type { Participant, RankedCollision } from './collisions-by-lines.ts'
import { pairOfFile } from './matches.ts'
import type { WorkBudget } from './work-budget.ts'

/** If the budget is exhausted, examples of shared paths are missing. */
export function* overlapItems(
  collisions: readonly RankedCollision[],
  participants: readonly Participant[],
  budget: WorkBudget,
): Steps<Overlap[]> {
  const items: Overlap[] = []
  for (const each of collisions) {
    if (budget.isPauseDue) yield
    const [older, newer] = [participants[each.older], participants[each.newer]] as [Participant, Participant]
    const { compared, declared } = placesOf(each, budget)
    const findings = findingsOf(each, { older, newer, declared })
    items.push({
      activity_ids: [older.id, newer.id],
      severity: each.severity,
      consequence: consequenceOf(findings) ?? 'possible',
      areas: each.areas,
      paths: [...compared, ...declared].slice(0, SHARED_PATHS_MAX),
      findings,
      same_author: isSameAuthor(older.author, newer.author),
      cut: each.comparison?.cut ?? false,
    })
  }
  return items
}

function findingsOf(
  { comparison, areas, shared }: RankedCollision,
  { older, newer, declared }: { older: Participant; newer: Participant; declared: readonly SharedPath[] },
): Finding[] {
  const findings: Finding[] = [...(comparison?.findings ?? sharedIssue(older, newer))]
  const [first] = declared
  const [yours, theirs] = first?.globs ?? [shared[0]?.older.source, shared[0]?.newer.source]
  // Without an example, because the budget is exhausted, the path of one side stands for it.
  if (yours !== undefined && theirs !== undefined)
    findings.push({ kind: 'paths', path: first?.example ?? yours, yours, theirs })
  if (!comparison && areas.length > 0) findings.push({ kind: 'areas', areas })
  return findings.sort(byConsequence)
}

/** The files whose lines were compared, and the pairs of declared paths, at least one of which is needed for its finding. */
function placesOf(
  { comparison, files, shared }: RankedCollision,
  budget: WorkBudget,
): { compared: SharedPath[]; declared: SharedPath[] } {
  const compared = (comparison?.files ?? []).map((file): SharedPath => {
    const { example, verdict, confidence, your_lines, their_lines } = pairOfFile(file)
    const line_ranges: SharedPath['line_ranges'] =
      your_lines === null && their_lines === null ? null : [your_lines, their_lines]
    return { globs: [example, example], example, verdict, confidence, line_ranges }
  })
  const globs = comparison ? shared : [...files, ...shared]
  const count = Math.max(1, SHARED_PATHS_MAX - compared.length)
  return { compared, declared: globs.slice(0, count).flatMap((each) => pairOfGlobs(each, budget)) }
}

function pairOfGlobs({ newer, older }: SharedByPair, budget: WorkBudget): SharedPath[] {
  const set = pathSet([globOf(newer, budget)], budget)
  const [pair] = pairsOf(set, [globOf(older, budget)], { budget })
  if (!pair) return []
  const { yours, theirs, example } = pair
  return [{ globs: [theirs, yours], example, verdict: null, confidence: null, line_ranges: null }]
}
