/** The report of a check, for the comment and the check run. Pure. */

import type { Conclusion, Found } from '../../engine/check/conclusion.ts'
import type { StoredNotable } from '../../engine/records/notable.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { takenFinding, takenFix } from '../../vocabulary/finding.ts'
import { byRank, isAtLeast } from '../../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { isAhead, type Stage, stageOf } from '../../vocabulary/standing.ts'
import { byStrength, type Verdict } from '../../vocabulary/verdict.ts'
import { judgeCandidates, type Reported, type ReportFacts, rulesFor } from './candidates.ts'
import { bySecond, numberOf, pullRequestKey, type SideKey } from './pair.ts'
import type { Report, ReportedActivity, ReportedNotable, ReportedPath, TakenOnBase } from './report.ts'
import type { Pairs } from './side-pairs.ts'
import type { Counterpart } from './sides.ts'
import type { PairRow } from './table.ts'
import { takenAfterMerge } from './taken-after-merge.ts'
import {
  type CommentRules,
  earnsComment,
  inOrderOfComment,
  isCounted,
  isDoneShown,
  isTakenShown,
  thresholdFor,
} from './who-is-told.ts'

const NOT_COMPARED = { nothing: null, all_ignored: 'all_ignored', nothing_given: 'no_scope' } as const

/** `named`: the keys of the sides that the comment names. */
export function buildReport(
  pr: Reported,
  conclusion: Conclusion,
  { pairs, ...facts }: ReportFacts & { pairs: Pairs },
): { report: Report; named: SideKey[] } {
  const rules = rulesFor(pr, facts)
  const candidates = judgeCandidates(pr, facts, pairs).map((each) => ({
    ...each,
    activity: reportActivity(each, pr),
  }))
  const shown = inOrderOfComment(candidates.filter(({ suppression }) => suppression === null))
  const activities = shown.map(({ activity }) => activity)
  const none = reportNothing(pr, facts)
  const notable_records = conclusion.notables.map(({ severity, record }) => ({ ...record, severity }))
  const all = conclusion.notables.map(reportNotable)
  const notables = all.filter(({ severity }) => isAtLeast(severity, none.threshold.severity))
  const { emptiness, expected, checked_against } = conclusion
  const web_url = facts.repo.web_urls[0] as string
  const taken = isTakenShown(rules) ? listTaken(pairs, pr, { ...facts, web_url }) : []
  const done = findDone(conclusion, { pairs, rules })
  const report: Report = {
    ...none,
    severity:
      taken.length > 0 || done !== null
        ? 'high'
        : ([...activities, ...notables].sort(byRank)[0]?.severity ?? null),
    earns_comment:
      taken.length > 0 ||
      (done !== null &&
        pr.own_event_at !== null &&
        isAwaited([{ key: pullRequestKey(done.number) }], pr, pairs)) ||
      (isAwaited(shown, pr, pairs) && earnsComment({ activities: shown, notables: notable_records }, pr)),
    charge: done === null && !shown.some(isCounted) ? null : facts.room === 'any' ? 'within' : 'over',
    activities,
    notables,
    suppressed: {
      activities: candidates.flatMap(({ suppression, activity }) =>
        suppression ? [{ ...activity, suppression }] : [],
      ),
      notables: all.filter((notable) => !notables.includes(notable)),
    },
    merged: listMergedSincePush(pairs, pr, web_url).filter(
      ({ number }) => number !== done?.number && taken.every((each) => each.number !== number),
    ),
    done,
    taken,
    not_compared: activities.length > 0 ? null : NOT_COMPARED[emptiness ?? 'nothing'],
    compared: {
      activities: checked_against.activities,
      notables: checked_against.notables,
      expected: expected.size,
    },
    is_complete: checked_against.complete,
    page_url: facts.page_url,
  }
  const named = shown.slice(0, OTHERS_SHOWN_MAX).flatMap(({ key }) => key ?? [])
  return { report, named: [...(done === null ? [] : [pullRequestKey(done.number)]), ...named] }
}

/** The report on a pull request without a live activity, with which nothing was compared. */
export function reportNothing(
  pr: Reported,
  { settings, now }: { settings: Pick<Settings, 'comment' | 'track_pull_requests'>; now: Date },
): Report {
  return {
    severity: null,
    earns_comment: false,
    charge: null,
    activities: [],
    notables: [],
    suppressed: { activities: [], notables: [] },
    merged: [],
    done: null,
    taken: [],
    threshold: { severity: thresholdFor(settings.comment, pr.is_draft), is_of_draft: pr.is_draft },
    not_compared: settings.track_pull_requests ? 'not_live' : 'not_tracked',
    compared: { activities: 0, notables: 0, expected: 0 },
    is_complete: true,
    stage: findStage(pr),
    may_merge: !pr.is_by_newcomer && !pr.branch.includes(':'),
    as_of: now,
    page_url: null,
  }
}

/** Whether a comment may be made: after somebody deleted one, only for a pair that was found since. */
function isAwaited(
  shown: readonly Pick<Counterpart, 'key'>[],
  { comment_deleted_at: deleted_at }: Reported,
  pairs: Pairs,
): boolean {
  if (deleted_at === null) return true
  return shown.some(({ key }) => {
    const pair = key === null ? undefined : pairs.get(key)
    return pair !== undefined && pair.seen_at > deleted_at
  })
}

