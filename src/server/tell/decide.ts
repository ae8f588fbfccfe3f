/** Decides what a check of a pull request or branch leads to: what is stored, published and notified. Pure. */

import type { PullRequestChanges, PullRequestRow } from '../records/pull-requests/table.ts'
import { buildReport, reportNothing } from './build-report.ts'
import type { Facts } from './facts.ts'
import { decidePairs, type NextPairs } from './next-pairs.ts'
import type { SideKey } from './pair.ts'
import { hasOverlap, type Publication, planPublication } from './publication.ts'
import { chargedFields } from './publish.ts'
import type { Report } from './report.ts'
import { changePairs, type PairChanges } from './side-pairs.ts'
import type { PairName } from './table.ts'
import { isIgnored } from './who-is-told.ts'

export interface Decision {
  pairs: PairChanges
  /** The pairs that a notification is posted about. */
  notified: PairName[]
  /** Null for a branch without a pull request. */
  pull_request: PullRequestDecision | null
}

export interface PullRequestDecision {
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
