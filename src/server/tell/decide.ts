/**
 * Decides what a check of a pull request or branch leads to: what is stored, notified and published. Nothing is published that
 * GitHub has already, or that it has refused. Pure.
 */

import { hash as hashOf } from 'node:crypto'
import type { Conclusion } from '../../engine/check/source.ts'
import { isBot } from '../../vocabulary/names.ts'
import type { CheckRun } from '../github/publications.ts'
import type { PullRequestChanges, PullRequestRow } from '../records/pull-requests/table.ts'
import { checkRunOf } from './check-run.ts'
import { commentOf, farewellComment, mutedComment, TEXT_VERSION } from './comment.ts'
import type { Counterpart } from './counterparts.ts'
import type { Facts } from './read.ts'
import { buildReport, type Report, reportNothing } from './report.ts'
import { pullRequestKey, type SideKey } from './sides.ts'
import type { PairName, PairRow } from './table.ts'
import {
  afterAbsence,
  afterDone,
  afterRename,
  afterSighting,
  afterUndone,
  type Pairs,
} from './transitions.ts'
import { findCause, isIgnored, isMuted, isNotificationDue } from './who-is-told.ts'

export interface CommentText {
  text: string
  /** The hash of the text without counts and time. */
  hash: string
  /** It shows an overlap. No comment is created to say that nothing overlaps. */
  is_overlap: boolean
  /** See `Report`. */
  charge: Report['charge']
}

export interface Publication {
  /** The comment to write, or whether the one on the pull request shows an overlap already. */
  comment: CommentText | 'shows_overlap' | 'shows_none'
  check_run: { run: CheckRun; hash: string } | null
}

export interface Decision {
  /** All pairs of the side; empty if no ledger is kept. */
  pairs: Pairs
  /** The pairs that a notification is posted about. */
  notified: PairName[]
  /** The other sides whose pair only this side may be shown. */
  unshown: ReadonlySet<SideKey>
  /** Null for a branch without a pull request. */
  pull_request: PullRequestDecision | null
}

interface PullRequestDecision {
  pr: PullRequestRow
  /** What to store with the pairs. */
  changes: PullRequestChanges
  publication: Publication
  /** The sides that the comment names, once it is published. */
  named: SideKey[]
}

export function decide(facts: Facts): Decision {
  const { pairs, notified } = decidePairs(facts)
  const { pr } = facts.subject
  const unshown = new Set(
    facts.counterparts.filter((each) => isOwnMatter(each, facts, pairs)).map(({ key }) => key ?? ''),
  )
  return { pairs, notified, unshown, pull_request: pr && decidePullRequest(pr, facts, pairs) }
}

/** Whether only this side may be shown the pair, because it brought it about. */
function isOwnMatter(other: Counterpart, { subject, settings }: Facts, pairs: Pairs): boolean {
  const isForOne = settings.comment.audience === 'later' && !other.is_blocking
  return isForOne && findCause(subject.key, other, pairs) === 'this'
}

function decidePullRequest(pr: PullRequestRow, facts: Facts, pairs: Pairs): PullRequestDecision {
  const { conclusion, settings } = facts
  if (conclusion === null) {
    const publication = decidePublication(pr, reportNothing(pr, facts), facts)
    return { pr, changes: { related_ids: [] }, publication, named: [] }
  }
  const { report, named } = buildReport(pr, conclusion, { ...facts, pairs })
  const publication = decidePublication(pr, report, facts)
  const related_ids = [...conclusion.collisions, ...conclusion.notables].map(({ id }) => id)
  // In shadow mode the first comment counts once it would be published.
  const isShown = settings.comment.mode === 'shadow' && publication.comment === 'shows_overlap'
  return { pr, changes: { related_ids, ...(isShown && report.charge) }, publication, named }
}

/** In shadow mode nothing is published, and what the comment would show counts as shown. */
function decidePublication(pr: PullRequestRow, report: Report, { settings }: Facts): Publication {
  const { mode } = settings.comment
  if (mode === 'off' || isIgnored(pr, settings.comment)) return { comment: 'shows_none', check_run: null }
  if (mode === 'shadow') {
    const isShown = hasOverlap(pr, report) && (report.earns_comment || pr.commented_at !== null)
    return { comment: isShown ? 'shows_overlap' : 'shows_none', check_run: null }
  }
  return { comment: planComment(pr, report), check_run: settings.check_run ? planCheckRun(pr, report) : null }
}

function planComment(pr: PullRequestRow, report: Report): Publication['comment'] {
  const isSilent = isMuted(pr) || !report.earns_comment
  if (pr.comment_hash === null && isSilent) return 'shows_none'
  const write = (each: Report) => (isMuted(pr) ? mutedComment(each.as_of) : commentOf(each))
  const hash = hashOf('sha256', write(withoutCounts(report)))
  const is_overlap = hasOverlap(pr, report)
  if (hash === pr.comment_hash) return is_overlap && pr.comment_id !== null ? 'shows_overlap' : 'shows_none'
  if (hash === pr.comment_refused) return 'shows_none'
  // After an upgrade, comments with the former text are edited with the next event of their own pull request only.
  const isOld = pr.comment_id !== null && pr.comment_version !== TEXT_VERSION
  if (isOld && !pr.is_due) return 'shows_none'
  return { text: write(report), hash, is_overlap, charge: report.charge }
}