/** The pull requests whose overlap was shown to this one, and that were merged since its last push. */
function listMergedSincePush(
  pairs: Pairs,
  { number, pushed_at, head_sha }: Reported,
  web_url: string,
): Report['merged'] {
  const isWaiting = ({ merged, merged_at, ...row }: PairRow) => {
    const slot = row.first === pullRequestKey(number) ? 'first' : 'second'
    if (merged === null || merged_at === null || merged === slot || row[`${slot}_shown_at`] === null)
      return false
    return row[`${slot}_head`] === head_sha || bySecond(pushed_at, merged_at) < 0
  }
  return [...pairs].flatMap(([key, row]) => {
    const other = numberOf(key)
    return other !== null && isWaiting(row) ? [{ number: other, url: `${web_url}/pull/${other}` }] : []
  })
}

/**
 * What this pull request still takes of the numbers and parents that it shared with one that was merged since. Every side
 * hears of it, whether or not it was shown the pair.
 */
function listTaken(
  pairs: Pairs,
  { number }: Reported,
  { own_files, next_numbers, web_url }: ReportFacts & { web_url: string },
): TakenOnBase[] {
  const key = pullRequestKey(number)
  return [...pairs].flatMap(([other, row]) => {
    const merged = numberOf(other)
    const sequence = merged === null ? [] : takenAfterMerge(row, key, own_files)
    if (merged === null || sequence.length === 0) return []
    const found = sequence.map(({ their_own, ...each }) => ({
      taken: takenFinding({ ...each, next: next_numbers.get(each.directory) ?? null }),
      their_own,
    }))
    return [
      {
        number: merged,
        url: `${web_url}/pull/${merged}`,
        taken: found.map(({ taken }) => taken),
        fixes: found.flatMap(({ taken, their_own }) => takenFix(taken, their_own) ?? []),
      },
    ]
  })
}

/** The merged pull request that has most of the lines of this one, if that is said. */
function findDone(
  { done_by }: Conclusion,
  { pairs, rules }: { pairs: Pairs; rules: CommentRules },
): Report['done'] {
  if (done_by?.number == null || done_by.url === null || !isDoneShown(rules)) return null
  const { number, url, shared, lines } = done_by
  return pairs.has(pullRequestKey(number)) ? { number, url, shared, lines } : null
}

function reportNotable({ severity, record, match }: Found<StoredNotable>): ReportedNotable {
  return {
    severity,
    title: record.title,
    decision_url: record.decision_url,
    where: match.paths[0]?.theirs ?? match.areas[0] ?? null,
  }
}

function reportActivity(counterpart: Counterpart, pr: Reported): ReportedActivity {
  const { overlaps, record, pull_request, severity, opened_at } = counterpart
  const { pr_number, pr_url } = record
  const stage = pull_request?.is_queued ? 'queued' : stageOf(record)
  const isQuoted = !pull_request?.is_by_newcomer
  return {
    severity,
    title: isQuoted ? record.title : null,
    actor: record.actor,
    branch: isQuoted ? record.branch : null,
    pull_request: pr_number !== null && pr_url !== null ? { number: pr_number, url: pr_url } : null,
    stage,
    is_ahead: isAhead(
      { stage, since: opened_at, number: pr_number },
      { stage: findStage(pr), since: pr.opened_at, number: pr.number },
    ),
    areas: [...new Set(overlaps.flatMap(({ match }) => match.areas))],
    paths: reportPaths(overlaps),
    consequence: counterpart.consequence,
    findings: counterpart.findings,
    fixes: counterpart.sequence.flatMap(({ taken, their_own }) => takenFix(taken, their_own) ?? []),
    is_same_author: counterpart.is_same_author,
  }
}

/** Verdicts of changes that may conflict. Null: the paths were compared, but not the lines. */
const MAY_CONFLICT: ReadonlySet<Verdict | null> = new Set(['conflict', 'unknown', null])

function reportPaths(overlaps: Counterpart['overlaps']): ReportedPath[] {
  const all = overlaps
    .flatMap(({ match, heads }) => match.paths.map((path) => ({ ...path, head: heads.get(path.example) })))
    .filter(({ verdict }) => verdict !== 'noise')
  const possible = all.filter(({ verdict }) => MAY_CONFLICT.has(verdict))
  const paths = new Map<string, ReportedPath>()
  for (const path of (possible.length > 0 ? possible : all).toSorted(byLines))
    if (!paths.has(path.example)) paths.set(path.example, path)
  return [...paths.values()]
}

/** A path without a verdict is sorted like one whose lines are unknown. */
function byLines(a: ReportedPath, b: ReportedPath): number {
  const known = ({ verdict, confidence }: ReportedPath) => ({ verdict: verdict ?? 'unknown', confidence })
  return byStrength(known(a), known(b))
}

function findStage({ is_draft, is_queued }: Reported): Stage {
  if (is_queued) return 'queued'
  return is_draft ? 'draft' : 'ready'
}
