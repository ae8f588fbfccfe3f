/** Records in the page's format, for tests of its pure parts. */

import type { View } from '../../src/page/address.ts'
import type { Activity, Overlap } from '../../src/page/records.ts'
import type { OutputOf } from '../../src/vocabulary/contract/contract.ts'

export const NOW_MS = Date.parse('2026-03-02T09:00:00.000Z')
export const HOUR_MS = 3_600_000

/** The view of an address without parameters. */
export const NO_VIEW: View = {
  ...{ section: 'overlaps', person: null, path: null, text: '', only: null, mine: false },
  ...{ idle: false, bots: false, drafts: true, record: null, pull_request: null },
}

/** An activity of Ada's that began an hour ago; `given` overrides the defaults. */
export function pageActivity(id: string, given: object = {}): Activity {
  return {
    ...{ id, title: id, actor: 'Ada', agent: null, created_by: null, source: 'api', branch: null },
    ...{ risk: 'low', pr_url: null, draft_pr: false, issue: null },
    scope: { areas: [], paths: [], changes: [] },
    created_at: new Date(NOW_MS - HOUR_MS).toISOString(),
    updated_at: new Date(NOW_MS - HOUR_MS).toISOString(),
    ...given,
  } as unknown as Activity
}

export function pageOverlap(one: string, other: string, severity: Overlap['severity'] = 'medium'): Overlap {
  return {
    ...{ activity_ids: [one, other], severity, consequence: 'possible', findings: [] },
    ...{ areas: [], paths: [], same_author: false, cut: false },
  }
}

const PATH = 'src/checkout/retry.ts'
const conflicts = (conflict: number) => ({
  by_consequence: { same_work: 0, same_number: 0, conflict, possible: 0 },
})
const FOUND = '2026-01-31T10:15:00.000Z'

export const SIGNAL: OutputOf<'getSignal'> = {
  mode: 'shadow',
  budget: { share: 0.11, limit: 0.15, in_force: false },
  periods: [
    {
      days: 7,
      pairs: { shown: 3, resolved: 1, merged_anyway: 0, given_up: 0, open: 2, ...conflicts(3) },
      comments: { posted: 2, edited: 1 },
      feedback: { up: 1, down: 0 },
    },
    {
      days: 30,
      pairs: { shown: 13, resolved: 6, merged_anyway: 3, given_up: 1, open: 3, ...conflicts(13) },
      comments: { posted: 9, edited: 7 },
      feedback: { up: 3, down: 1 },
    },
  ],
  recent: [
    {
      sides: [
        { pr_url: 'https://github.com/acme/shop/pull/12', branch: null, author: 'ben', shown_at: null },
        { pr_url: 'https://github.com/acme/shop/pull/15', branch: null, author: 'ada', shown_at: FOUND },
      ],
      consequence: 'conflict',
      confidence: 'proved',
      files: [
        {
          path: PATH,
          line_ranges: [
            [12, 14],
            [13, 13],
          ],
        },
      ],
      outcome: 'merged_anyway',
      seen_at: FOUND,
    },
  ],
}
