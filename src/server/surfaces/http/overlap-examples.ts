/** Example results of overlap checks for the OpenAPI document. */
import type { OutputOf } from '../../../vocabulary/contract/contract.ts'

export const ACTIVITY_ID = 'act_01h455vb4pex5vsknk084sn02q'
export const OTHER_ID = 'act_01h455vb4pex5vsknk084sn02s'
export const OTHER_PR_URL = 'https://github.com/acme/shop/pull/12'
export const STARTED = '2026-01-31T09:30:00.000Z'
export const LATER = '2026-01-31T10:15:00.000Z'

export const CLEAR: OutputOf<'checkOverlap'> = {
  overlap_detected: false,
  severity: null,
  related_activity_ids: [],
  reason: 'No overlap with the 3 live activities and 1 active notable of this repository.',
  related_notable_ids: [],
  expected_activity_ids: [],
  relationships: {},
  recommended_action: 'Go ahead.',
  reuse_opportunities: [],
  matches: [],
  truncated: false,
  total_related: 0,
  checked_against: { activities: 3, notables: 1, as_of: STARTED, complete: true },
}

export const COLLISION: OutputOf<'checkOverlap'> = {
  ...CLEAR,
  overlap_detected: true,
  severity: 'medium',
  related_activity_ids: [ACTIVITY_ID],
  reason:
    'Overlap of medium severity. Collision (medium) with “Retry declined payments” by “Ada Lovelace” on “payment-retries”: it works on “src/checkout/retry.ts” too (yours: “src/**/retry.ts”, theirs: “src/checkout/**”).',
  relationships: { [ACTIVITY_ID]: 'collision' },
  recommended_action: 'Before you edit there, talk to ada: agree on who changes what, or narrow your scope.',
  matches: [
    {
      id: ACTIVITY_ID,
      severity: 'medium',
      areas: [],
      paths: [
        {
          yours: 'src/**/retry.ts',
          theirs: 'src/checkout/**',
          example: 'src/checkout/retry.ts',
          verdict: null,
          confidence: null,
          your_lines: null,
          their_lines: null,
        },
      ],
      lines: null,
      duplicate: null,
      sequence: [],
      moved: null,
      proof: null,
      proof_log_url: null,
      same_author: false,
      cut: false,
    },
  ],
  total_related: 1,
  checked_against: { activities: 4, notables: 1, as_of: LATER, complete: true },
}

export const CURRENT_OVERLAP: OutputOf<'heartbeatActivity'>['overlap'] = {
  overlap_detected: true,
  severity: 'medium',
  related_activity_ids: [OTHER_ID],
  matches: [
    {
      id: OTHER_ID,
      title: 'Tidy the retries',
      actor: 'Ben Hall',
      branch: 'tidy',
      pr_url: OTHER_PR_URL,
      severity: 'medium',
      example: 'src/checkout/retry.ts',
      lines: null,
      proof: null,
    },
  ],
}
