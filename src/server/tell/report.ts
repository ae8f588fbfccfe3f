/** The report of a check: what the comment and the check run of a pull request say. Pure. */

import { CUT_SHORT, gapOf } from '../../engine/check/result-words.ts'
import type { Conclusion, Found } from '../../engine/check/source.ts'
import type { StoredNotable } from '../../engine/records/notable.ts'
import type { Stage } from '../../vocabulary/advice.ts'
import { takenFinding, takenFix } from '../../vocabulary/finding.ts'
import type { TakenFinding } from '../../vocabulary/finding-kinds.ts'
import { byRank, isAtLeast, type Severity } from '../../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import type { DoneLines } from '../../vocabulary/verdict-words.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import { pullRequestStage, type ReportedActivity } from './counterparts.ts'
import type { Facts } from './read.ts'
import { bySecond, lastActive, numberOf, pullRequestKey, type SideKey } from './sides.ts'
import { type Pairs, slotOf, takenAfterMerge } from './transitions.ts'
import {
  type CommentRules,
  earnsComment,
  findCause,
  findSuppression,
  inOrderOfComment,
  isCounted,
  isDoneShown,
  isStale,
  type Suppression,
  thresholdFor,
} from './who-is-told.ts'

/** Numbers and parents that this pull request takes, and that a merged one took before. */
export interface TakenOnBase {
  number: number
  url: string
  taken: TakenFinding[]
  fixes: string[]
}

export interface DoneBefore extends DoneLines {
  number: number
  url: string
}

export interface ReportedNotable {
  severity: Severity
  title: string
  decision_url: string | null
  /** An area or a glob; null for the whole repository. */
  where: string | null
}

/** Overlapping work that is not shown, and why. */
export type SuppressedActivity = ReportedActivity & { suppression: Suppression }

/** Why nothing was compared with a pull request. */
type NotCompared = 'not_tracked' | 'not_live' | NonNullable<Conclusion['emptiness']>

/** The result of a recheck. If nothing is shown, it says what was compared. */
export interface Report {
  /** The highest severity shown; null if nothing is. */
  severity: Severity | null
  /** It is worth a comment on a pull request that has none. */
  earns_comment: boolean
  /** What is stored with a first comment that counts for the budget; null if it does not, or is not the first. */
  charge: Pick<PullRequestRow, 'commented_at' | 'is_over_budget'> | null
  /** The activities that are shown, in the order of the comment. */
  activities: ReportedActivity[]
  notables: ReportedNotable[]
  /** What overlaps but is not shown. */
  suppressed: Suppressed
  /** Pull requests whose overlap was shown to this one, and that were merged since its last push. */
  merged: { number: number; url: string }[]
  /** The merged pull request that has most of the lines of this one; null if there is none. */
  done: DoneBefore | null
  /** What this pull request has to renumber. */
  taken: TakenOnBase[]
  /** The lowest severity that is shown, and whether it is the one for drafts. */
  threshold: { severity: Severity; is_of_draft: boolean }
  not_compared: NotCompared | null
  /** The number of live activities and active notables compared. `expected`: those of the same branch or stack. */
  compared: { activities: number; notables: number; expected: number }
  /** Why not everything was compared, as a sentence; null if it was. */
  gap: string | null
  /** The stage of the pull request itself. */
  stage: Stage
  /** Its author may merge it, as far as is known: not a newcomer, nor somebody who works in a fork. */
  may_merge: boolean
  /** When the report was made; null to leave it out of the text. */
  as_of: Date | null
  /** The URL of the page that opens with this pull request selected; null if the service has no public address. */
  page_url: string | null
}

export interface Suppressed {
  activities: SuppressedActivity[]
  /** Below the threshold. */
  notables: ReportedNotable[]
}

