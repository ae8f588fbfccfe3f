/** The result of a check, with its sentences for humans (docs/contract/overlap.md#result). Pure. */

import type { FileVerdict } from '../../engine/lines/pair-verdict.ts'
import { successorOf } from '../../engine/lines/taken.ts'
import {
  adviceOf,
  authorOf,
  clearAdvice,
  cutAdvice,
  doneAdvice,
  notableAdvice,
} from '../../vocabulary/advice.ts'
import {
  type Expected,
  IDS_MAX,
  type Match,
  type NamedMatch,
  type OverlapResult,
  REUSE_MAX,
} from '../../vocabulary/contract/overlap.ts'
import { inQuotes } from '../../vocabulary/others-text.ts'
import { sequenceFix } from '../../vocabulary/sequence-words.ts'
import { byRank, highest, type Ranked, type Severity } from '../../vocabulary/severity.ts'
import { BUDGET_EXHAUSTED, count, NOTHING_COMPARED } from '../../vocabulary/text.ts'
import { doneSentence, overlapSentence } from '../../vocabulary/verdict-words.ts'
import { authorLogin } from '../activities/author.ts'
import { comparedScopeOf } from '../activities/compared-scope.ts'
import type { ComparedActivity, MergedActivity } from '../activities/live-store.ts'
import type { DoneBy } from '../merged-work/merged-work.ts'
import type { NotableRow } from '../notables/table.ts'
import type { Proposal } from './compare.ts'

/** A record that overlaps, and what it shares with the proposal. */
export interface Found<Record> extends Ranked {
  match: Omit<Match, 'id' | 'severity'>
  /** For each shared file, its path and lines after the change of the proposal. Keyed by `example`. */
  heads: ReadonlyMap<string, FileVerdict['your_head']>
  record: Record
}

/** What a check found: the input of `conclude`, of reports and of the ledger. */
export interface Conclusion {
  checked: 'proposal' | 'activities'
  branch: string | null
  emptiness: Proposal['emptiness']
  expected: Expected
  /** The activities that overlap but have another base branch. */
  other_base: string[]
  /** The most severe first. */
  collisions: Found<ComparedActivity>[]
  notables: Found<NotableRow>[]
  /** Activities that share only noise; empty unless the caller asked for them. */
  noise: Found<ComparedActivity>[]
  /** The last merged first. */
  merged: MergedActivity[]
  /** The merged pull request that has most of the lines that the work adds; null if there is none. */
  done_by: DoneBy | null
  total_related: number
  /** The number of activities without a match, or of the work itself, whose changed files are not all known. */
  cut: number
  /** `complete`: the check reached no limit. */
  checked_against: OverlapResult['checked_against']
}

/** Renders what a check found. */
export function conclude(conclusion: Conclusion): OverlapResult {
  const { collisions, notables, noise, expected, other_base, total_related, cut, checked_against } =
    conclusion
  const expected_ids = [...expected.keys()].sort().reverse().slice(0, IDS_MAX)
  const severity = highest([...collisions, ...notables])
  const labels = [
    ...expected_ids.map((id) => [id, expected.get(id)] as const),
    ...collisions.map((each) => [each.id, 'collision'] as const),
    ...other_base.map((id) => [id, 'other_base'] as const),
  ]
  return {
    overlap_detected: severity !== null,
    severity,
    reason: reasonOf(conclusion, severity),
    related_activity_ids: collisions.map((each) => each.id),
    related_notable_ids: notables.map((each) => each.id),
    expected_activity_ids: expected_ids,
    relationships: Object.fromEntries(labels) as OverlapResult['relationships'],
    recommended_action: recommendedAction(conclusion, severity),
    reuse_opportunities: reuseOf(conclusion),
    matches: [...collisions, ...notables, ...noise].map(({ id, severity, match }) => ({
      id,
      severity,
      ...match,
    })),
    truncated: total_related > collisions.length + notables.length || expected.size > expected_ids.length,
    total_related,
    checked_against: { ...checked_against, complete: checked_against.complete && cut === 0 },
  }
}

