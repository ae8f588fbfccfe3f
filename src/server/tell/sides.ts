/** The sides of a check: the one that is checked, and those that overlap with it, grouped by pull request or branch. Pure. */

import type { Found } from '../../engine/check/conclusion.ts'
import { isSameAuthor } from '../../engine/kinds/side.ts'
import { successorOf } from '../../engine/lines/taken.ts'
import { authorLogin } from '../../engine/records/activity.ts'
import { comparedScopeOf } from '../../engine/records/compared-scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { byConsequence, consequenceOf, takenIn } from '../../vocabulary/finding.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { isBot, isListed } from '../../vocabulary/logins.ts'
import { isRisky, type Severity } from '../../vocabulary/severity.ts'
import type { ComparedActivity } from '../records/activities/compared-store.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import type { NumberedPullRequest } from '../records/pull-requests/lists-store.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { FoundOverlaps, OverlapGroup } from './overlap-groups.ts'
import {
  branchKey,
  bySecond,
  type LastChange,
  type LedgerSide,
  pullRequestKey,
  type Sighting,
} from './pair.ts'
import { type Breadth, type Candidate, lastActive } from './who-is-told.ts'

/** The side that is checked: a pull request, or a branch without one. */
export interface Subject extends LedgerSide {
  /** Null for a branch without a pull request. */
  pr: PullRequestRow | null
  /** The branch, unless it is in a fork. */
  branch: string | null
  activities: readonly ActivityRow[]
}

/** `activities`: the live ones of the pull request. */
export function pullRequestSubject(pr: PullRequestRow, activities: readonly ActivityRow[]): Subject {
  const branch = pr.branch.includes(':') ? null : pr.branch
  const last_change = lastPush(pr)
  return { key: pullRequestKey(pr.number), author: pr.author, last_change, pr, branch, activities }
}

/** `activities`: those of the branch. */
export function branchSubject(branch: string, activities: readonly [ActivityRow, ...ActivityRow[]]): Subject {
  return {
    key: branchKey(branch),
    author: findAuthor(activities[0]),
    last_change: lastDeclaration(activities),
    pr: null,
    branch,
    activities,
  }
}

/** The other side of an overlap: for the ledger a `Sighting`, for the comment a `Candidate`. */
export interface Counterpart
  extends OverlapGroup,
    Omit<Sighting, 'key'>,
    Omit<Candidate, 'cause' | 'is_earlier'> {
  severity: Severity
  /** The pull request while it is open. */
  pull_request: NumberedPullRequest | undefined
  /** The activity that represents it: that of its pull request, else the most severe one. */
  record: ComparedActivity
  /** When it was opened or declared. */
  opened_at: Date
  /** When any of its activities was last changed. */
  updated_at: Date
  /** What both have in common, the weightiest first. */
  findings: Finding[]
  /** It is declared by paths, so that no lines were compared, and either side is a pull request. */
  is_declared: boolean
}

/** `pull_request`: that of the group, if it is open. */
export function describeCounterpart(
  group: OverlapGroup,
  pull_request: NumberedPullRequest | undefined,
  { subject, comment }: { subject: Subject; comment: Settings['comment'] },
): Counterpart {
  const { overlaps } = group
  const [{ severity, record: first }] = overlaps
  const record = overlaps.find((each) => each.record.pr_number !== null)?.record ?? first
  const author = pull_request?.author ?? findAuthor(record)
  const last_change = pull_request
    ? lastPush(pull_request)
    : lastDeclaration(overlaps.map((each) => each.record))
  const conflicts = overlaps.flatMap(({ match }) =>
    match.paths.filter(({ verdict }) => verdict === 'conflict'),
  )
  const byPath = new Map(conflicts.map((path) => [path.example, path]))
  const is_proved = conflicts.some(({ confidence }) => confidence === 'proved')
  const findings = overlaps.flatMap(({ match }) => match.findings).sort(byConsequence)
  const consequence = consequenceOf(findings) ?? 'possible'
  const sequence = overlaps.flatMap((each) => describeSequence(each, subject))
  const isByPaths = overlaps.some(({ match }) => match.paths.some(({ verdict }) => verdict === null))
  return {
    ...group,
    severity,
    pull_request,
    record,
    author,
    opened_at: pull_request?.opened_at ?? record.created_at,
    last_change,
    updated_at: new Date(Math.max(...overlaps.map((each) => each.record.updated_at.getTime()))),
    active_at: pull_request ? lastActive(pull_request) : last_change.at,
    is_declared: isByPaths && (subject.pr !== null || pull_request !== undefined),
    breadth: consequence === 'possible' ? findBreadth(subject, overlaps) : null,
    findings,
    consequence,
    is_proved,
    confidence: is_proved ? 'proved' : conflicts.length > 0 ? 'likely' : null,
    conflicts: byPath.size,
    sequence,
    files: [...byPath].map(([path, { your_lines, their_lines }]) => ({ path, your_lines, their_lines })),
    is_risky: overlaps.some((each) => isRisky(each.record.risk)),
    is_blocking: [...subject.activities, ...overlaps.map((each) => each.record)].some(
      ({ blocking }) => blocking,
    ),
    is_bot: isBot({ login: author, is_of_type_bot: pull_request?.is_bot ?? false }, comment),
    is_same_author: overlaps.some((each) => isByAuthorOf(subject, each, { pull_request, comment })),
  }
}

