/** The report of a recheck: which other work overlaps with a pull request, and who is ahead. Pure (contract §10). */
import type { ComparedActivity } from '../activities/live-store.ts'
import type { Duplicate } from '../lines/duplicate.ts'
import type { JudgedFile } from '../lines/pair-verdict.ts'
import { byStrength, type Verdict } from '../lines/verdict.ts'
import type { NotableRow } from '../notables/table.ts'
import type { Conclusion, Found } from '../overlap/conclude.ts'
import type { PathPair, Severity } from '../overlap/overlap.ts'
import { byRank, isAtLeast } from '../overlap/severity.ts'

/** Overlapping work: one pull request or branch, with all its activities. */
export interface ReportedActivity {
  severity: Severity
  title: string
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
  head?: JudgedFile['your_head'] | undefined
}

export type Stage = 'declared' | 'draft' | 'ready' | 'queued'

export interface ReportedNotable {
  severity: Severity
  title: string
  decision_url: string | null
  /** An area or a glob; null for the whole repository. */
  where: string | null
}

/** Why nothing was compared with a pull request. */
export type NotCompared = 'not_tracked' | 'not_live' | 'no_scope' | 'all_ignored'

/** The result of a recheck. If nothing is shown, it says what was compared. */
export interface Report {
  /** The highest severity shown; null if nothing is. */
  severity: Severity | null
  /** At or above the threshold, most severe first. */
  activities: ReportedActivity[]
  notables: ReportedNotable[]
  /** Below the threshold. */
  below: Below
  /** The lowest severity that is shown, and whether it is the one for drafts. */
  threshold: { severity: Severity; is_of_draft: boolean }
  not_compared: NotCompared | null
  /** The number of live activities and active notables compared. `expected`: those of the same branch or stack. */
  compared: { activities: number; notables: number; expected: number }
  /** False if the comparison was cut short. */
  is_complete: boolean
}

export type Below = Pick<Report, 'activities' | 'notables'>

/** The pull request that the report is for. */
export interface Subject {
  number: number
  is_draft: boolean
  is_queued: boolean
  opened_at: Date
}

/** Other open pull requests, by number. */
export type OtherPullRequests = ReadonlyMap<number, Pick<Subject, 'is_queued' | 'opened_at'>>

const STAGE: Record<Stage, number> = { declared: 0, draft: 1, ready: 2, queued: 3 }

/** The lowest severities that are shown on a ready pull request and on a draft. */
export interface Thresholds {
  min_severity: Severity
  draft_min_severity: Severity
}

/** The report of a comparison. */
export function reportOf(
  conclusion: Conclusion,
  pr: Subject,
  options: Thresholds & { others: OtherPullRequests },
): Report {
  const threshold = thresholdOf(pr, options)
  const { emptiness, expected, checked_against } = conclusion
  const all = {
    activities: grouped(conclusion.collisions).map((group) => reportedActivity(group, pr, options.others)),
    notables: conclusion.notables.map(notableOf),
  }
  const part = (isShown: boolean): Below => {
    const isPart = (each: { severity: Severity }) => isAtLeast(each.severity, threshold.severity) === isShown
    return { activities: all.activities.filter(isPart), notables: all.notables.filter(isPart) }
  }
  const { activities, notables } = part(true)
  const [worst] = [...activities, ...notables].sort(byRank)
  return {
    severity: worst?.severity ?? null,
    activities,
    notables,
    below: part(false),
    threshold,
    not_compared: emptiness === null ? null : emptiness === 'all_ignored' ? 'all_ignored' : 'no_scope',
    compared: {
      activities: checked_against.activities,
      notables: checked_against.notables,
      expected: expected.size,
    },
    is_complete: checked_against.complete,
  }
}

/** The report on a pull request without a live activity, with which nothing was compared. */
export function reportOfNone(pr: Subject, options: Thresholds & { track_pull_requests: boolean }): Report {
  return {
    severity: null,
    activities: [],
    notables: [],
    below: { activities: [], notables: [] },
    threshold: thresholdOf(pr, options),
    not_compared: options.track_pull_requests ? 'not_live' : 'not_tracked',
    compared: { activities: 0, notables: 0, expected: 0 },
    is_complete: true,
  }
}

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