function reasonOf(conclusion: Conclusion, severity: Severity | null): string {
  const { emptiness, expected, cut, checked_against, done_by } = conclusion
  const sentences: string[] = []
  if (severity !== null) sentences.push(overlapsFound(conclusion, severity))
  if (emptiness !== null) sentences.push(nothingCompared(conclusion))
  else if (severity === null) sentences.push(nothingFound(conclusion))
  if (done_by !== null) sentences.push(`${doneSentence(`#${done_by.number}`, done_by, 'your change')}.`)
  if (expected.size > 0) {
    const are = expected.size === 1 ? 'is' : 'are'
    sentences.push(
      `${activities(expected.size)} of the same branch or stack ${are} expected and not counted.`,
    )
  }
  if (!checked_against.complete && emptiness !== 'nothing_given') {
    sentences.push(BUDGET_EXHAUSTED)
  }
  if (cut > 0) {
    sentences.push(
      `GitHub cut the list of changed files of ${activities(cut)}; the files that it left out were not compared.`,
    )
  }
  return sentences.join(' ')
}

function nothingCompared({ branch, emptiness }: Conclusion): string {
  const why =
    emptiness === 'all_ignored'
      ? 'every path of the scope is noise or ignored in this repository (noise_classes, noise_paths, ignore_paths)'
      : `there was nothing to compare, because no paths or areas were named${ofBranch(branch)}`
  return `${NOTHING_COMPARED}: ${why}.`
}

function ofBranch(branch: string | null): string {
  return branch === null ? '' : `, and no live activity of ${inQuotes(branch)} has any`
}

function nothingFound({ checked_against }: Conclusion): string {
  const notables = count(checked_against.notables, 'active notable', 'active notables')
  return `No overlap with ${activities(checked_against.activities)} and ${notables}.`
}

function activities(number: number): string {
  return count(number, 'live activity', 'live activities')
}

function overlapsFound({ collisions, notables, total_related }: Conclusion, severity: Severity): string {
  const worst = [
    ...collisions.slice(0, 2).map((each) => ({ ...each, text: collisionSentence(each) })),
    ...notables.slice(0, 2).map((each) => ({ ...each, text: notableSentence(each) })),
  ].toSorted(byRank)
  const left = total_related - worst.length
  const more = left > 0 ? ` And ${left} more.` : ''
  return `Overlap of ${severity} severity. ${textOf(worst)}${more}`
}

function collisionSentence({ record, match, severity }: Found<ComparedActivity>): string {
  const where = record.branch === null ? '' : ` on ${inQuotes(record.branch)}`
  const who = record.pr_number === null ? 'it' : `#${record.pr_number}`
  // Without a conflict, a pair of globs says more than a file whose lines were compared.
  const pair =
    match.lines === 'conflict' || match.sequence.length > 0
      ? undefined
      : match.paths.find(({ verdict }) => verdict === null)
  const what = overlapSentence(who, pair ? { ...match, paths: [pair] } : match, 'yours', inQuotes)
  const fix = fixOf(match, record)
  const how = fix === null ? '' : ` To give way: ${inQuotes(fix)}.`
  return `Collision (${severity}) with ${isTitled(record) ? inQuotes(record.title) : nameOf(record)} by ${inQuotes(record.actor)}${where}: ${what}.${how}`
}

/** How the own file gives way to that of the other side; null if nothing is to be renamed. */
function fixOf(
  { duplicate, sequence: [first] }: Found<unknown>['match'],
  record: ComparedActivity,
): string | null {
  if (duplicate !== null || first === undefined) return null
  return sequenceFix(first, successorOf(first, first.theirs, comparedScopeOf(record).files))
}

/** Whether agents may read its title: not that of somebody who is new to the repository. */
function isTitled({ is_by_newcomer }: Pick<ComparedActivity, 'is_by_newcomer'>): boolean {
  return !is_by_newcomer
}

function nameOf({ id, pr_number }: Pick<ComparedActivity, 'id' | 'pr_number'>): string {
  return pr_number === null ? id : `#${pr_number}`
}

function notableSentence({ record, match, severity }: Found<NotableRow>): string {
  const named = match.paths[0]?.theirs ?? match.areas[0]
  const where = named === undefined ? 'the whole repository' : inQuotes(named)
  return `Notable (${severity}) for ${where}: ${inQuotes(record.title)}.`
}

function recommendedAction(
  { checked, collisions, notables, emptiness, expected, cut, checked_against, done_by }: Conclusion,
  severity: Severity | null,
): string {
  const is_cut = cut > 0
  const done = done_by === null ? '' : doneAdvice(`#${done_by.number}`)
  if (severity === null) {
    if (done !== '') return done
    if (emptiness !== null)
      return checked === 'activities'
        ? 'Name the files that you change: update your activity with scope.paths or scope.areas.'
        : 'Name the files that you intend to change in scope.paths or scope.areas, and check again.'
    const then =
      checked === 'activities'
        ? 'keep your activity up to date'
        : expected.size > 0
          ? 'keep the activity of your branch up to date'
          : 'create an activity so that others see your work'
    return clearAdvice({ is_exhausted: !checked_against.complete, is_cut }, then)
  }
  const advice = [
    ...collisions.slice(0, 1).map((each) => ({ ...each, text: adviceOnCollision(each) })),
    ...notables.slice(0, 1).map((each) => ({ ...each, text: notableAdvice(each.id) })),
  ]
  return [done, textOf(advice.toSorted(byRank)), cutAdvice({ is_cut })].filter(Boolean).join(' ')
}

function textOf(sentences: { text: string }[]): string {
  return sentences.map((each) => each.text).join(' ')
}

function adviceOnCollision({
  record,
  severity,
  match: { lines, duplicate, sequence },
}: Found<ComparedActivity>): string {
  const pull_request = record.pr_number === null ? null : `#${record.pr_number}`
  const person = authorOf({ id: record.id, login: authorLogin(record), pull_request })
  const reader = { person, theirs: pull_request ?? 'theirs' }
  const sequence_kind = sequence[0]?.kind ?? null
  return adviceOf({ severity, lines, is_duplicate: duplicate !== null, sequence_kind }, reader).action
}

/** The merged pull request that has the lines, then merged activities to pull and patterns to follow, the newest first. */
function reuseOf({ merged, notables, done_by }: Conclusion): OverlapResult['reuse_opportunities'] {
  const others = merged.filter(({ pr_url }) => done_by === null || pr_url !== done_by.url)
  const work = others.map((activity) => ({
    at: activity.merged_at?.toISOString() ?? '',
    type: 'activity' as const,
    id: activity.id,
    title: isTitled(activity) ? activity.title : nameOf(activity),
    summary: isTitled(activity) ? activity.summary : '',
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
  const { number, title, is_by_newcomer, url, shared, lines } = done_by
  const name = `#${number}`
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

/** The short form of matches: collisions before notables of the same severity, each list in the order given. */
export function namedMatches(
  collisions: readonly Found<ComparedActivity>[],
  notables: readonly Found<NotableRow>[],
): NamedMatch[] {
  const activities = collisions.map((each) => {
    const { actor, branch, pr_url, title } = each.record
    const shown = isTitled(each.record) ? title : nameOf(each.record)
    return { ...named(each, { actor, branch, pr_url }), title: shown }
  })
  const others = notables.map((each) =>
    named(each, { actor: each.record.created_by, branch: null, pr_url: null }),
  )
  return [...activities, ...others].toSorted(byRank)
}

function named(
  { id, severity, match, record }: Found<{ title: string }>,
  { actor, branch, pr_url }: Pick<NamedMatch, 'actor' | 'branch' | 'pr_url'>,
): NamedMatch {
  const example = match.paths[0]?.example ?? null
  return { id, title: record.title, actor, branch, pr_url, severity, example, lines: match.lines }
}