/** Whether the comment for the report shows an overlap. */
function hasOverlap(pr: Parameters<typeof isMuted>[0], { severity }: Report): boolean {
  return severity !== null && !isMuted(pr)
}

/** The hash of all that is published when Deconflict leaves a repository. */
export const FAREWELL = 'farewell'

/** What is published on a pull request when Deconflict leaves the repository: nothing where it stands already, or never stood. */
export function farewellTo(pr: PullRequestRow, as_of: Date): Publication {
  const isUnsaid = (hash: string | null, refused: string | null) =>
    hash !== null && hash !== FAREWELL && refused !== FAREWELL
  const { sentence, text } = farewellComment(as_of)
  const run = { head_sha: pr.head_sha, conclusion: 'neutral' as const, title: sentence, summary: sentence }
  return {
    comment: isUnsaid(pr.comment_hash, pr.comment_refused)
      ? { text, hash: FAREWELL, is_overlap: false, charge: null }
      : 'shows_none',
    check_run:
      pr.is_open && isUnsaid(pr.check_hash, pr.check_refused)
        ? { run: { ...run, annotations: [] }, hash: FAREWELL }
        : null,
  }
}

function planCheckRun(pr: PullRequestRow, report: Report): Publication['check_run'] {
  if (isMuted(pr)) return null
  const hash = hashOf('sha256', JSON.stringify(checkRunOf(pr.head_sha, withoutCounts(report))))
  if (hash === pr.check_hash || hash === pr.check_refused) return null
  return { run: checkRunOf(pr.head_sha, report), hash }
}

/** The report without counts and time. If nothing else changed, it is not published again. */
function withoutCounts(report: Report): Report {
  return { ...report, as_of: null, compared: { activities: 0, notables: 0, expected: 0 } }
}

/** The pairs of the side after the check, and those that a notification is posted about. */
function decidePairs(facts: Facts): Pick<Decision, 'pairs' | 'notified'> {
  const { subject, now, repo, conclusion, ledger } = facts
  const pairs = new Map(ledger?.pairs)
  const notified: PairName[] = []
  if (conclusion === null || ledger === null) return { pairs, notified }
  for (const counterpart of facts.counterparts) {
    const { key, former_key, is_recorded } = counterpart
    if (key === null || !is_recorded) continue
    const before = findBefore(key, former_key, ledger.pairs)
    const sighting = { ...counterpart, key }
    const pair = afterSighting(before, { side: subject, sighting, repo_id: repo.id, now })
    if (former_key !== null) pairs.delete(former_key)
    const isNotified = isPosted(counterpart, { pair, before }, facts)
    if (isNotified) notified.push(pair)
    pairs.set(key, isNotified ? { ...pair, notified_at: now } : pair)
  }
  const absent = !facts.is_partial && isComplete(conclusion) ? ledger.absent : []
  for (const [key, other] of absent) {
    const row = pairs.get(key)
    if (row) pairs.set(key, afterAbsence(row, { key: subject.key, mine: subject.last_change, other }, now))
  }
  if (subject.pr) setDone(pairs, conclusion, { side: subject, repo_id: repo.id, now })
  return { pairs, notified }
}

/** Enters the merged pull request that has done the work already, and ends such pairs that a push has ended. */
function setDone(
  pairs: Map<SideKey, PairRow>,
  { done_by }: Conclusion,
  given: Omit<Parameters<typeof afterDone>[1], 'done'>,
): void {
  const found = done_by?.number == null ? null : pullRequestKey(done_by.number)
  for (const [key, row] of pairs)
    if (row.is_done && row.outcome === 'open' && key !== found) pairs.set(key, afterUndone(row, given.side))
  if (done_by === null || found === null) return
  const { author, merged_at: at, head_sha: head } = done_by
  const done = { key: found, author, last_change: { at, received_at: at, is_exact: true, head } }
  pairs.set(found, afterDone(pairs.get(found), { ...given, done }))
}

/**
 * The pair with a counterpart before the check. One with a branch that got a pull request continues with that, whichever of
 * the two sides is rechecked first.
 */
function findBefore(key: SideKey, former_key: SideKey | null, pairs: Pairs): PairRow | undefined {
  const known = pairs.get(key)
  if (known || former_key === null) return known
  const row = pairs.get(former_key)
  return row && afterRename(row, former_key, key)
}

function isPosted(
  counterpart: Counterpart,
  pair: Parameters<typeof isNotificationDue>[0],
  { subject, settings: { comment }, now, repo }: Facts,
): boolean {
  if (!repo.is_notified) return false
  const isOwnBot = isBot({ login: subject.author, is_of_type_bot: subject.pr?.is_bot ?? false }, comment)
  const between = { ...counterpart, is_of_bot: isOwnBot || counterpart.is_bot }
  return isNotificationDue(pair, between, { comment, now })
}

/** Whether a pair that was not found is certainly gone. A side without files has no pairs. */
function isComplete(conclusion: Conclusion): boolean {
  const { emptiness, checked_against, total_related, collisions, notables } = conclusion
  if (emptiness !== null) return true
  return checked_against.complete && total_related <= collisions.length + notables.length
}
