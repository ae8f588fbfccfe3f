/**
 * The report of a recheck: which other work overlaps with a pull request, and which is closer to its merge.
 * Pure.
 */

import type { PathPair } from '../../vocabulary/contract/overlap.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { byRank, isAtLeast } from '../../vocabulary/severity.ts'
import { isAhead, type Stage, stageOf } from '../../vocabulary/standing.ts'
import type { Duplicate } from '../../vocabulary/verdict.ts'
import { byStrength, type Verdict } from '../../vocabulary/verdict.ts'
import { inOrderOfComment, type Suppression, suppressionOf } from '../decision/audience.ts'
import { candidateOf, mergedSincePush } from '../decision/candidate.ts'
import type { EnteredOverlaps } from '../decision/overlap-groups.ts'
import { type FoundOverlaps, type OverlapGroup, recordOf } from '../decision/overlap-groups.ts'
import type { SideKey } from '../ledger/pair.ts'
import type { FileVerdict } from '../line-verdicts/pair-verdict.ts'
import type { NotableRow } from '../notables/table.ts'
import type { Conclusion, Found } from '../overlap/conclude.ts'

/** Overlapping work: one pull request or branch, with all its activities. */
export interface ReportedActivity {
  /** Its key in the ledger; null if it has neither a pull request nor a branch. */
  key: SideKey | null
  severity: Severity
  /** Title and branch are null for the pull request of a newcomer, whose words are not repeated. */
  title: string | null
  actor: string
  branch: string | null
  pull_request: { number: number; url: string } | null
  stage: Stage
  /** It is closer to its merge than this pull request. */
  is_ahead: boolean
  areas: string[]
  /** The strongest verdict first, each path once. Paths whose changes cannot conflict are listed only if there are no others. */
  paths: ReportedPath[]
  /** Set if both seem to do the same work; otherwise null. */
  duplicate: Duplicate | null
}

