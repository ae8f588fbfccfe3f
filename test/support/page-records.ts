/** Records in the page's format, for tests of its pure parts. */
import type { View } from '../../src/page/address.ts'
import type { Activity, Overlap } from '../../src/page/records.ts'

export const NOW_MS = Date.parse('2026-03-02T09:00:00.000Z')
export const HOUR_MS = 3_600_000

/** The view of an address without parameters. */
export const NO_VIEW: View = {
  person: null,
  path: null,
  area: null,
  text: '',
  only_collisions: false,
  record: null,
  pull_request: null,
}

/** An activity of Ada's that began an hour ago; `given` overrides the defaults. */
export function pageActivity(id: string, given: object = {}): Activity {
  return {
    id,
    title: id,
    actor: 'Ada',
    agent: null,
    branch: null,
    risk: 'low',
    pr_url: null,
    draft_pr: false,
    issue: null,
    source: 'api',
    created_by: null,
    scope: { areas: [], paths: [], changes: [] },
    created_at: new Date(NOW_MS - HOUR_MS).toISOString(),
    ...given,
  } as unknown as Activity
}

export function pageOverlap(one: string, other: string, severity: Overlap['severity'] = 'medium'): Overlap {
  return {
    activity_ids: [one, other],
    severity,
    areas: [],
    paths: [],
    lines: null,
    duplicate: null,
    sequence: [],
    moved: null,
    proof: null,
    proof_log_url: null,
    same_author: false,
    cut: false,
  }
}