/** `candidates`: all overlapping work. `named`: the keys of the sides that the comment names. */
export function buildReport(
  pr: PullRequestRow,
  conclusion: Conclusion,
  { pairs, ...facts }: Facts & { pairs: Pairs },
) {
  const { settings, room, now } = facts
  const rules = {
    ...{ comment: settings.comment, room, now },
    ...{ is_draft: pr.is_draft, active_at: lastActive(pr) },
  }
  const candidates = facts.counterparts.map((each) => ({
    ...each,
    suppression: findSuppression(each, findCause(pullRequestKey(pr.number), each, pairs), rules),
  }))
  const activities = inOrderOfComment(candidates.filter(({ suppression }) => suppression === null))
  const none = reportNothing(pr, facts)
  const all = conclusion.notables.map(reportNotable)
  const notables = all.filter(({ severity }) => isAtLeast(severity, none.threshold.severity))
  const { emptiness, expected, checked_against } = conclusion
  const web_url = facts.repo.web_urls[0] as string
  // At once, without a budget, and whoever caused the pair.
  const taken = isStale(rules.active_at, rules) ? [] : listTaken(pairs, pr, { ...facts, web_url })
  const done = findDone(conclusion, { pairs, rules })
  const doneKeys = done === null ? [] : [pullRequestKey(done.number)]
  const keys = activities.flatMap(({ key }) => key ?? [])
  const isCharged = pr.commented_at === null && (done !== null || activities.some(isCounted))
  const shown = [...activities, ...notables].sort(byRank)[0]?.severity ?? null
  const severity = taken.length > 0 || done !== null ? 'high' : shown
  const unknown = severity === null ? gapOf(conclusion) : ''
  const report: Report = {
    ...none,
    severity,
    earns_comment:
      taken.some(({ number }) => isAwaited([pullRequestKey(number)], pr, pairs, 'merged_at')) ||
      (done !== null && pr.own_event_at !== null && isAwaited(doneKeys, pr, pairs)) ||
      (isAwaited(keys, pr, pairs) && earnsComment({ activities, notables: all }, pr)),
    charge: isCharged ? { commented_at: now, is_over_budget: room !== 'any' } : null,
    activities,
    notables,
    suppressed: {
      activities: candidates.filter((each) => each.suppression !== null) as SuppressedActivity[],
      notables: all.filter((notable) => !notables.includes(notable)),
    },
    merged: listMergedSincePush(pairs, pr, web_url).filter(
      ({ number }) => number !== done?.number && taken.every((each) => each.number !== number),
    ),
    done,
    taken,
    not_compared: activities.length > 0 ? null : emptiness,
    compared: { ...checked_against, expected: expected.size },
    // What is shown is right while not all work is known; that nothing is shown may not be.
    gap: unknown !== '' ? `${unknown}.` : checked_against.complete ? null : CUT_SHORT,
    page_url: facts.page_url,
  }
  const named = activities.slice(0, OTHERS_SHOWN_MAX).flatMap(({ key }) => key ?? [])
  return { report, candidates, named: [...doneKeys, ...named] }
}

/** The report on a pull request without a live activity, with which nothing was compared. */
export function reportNothing(pr: PullRequestRow, { settings, now }: Facts): Report {
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
    gap: null,
    stage: pullRequestStage(pr),
    may_merge: !pr.is_by_newcomer && !pr.branch.includes(':'),
    as_of: now,
    page_url: null,
  }
}

/** Whether a comment may be made: after somebody deleted one, only for a pair that was found, or merged, since. */
function isAwaited(
  shown: readonly SideKey[],
  { comment_deleted_at: deleted_at }: PullRequestRow,
  pairs: Pairs,
  since: 'seen_at' | 'merged_at' = 'seen_at',
): boolean {
  return deleted_at === null || shown.some((key) => (pairs.get(key)?.[since] ?? deleted_at) > deleted_at)
}

/** The pull requests whose overlap was shown to this one, and that were merged since its last push. */
function listMergedSincePush(
  pairs: Pairs,
  { number, pushed_at, head_sha }: PullRequestRow,
  web_url: string,
): Report['merged'] {
  const key = pullRequestKey(number)
  return [...pairs].flatMap(([its, { merged, merged_at, sides, ...row }]) => {
    const other = numberOf(its)
    const slot = slotOf(key, its)
    const isShown = row[`${slot}_shown_at`] !== null
    if (other === null || merged_at === null || merged === slot || !isShown) return []
    const isPushed = sides[slot].head !== head_sha && bySecond(pushed_at, merged_at) >= 0
    return isPushed ? [] : [{ number: other, url: `${web_url}/pull/${other}` }]
  })
}

/**
 * What this pull request still takes of the numbers and parents that it shared with one that was merged since. Every side
 * hears of it, whether or not it was shown the pair.
 */
function listTaken(
  pairs: Pairs,
  { number }: PullRequestRow,
  { subject, next_numbers, web_url }: Facts & { web_url: string },
): TakenOnBase[] {
  const key = pullRequestKey(number)
  return [...pairs].flatMap(([other, row]) => {
    const merged = numberOf(other)
    const sequence = takenAfterMerge(row, key, subject.files)
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

/** `where`: null for the whole repository. */
function reportNotable({ severity, record, match }: Found<StoredNotable>) {
  return { ...record, severity, where: match.paths[0]?.theirs ?? match.areas[0] ?? null }
}