/** A path that both match, and how their lines relate. */
export type ReportedPath = Omit<PathPair, 'yours' | 'theirs'> & {
  /** Where it is in the head commit of this pull request; undefined if the lines were not compared. */
  head?: FileVerdict['your_head'] | undefined
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
export type NotCompared = 'not_tracked' | 'not_live' | 'no_scope' | 'all_ignored'

/** The result of a recheck. If nothing is shown, it says what was compared. */
export interface Report {
  /** The highest severity shown; null if nothing is. */
  severity: Severity | null
  /** The activities that are shown, in the order of the comment. */
  activities: ReportedActivity[]
  notables: ReportedNotable[]
  /** What overlaps but is not shown. */
  suppressed: Suppressed
  /** Pull requests whose overlap was shown to this one, and that were merged since its last push. */
  merged: { number: number; url: string }[]
  /** The lowest severity that is shown, and whether it is the one for drafts. */
  threshold: { severity: Severity; is_of_draft: boolean }
  not_compared: NotCompared | null
  /** The number of live activities and active notables compared. `expected`: those of the same branch or stack. */
  compared: { activities: number; notables: number; expected: number }
  /** False if the comparison was cut short. */
  is_complete: boolean
  /** The stage of the pull request itself. */
  stage: Stage
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

/** The pull request that the report is for. */
export interface Subject {
  number: number
  author: string
  is_draft: boolean
  is_queued: boolean
  opened_at: Date
  pushed_at: Date
  head_sha: string
}

export interface ReportOptions {
  comment: Settings['comment']
  /** The budget of comments is exceeded and the pull request has none yet. */
  is_over_budget: boolean
  /** One of the activities of the pull request is blocking. */
  is_blocking: boolean
  now: Date
  /** The URL of the repository on GitHub. */
  web_url: string
  page_url: string | null
}

/** The report of a comparison. */
export function reportOf(
  conclusion: Conclusion,
  pr: Subject,
  { entered, ...options }: ReportOptions & { entered: EnteredOverlaps },
): Report {
  const threshold = thresholdOf(pr, options.comment)
  const { emptiness, expected, checked_against } = conclusion
  const candidates = entered.groups.map((group) => {
    const activity = reportedActivity(group, pr, entered)
    const candidate = candidateOf(group, pr, { entered, ...options })
    const suppression = suppressionOf(candidate, { ...options, is_draft: pr.is_draft })
    return { ...candidate, activity, suppression }
  })
  const shown = inOrderOfComment(candidates.filter(({ suppression }) => suppression === null))
  const activities = shown.map(({ activity }) => activity)
  const all = conclusion.notables.map(notableOf)
  const notables = all.filter(({ severity }) => isAtLeast(severity, threshold.severity))
  const [worst] = [...activities, ...notables].sort(byRank)
  return {
    severity: worst?.severity ?? null,
    activities,
    notables,
    suppressed: {
      activities: candidates.flatMap(({ suppression, activity }) =>
        suppression ? [{ ...activity, suppression }] : [],
      ),
      notables: all.filter((notable) => !notables.includes(notable)),
    },
    merged: mergedSincePush(entered.pairs, pr, options.web_url),
    threshold,
    not_compared: emptiness === null ? null : emptiness === 'all_ignored' ? 'all_ignored' : 'no_scope',
    compared: {
      activities: checked_against.activities,
      notables: checked_against.notables,
      expected: expected.size,
    },
    is_complete: checked_against.complete,
    stage: stageOfSubject(pr),
    as_of: options.now,
    page_url: options.page_url,
  }
}

/** The report on a pull request without a live activity, with which nothing was compared. */
export function reportOfNone(
  pr: Subject,
  options: Thresholds & { track_pull_requests: boolean; now: Date },
): Report {
  return {
    severity: null,
    activities: [],
    notables: [],
    suppressed: { activities: [], notables: [] },
    merged: [],
    threshold: thresholdOf(pr, options),
    not_compared: options.track_pull_requests ? 'not_live' : 'not_tracked',
    compared: { activities: 0, notables: 0, expected: 0 },
    is_complete: true,
    stage: stageOfSubject(pr),
    as_of: options.now,
    page_url: null,
  }
}

type Thresholds = Pick<Settings['comment'], 'min_severity' | 'draft_min_severity'>

function thresholdOf({ is_draft }: Subject, options: Thresholds): Report['threshold'] {
  return { severity: is_draft ? options.draft_min_severity : options.min_severity, is_of_draft: is_draft }
}

function notableOf({ severity, record, match }: Found<NotableRow>): ReportedNotable {
  return {
    severity,
    title: record.title,
    decision_url: record.decision_url,
    where: match.paths[0]?.theirs ?? match.areas[0] ?? null,
  }
}

function reportedActivity(group: OverlapGroup, pr: Subject, { others }: EnteredOverlaps): ReportedActivity {
  const { key, overlaps } = group
  const [{ severity }] = overlaps
  const record = recordOf(group)
  const { pr_number, pr_url } = record
  const other = pr_number === null ? undefined : others.get(pr_number)
  const stage = other?.is_queued ? 'queued' : stageOf(record)
  const since = other?.opened_at ?? record.created_at
  const isQuoted = !other?.is_by_newcomer
  return {
    key,
    severity,
    title: isQuoted ? record.title : null,
    actor: record.actor,
    branch: isQuoted ? record.branch : null,
    pull_request: pr_number !== null && pr_url !== null ? { number: pr_number, url: pr_url } : null,
    stage,
    is_ahead: isAhead(
      { stage, since, number: pr_number },
      { stage: stageOfSubject(pr), since: pr.opened_at, number: pr.number },
    ),
    areas: [...new Set(overlaps.flatMap(({ match }) => match.areas))],
    paths: pathsOf(overlaps),
    duplicate: overlaps.find(({ match }) => match.duplicate !== null)?.match.duplicate ?? null,
  }
}

/** Verdicts of changes that may conflict. Null: the paths were compared, but not the lines. */
const MAY_CONFLICT: ReadonlySet<Verdict | null> = new Set(['conflict', 'unknown', null])

function pathsOf(overlaps: FoundOverlaps): ReportedPath[] {
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

function stageOfSubject({ is_draft, is_queued }: Subject): Stage {
  if (is_queued) return 'queued'
  return is_draft ? 'draft' : 'ready'
}
