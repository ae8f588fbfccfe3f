/** Decides what a check of a pull request or branch leads to: what is stored, published and notified. Pure. */

import type { Conclusion } from '../../engine/check/conclusion.ts'
import { isBot } from '../../vocabulary/logins.ts'
import type { PullRequestChanges, PullRequestRow } from '../records/pull-requests/table.ts'
import { buildReport, reportNothing } from './build-report.ts'
import { branchKey, pullRequestKey, type SideKey } from './pair.ts'
import { chargedFields, hasOverlap, type Publication, planPublication } from './publication.ts'
import type { Facts, LedgerFacts } from './read.ts'
import type { Report } from './report.ts'
import { changePairs, type PairChanges, type Pairs } from './side-pairs.ts'
import { type Counterpart, isSighting } from './sides.ts'
import type { PairName, PairRow } from './table.ts'
import { afterAbsence, afterDone, afterRename, afterSighting, afterUndone } from './transitions.ts'
import { isIgnored, isNotificationDue } from './who-is-told.ts'

export interface Decision {
  pairs: PairChanges
  /** The pairs that a notification is posted about. */
  notified: PairName[]
  /** Null for a branch without a pull request. */
  pull_request: PullRequestDecision | null
}

interface PullRequestDecision {
  pr: PullRequestRow
  related_ids: string[]
  /** What to store with the pairs if the first comment counts in shadow mode; else null. */
  charged: PullRequestChanges | null
  publication: Publication
  /** The sides that the comment names, once it is published. */
  named: SideKey[]
}

export function decide(facts: Facts): Decision {
  const { conclusion, ledger, subject } = facts
  const next = conclusion && ledger ? decidePairs(facts, conclusion, ledger) : null
  return {
    pairs: next && ledger ? changePairs(ledger.rows, next.pairs) : { deleted: [], saved: [] },
    notified: next?.notified ?? [],
    pull_request: subject.pr && decidePullRequest(subject.pr, facts, next?.pairs ?? new Map()),
  }
}

function decidePullRequest(pr: PullRequestRow, facts: Facts, pairs: NextPairs['pairs']): PullRequestDecision {
  const { conclusion } = facts
  if (conclusion === null) {
    const publication = decidePublication(pr, reportNothing(pr, facts), facts)
    return { pr, related_ids: [], charged: null, publication, named: [] }
  }
  const { report, named } = buildReport(pr, conclusion, { ...facts, pairs })
  const publication = decidePublication(pr, report, facts)
  const isShown = facts.settings.comment.mode === 'shadow' && publication.comment === 'shows_overlap'
  const related_ids = [...conclusion.collisions, ...conclusion.notables].map(({ id }) => id)
  const charged =
    isShown && pr.commented_at === null && report.charge ? chargedFields(report.charge, facts.now) : null
  return { pr, related_ids, charged, publication, named }
}

/** In shadow mode nothing is published, and what the comment would show counts as shown. */
function decidePublication(pr: PullRequestRow, report: Report, { settings }: Facts): Publication {
  const { mode } = settings.comment
  if (mode === 'off' || isIgnored(pr, settings.comment)) return { comment: 'shows_none', check_run: null }
  if (mode === 'shadow') {
    const isShown = hasOverlap(pr, report) && (report.earns_comment || pr.commented_at !== null)
    return { comment: isShown ? 'shows_overlap' : 'shows_none', check_run: null }
  }
  return planPublication(pr, report, settings)
}

interface NextPairs {
  /** All pairs of the side. */
  pairs: Pairs
  /** The pairs that a notification is posted about. */
  notified: PairName[]
}

/** `conclusion` and `ledger`: those of the facts. */
function decidePairs(facts: Facts, conclusion: Conclusion, ledger: LedgerFacts): NextPairs {
  const { subject, now } = facts
  const pairs = new Map(ledger.pairs)
  const notified: PairName[] = []
  for (const counterpart of facts.counterparts.filter(isSighting)) {
    const { key } = counterpart
    const before = findBefore(counterpart, ledger)
    const sighting = { side: subject, sighting: counterpart, repo_id: facts.repo.id, now }
    const pair = afterSighting(before, sighting)
    if (counterpart.pull_request) pairs.delete(branchKey(counterpart.pull_request.branch))
    const isNotified = isPosted(counterpart, { pair, before }, facts)
    if (isNotified) notified.push(pair)
    pairs.set(key, isNotified ? { ...pair, notified_at: now } : pair)
  }
  const absent = !facts.is_partial && isComplete(conclusion) ? ledger.absent : []
  for (const [key, other] of absent) {
    const row = pairs.get(key)
    if (row) pairs.set(key, afterAbsence(row, { key: subject.key, mine: subject.last_change, other }, now))
  }
  if (subject.pr) setDone(pairs, conclusion, { side: subject, repo_id: facts.repo.id, now })
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
  const { author, merged_at, head_sha } = done_by
  const done = { key: found, author, merged_at, head: head_sha }
  pairs.set(found, afterDone(pairs.get(found), { ...given, done }))
}

/**
 * The pair with a counterpart before the check. One with a branch that got a pull request continues with that, whichever of
 * the two sides is rechecked first.
 */
function findBefore(
  { key, pull_request }: Counterpart & { key: string },
  { pairs }: LedgerFacts,
): PairRow | undefined {
  const known = pairs.get(key)
  if (known || !pull_request) return known
  const branch_key = branchKey(pull_request.branch)
  const row = pairs.get(branch_key)
  return row && afterRename(row, branch_key, key)
}

function isPosted(
  counterpart: Counterpart,
  pair: Parameters<typeof isNotificationDue>[0],
  { subject, settings: { comment }, now, repo }: Facts,
): boolean {
  if (!repo.is_notified) return false
  const { author, pr } = subject
  const isOwnBot = isBot({ login: author ?? '', is_of_type_bot: pr?.is_bot ?? false }, comment)
  const between = {
    is_of_bot: isOwnBot || counterpart.is_bot,
    is_same_author: counterpart.is_same_author,
    findings: counterpart.findings,
  }
  return isNotificationDue(pair, between, { comment, now })
}

/** Whether a pair that was not found is certainly gone. A side without files has no pairs. */
function isComplete({
  emptiness,
  checked_against,
  total_related,
  collisions,
  notables,
}: Conclusion): boolean {
  if (emptiness !== null) return true
  return checked_against.complete && total_related <= collisions.length + notables.length
}