/** Adds the names by which migrations would build on the files of both sides. */
function describeSequence(
  { match, record }: Found<ComparedActivity>,
  { activities }: Subject,
): Sighting['sequence'] {
  const all = takenIn(match.findings)
  if (all.length === 0) return []
  const mine = activities.flatMap((each) => comparedScopeOf(each).files)
  const its = comparedScopeOf(record).files
  return all.map((taken) => ({
    taken,
    your_own: successorOf(taken, taken.yours, mine),
    their_own: successorOf(taken, taken.theirs, its),
  }))
}

/** Null if both sides name or change one of the shared files, or if they share areas only. */
function findBreadth({ activities }: Subject, overlaps: FoundOverlaps): Breadth | null {
  const paths = overlaps.flatMap(({ match, record }) => match.paths.map((path) => ({ ...path, record })))
  const declared = paths.filter(({ verdict }) => verdict === null)
  const isNamed = declared.some(
    ({ yours, theirs, example }) => isNameOf(yours, example) && isNameOf(theirs, example),
  )
  if (declared.length === 0 || isNamed || paths.some(({ verdict }) => verdict === 'unknown')) return null
  const isMine = declared.some(({ yours, example }) => !isNameOf(yours, example))
  const isMineRisky = isMine && activities.some(({ risk }) => isRisky(risk))
  const theirs = declared.filter((path) => !isNameOf(path.theirs, path.example))
  return isMineRisky || theirs.some(({ record }) => isRisky(record.risk)) ? 'risky' : 'plain'
}

/** Whether a declared path is the file itself, rather than a glob or a folder. */
function isNameOf(path: string, file: string): boolean {
  return path.replace(/^(\.?\/)+/, '') === file
}

/**
 * Whether an overlapping activity has the author of the subject. If it belongs to a pull request, the author of the pull
 * request counts, because another user may have declared the activity.
 */
function isByAuthorOf(
  { author, activities }: Subject,
  { record, match }: Found<ComparedActivity>,
  { pull_request, comment }: { pull_request: NumberedPullRequest | undefined; comment: Settings['comment'] },
): boolean {
  const other = pull_request?.author ?? authorLogin(record)
  if (author === null || other === null) return match.same_author
  const assignee = activities.find((each) => each.assignee !== null)?.assignee ?? null
  return isSameAuthor(
    { login: author, actor: null, assignee, is_shared: isListed(author, comment.agents) },
    { login: other, actor: null, assignee: record.assignee, is_shared: isListed(other, comment.agents) },
  )
}

/**
 * Whether the counterpart is a pair of the ledger: a conflict, a duplicate, a shared number or parent, or
 * declared work, with an open pull request or a branch.
 */
export function isSighting(counterpart: Counterpart): counterpart is Counterpart & Sighting {
  const { key, number, pull_request, consequence, is_declared } = counterpart
  if (key === null || (number !== null && !pull_request)) return false
  return consequence === 'possible' || consequence === 'same_file' ? is_declared : true
}

/**
 * Whether the counterpart was opened before the pull request. Within a second, the lower number counts as earlier, and work
 * without a pull request as the earliest.
 */
export function isEarlier(
  { opened_at, number }: Pick<Counterpart, 'opened_at' | 'number'>,
  pr: Pick<PullRequestRow, 'opened_at' | 'number'>,
): boolean {
  return (bySecond(opened_at, pr.opened_at) || (number ?? 0) - pr.number) < 0
}

/** When a pull request was last pushed. */
export function lastPush({
  pushed_at,
  push_received_at,
  is_push_seen,
  head_sha,
}: Pick<PullRequestRow, 'pushed_at' | 'push_received_at' | 'is_push_seen' | 'head_sha'>): LastChange {
  return { at: pushed_at, received_at: push_received_at, is_exact: is_push_seen, head: head_sha }
}

/** When the activities of a branch were last declared or pushed. */
export function lastDeclaration(
  records: readonly Pick<ComparedActivity, 'declared_at' | 'created_at'>[],
): LastChange {
  const times = records.map(({ declared_at, created_at }) => (declared_at ?? created_at).getTime())
  const at = new Date(Math.max(...times))
  return { at, received_at: at, is_exact: true, head: null }
}

/** The login of the author of an activity, else its actor. */
export function findAuthor(record: Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>): string {
  return authorLogin(record) ?? record.actor
}
