/** A report of one other pull request, for the tests and the pictures of a comment. */
import type { ReportedActivity, ReportedPath } from '../../src/server/tell/counterparts.ts'
import type { Report } from '../../src/server/tell/report.ts'

/** A path whose lines were not compared, unless `given` says otherwise. */
export function place(example: string, fields: Partial<ReportedPath> = {}): ReportedPath {
  return { example, verdict: null, confidence: null, your_lines: null, their_lines: null, ...fields }
}

export const PULL = (number: number) => ({ number, url: `https://github.com/acme/shop/pull/${number}` })

export const reportedActivity: ReportedActivity = {
  ...{ severity: 'medium', title: 'Retry payments', actor: 'Ben', branch: 'retries', pull_request: PULL(3) },
  ...{ stage: 'ready', conflicts_with_base: false, is_ahead: true, is_same_author: false },
  ...{ consequence: 'conflict', findings: [], fixes: [], areas: [], paths: [place('src/pay.ts')] },
}

export function report(changes: Partial<Report> = {}): Report {
  return {
    ...{
      severity: 'medium',
      earns_comment: true,
      charge: null,
      stage: 'ready',
      as_of: null,
      may_merge: true,
    },
    ...{ activities: [reportedActivity], notables: [], suppressed: { activities: [], notables: [] } },
    ...{ merged: [], done: null, taken: [], page_url: null, not_compared: null, gap: null },
    threshold: { severity: 'medium', is_of_draft: false },
    compared: { activities: 3, notables: 1, expected: 0 },
    ...changes,
  }
}