type Group = [Found<ComparedActivity>, ...Found<ComparedActivity>[]]

/** Groups activities by pull request or branch, in the order of their most severe one. */
function grouped(collisions: Found<ComparedActivity>[]): Group[] {
  const groups = new Map<string, Group>()
  // An activity on the branch of a pull request belongs to it, even if it is not linked yet.
  const numbers = new Map(
    collisions.flatMap(({ record }) =>
      record.branch !== null && record.pr_number !== null ? [[record.branch, record.pr_number]] : [],
    ),
  )
  for (const each of collisions) {
    const { branch, id } = each.record
    const pr_number = each.record.pr_number ?? (branch === null ? null : (numbers.get(branch) ?? null))
    const key = pr_number !== null ? `#${pr_number}` : (branch ?? id)
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return [...groups.values()]
}

function reportedActivity(group: Group, pr: Subject, others: OtherPullRequests): ReportedActivity {
  const [{ severity, record: worst }] = group
  const { record } = group.find((each) => each.record.pr_number !== null) ?? { record: worst }
  const { pr_number, pr_url } = record
  const other = pr_number === null ? undefined : others.get(pr_number)
  const stage = other?.is_queued ? 'queued' : stageOf(record)
  const since = other?.opened_at ?? record.created_at
  return {
    severity,
    title: record.title,
    actor: record.actor,
    branch: record.branch,
    pull_request: pr_number !== null && pr_url !== null ? { number: pr_number, url: pr_url } : null,
    stage,
    is_ahead: isAhead(
      { stage, since, number: pr_number },
      { stage: stageOfSubject(pr), since: pr.opened_at, number: pr.number },
    ),
    areas: [...new Set(group.flatMap(({ match }) => match.areas))],
    paths: pathsOf(group),
    duplicate: group.find(({ match }) => match.duplicate !== null)?.match.duplicate ?? null,
  }
}

/** Verdicts of changes that may conflict. Null: the paths were compared, but not the lines. */
const MEETING: ReadonlySet<Verdict | null> = new Set(['conflict', 'unknown', null])

function pathsOf(group: Group): ReportedPath[] {
  const all = group
    .flatMap(({ match, heads }) => match.paths.map((path) => ({ ...path, head: heads.get(path.example) })))
    .filter(({ verdict }) => verdict !== 'noise')
  const meeting = all.filter(({ verdict }) => MEETING.has(verdict))
  const paths = new Map<string, ReportedPath>()
  for (const path of (meeting.length > 0 ? meeting : all).toSorted(byLines))
    if (!paths.has(path.example)) paths.set(path.example, path)
  return [...paths.values()]
}

/** A path without a verdict is sorted like one whose lines are unknown. */
function byLines(a: ReportedPath, b: ReportedPath): number {
  const known = ({ verdict, confidence }: ReportedPath) => ({ verdict: verdict ?? 'unknown', confidence })
  return byStrength(known(a), known(b))
}

function stageOf({ pr_number, draft_pr }: ComparedActivity): Stage {
  if (pr_number === null) return 'declared'
  return draft_pr ? 'draft' : 'ready'
}

function stageOfSubject({ is_draft, is_queued }: Subject): Stage {
  if (is_queued) return 'queued'
  return is_draft ? 'draft' : 'ready'
}

interface Standing {
  stage: Stage
  since: Date
  /** The number of the pull request; null if there is none. */
  number: number | null
}

/**
 * Whether one is closer to its merge: in the merge queue before ready, ready before draft, draft before none, then opened first, then the lower number.
 */
export function isAhead(one: Standing, other: Standing): boolean {
  const byStage = STAGE[one.stage] - STAGE[other.stage]
  const byTime = other.since.getTime() - one.since.getTime()
  const byNumber = (other.number ?? Number.MAX_SAFE_INTEGER) - (one.number ?? Number.MAX_SAFE_INTEGER)
  return (byStage || byTime || byNumber) > 0
}
