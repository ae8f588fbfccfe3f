/** The result of a check, with its sentences for humans (docs/contract/overlap.md#result). Pure. */

import {
  IDS_MAX,
  type Match,
  NAMED_MAX,
  type OverlapBrief,
  type OverlapResult,
  REUSE_MAX,
  SAME_FILE_MAX,
} from '../../vocabulary/contract/overlap.ts'
import { byRank, highest, type Severity } from '../../vocabulary/severity.ts'
import { inQuotes } from '../../vocabulary/text.ts'
import { doneSentence } from '../../vocabulary/verdict-words.ts'
import type { ComparedActivity } from '../records/activity.ts'
import type { StoredNotable } from '../records/notable.ts'
import { doneName, gapOf, reasonOf, recommendedAction, shownTitle } from './result-words.ts'
import type { Conclusion, DoneBy, DoneWork, MatchName } from './source.ts'

/** Renders what a check found. */
export function conclude(conclusion: Conclusion): OverlapResult {
  const { collisions, notables, same_file, expected, other_base, total_related, done_by } = conclusion
  const expected_ids = [...expected.keys()].sort().reverse().slice(0, IDS_MAX)
  const found = highest([...collisions, ...notables])
  const labels = [
    ...expected_ids.map((id) => [id, expected.get(id)] as const),
    ...collisions.map((each) => [each.id, 'collision'] as const),
    ...other_base.map((id) => [id, 'other_base'] as const),
  ]
  const severity = severityOf(conclusion)
  return {
    overlap_detected: severity !== null,
    severity,
    reason: reasonOf(conclusion, found),
    related_activity_ids: collisions.map((each) => each.id),
    related_notable_ids: notables.map((each) => each.id),
    expected_activity_ids: expected_ids,
    relationships: Object.fromEntries(labels) as OverlapResult['relationships'],
    recommended_action: recommendedAction(conclusion, found),
    reuse_opportunities: reuseOf(conclusion),
    matches: allMatches(conclusion),
    same_file: { total: same_file.length, activity_ids: same_file.slice(0, SAME_FILE_MAX) },
    truncated: total_related > collisions.length + notables.length || expected.size > expected_ids.length,
    total_related: total_related + (done_by === null ? 0 : 1),
    checked_against: {
      ...conclusion.checked_against,
      complete: conclusion.checked_against.complete && gapOf(conclusion) === '',
    },
  }
}

function allMatches({ done_by, collisions, notables }: Conclusion): Match[] {
  const found = [
    ...collisions.map((each) => [each, nameOfActivity(each.record)] as const),
    ...notables.map((each) => [each, nameOfNotable(each.record)] as const),
  ]
  const matches = found.map(([{ id, severity, match }, name]) => ({ id, ...name, severity, ...match }))
  return done_by === null ? matches : [doneMatch(done_by), ...matches]
}

function nameOfActivity(record: ComparedActivity): MatchName {
  const { actor, branch, pr_url, worktree = null } = record
  return { title: shownTitle(record), actor, branch, pr_url, worktree }
}

function nameOfNotable({ title, created_by }: StoredNotable): MatchName {
  return { title, actor: created_by, branch: null, pr_url: null, worktree: null }
}

function doneMatch(done_by: DoneWork): Match {
  const { title, is_by_newcomer, author, url, shared, lines, same_author } = done_by
  const id = doneName(done_by)
  return {
    ...{ id, title: is_by_newcomer ? id : title, actor: author, branch: null, pr_url: url, worktree: null },
    severity: 'high',
    consequence: 'same_work',
    findings: [{ kind: 'done', url, share: shared / lines, added_lines: lines }],
    ...{ areas: [], paths: [], same_author, is_bot: false, cut: false },
  }
}

/** The merged pull request that has the lines, then merged activities to pull and patterns to follow, the newest first. */
function reuseOf({ merged, notables, done_by }: Conclusion): OverlapResult['reuse_opportunities'] {
  const others = merged.filter(({ pr_url }) => pr_url === null || pr_url !== done_by?.url)
  const work = others.map((activity) => ({
    at: activity.merged_at?.toISOString() ?? '',
    type: 'activity' as const,
    id: activity.id,
    title: shownTitle(activity),
    summary: activity.is_by_newcomer ? '' : activity.summary,
    url: activity.pr_url,
    reason: `Recently merged by ${inQuotes(activity.actor)}, with an overlapping scope; pull it first.`,
  }))
  const patterns = notables
    .filter(({ record }) => record.category === 'pattern')
    .map(({ record }) => ({
      at: record.created_at.toISOString(),
      type: 'notable' as const,
      id: record.id,
      title: record.title,
      summary: record.summary,
      url: record.decision_url,
      reason: 'A pattern to follow in the files that you change.',
    }))
  const newest = [...work, ...patterns]
    .sort((a, b) => (a.at < b.at || (a.at === b.at && a.id < b.id) ? 1 : -1))
    .map(({ at: _, ...opportunity }) => opportunity)
  return [...(done_by === null ? [] : [doneOf(done_by)]), ...newest].slice(0, REUSE_MAX)
}

function doneOf(done_by: DoneBy): OverlapResult['reuse_opportunities'][number] {
  const { title, is_by_newcomer, url, shared, lines } = done_by
  const name = doneName(done_by)
  return {
    type: 'merged',
    id: name,
    title: is_by_newcomer ? name : title,
    summary: '',
    url,
    reason: `${doneSentence(name, done_by, 'your change')}.`,
    share: shared / lines,
  }
}

/** The short form of a result: the merged pull request, then collisions before notables of the same severity. */
export function briefOf(conclusion: Conclusion): OverlapBrief {
  const severity = severityOf(conclusion)
  return {
    overlap_detected: severity !== null,
    severity,
    related_activity_ids: conclusion.collisions.map((each) => each.id),
    matches: allMatches(conclusion)
      .toSorted(byRank)
      .slice(0, NAMED_MAX)
      .map(({ areas: _, paths, cut: __, ...match }) => ({ ...match, example: paths[0]?.example ?? null })),
  }
}

function severityOf({ done_by, collisions, notables }: Conclusion): Severity | null {
  return done_by === null ? highest([...collisions, ...notables]) : 'high'
}
