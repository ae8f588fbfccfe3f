/** Example requests and responses of each operation for the OpenAPI document. Together they tell one story. */
import type { z } from 'zod'
import type { OPERATIONS, OperationName, OutputOf } from '../../../vocabulary/contract/contract.ts'
import { layersOf, settingsOf, sourcesOf } from '../../settings/layers.ts'
import {
  ACTIVITY_ID,
  CLEAR,
  COLLISION,
  CURRENT_OVERLAP,
  LATER,
  OTHER_ID,
  OTHER_PR_URL,
  STARTED,
} from './overlap-examples.ts'
import { OVERVIEW } from './overview-example.ts'
import { PROOF_EXAMPLES } from './proof-examples.ts'
import { SIGNAL } from './signal-example.ts'

type Examples = {
  [Name in OperationName]: {
    /** Omitted for operations without a body. */
    request?: z.input<(typeof OPERATIONS)[Name]['input']>
    response: OutputOf<Name>
  }
}

export const NOTABLE_ID = 'ntb_01h455vb4pex5vsknk084sn02r'

const PR_URL = 'https://github.com/acme/shop/pull/15'

const NEXT_DAY = '2026-02-01T09:30:00.000Z'

const FILE = {
  path: 'src/checkout/retry.ts',
  status: 'modified' as const,
  blob_sha: '5d41402abc4b2a76b9719d911017c592aa3bb1c0',
}
const BASE_SHA = '7c3f1a9e5b2d4806f1e2d3c4b5a697887a6b5c4d'
const PATCH = `@@ -12,3 +12,3 @@
 async function retry(payment) {
-  return send(payment)
+  return send(payment, { attempts: 2 })
 }
`

const brief: Omit<OutputOf<'updateActivity'>, 'overlap'> = {
  id: ACTIVITY_ID,
  title: 'Retry declined payments',
  actor: 'Ada Lovelace',
  agent: 'claude-code',
  status: 'active',
  risk: 'low',
  branch: 'payment-retries',
  base_branch: 'main',
  scope: {
    areas: ['checkout'],
    paths: ['src/checkout/**', 'docs/payments.md'],
    changes: [{ ...FILE, previous_path: null }],
  },
  base_sha: BASE_SHA,
  changes_complete: true,
  pr_url: null,
  draft_pr: false,
  blocking: false,
  issue: 7,
  heartbeat_at: null,
  expires_at: NEXT_DAY,
  ttl_ms: null,
  created_at: STARTED,
  updated_at: STARTED,
  archived_at: null,
  archive_reason: null,
  created_by: 'ada',
  archived_by: null,
  source: 'api',
}

const full = {
  ...brief,
  type: 'activity' as const,
  summary: 'Retries a declined payment twice before the order is cancelled.',
}

const WORKER = {
  activity_id: ACTIVITY_ID,
  actor: brief.actor,
  agent: brief.agent,
  branch: brief.branch,
  pr_url: null,
  since: STARTED,
}
const CLAIMED = { number: 7, claimed: true, holder: WORKER, done_by: null }

const notableBrief: OutputOf<'createNotable'> = {
  id: NOTABLE_ID,
  title: 'Migrations are frozen until Friday',
  category: 'migration',
  importance: 'high',
  status: 'active',
  decision_url: 'https://github.com/acme/shop/blob/main/docs/adr/7.md',
  supersedes: [],
  superseded_by: null,
  applies_until: '2026-02-06T17:00:00.000Z',
  scope: { areas: [], paths: ['db/migrations/**'] },
  blocking: false,
  created_by: 'ada',
  expires_at: '2026-02-07T09:30:00.000Z',
  created_at: STARTED,
  updated_at: STARTED,
  archived_at: null,
}

const LAYERS = layersOf(
  {
    disabled_categories: ['release'],
    areas: { checkout: ['src/checkout/**', 'docs/payments.md'] },
    noise_paths: { snapshot: ['test/golden/**'] },
  },
  { settings: { comment: { budget: 0.1 }, track_branches: ['claude/**', 'codex/**'] }, is_included: false },
)

export const EXAMPLES: Examples = {
  listRepositories: { response: OVERVIEW },
  listActivities: {
    response: {
      items: [{ ...brief, scope: { ...brief.scope, changes: [{ path: FILE.path }] } }],
      next_cursor: null,
    },
  },
  checkOverlap: {
    request: {
      branch: 'tidy',
      base_branch: 'main',
      scope: { paths: ['src/**/retry.ts'], changes: [{ path: 'docs/retries.md', status: 'added' }] },
    },
    response: COLLISION,
  },
  createActivity: {
    request: {
      title: brief.title,
      summary: full.summary,
      actor: brief.actor,
      agent: brief.agent,
      branch: brief.branch,
      base_branch: brief.base_branch,
      scope: { areas: ['checkout'], paths: brief.scope.paths, changes: [{ ...FILE, patch: PATCH }] },
      base_sha: BASE_SHA,
      issue: 7,
    },
    response: { activity: full, overlap: CLEAR, issue: CLAIMED },
  },
  reserveNumber: {
    request: { directory: 'db/migrations' },
    response: {
      number: '0043',
      directory: 'db/migrations',
      taken: [
        { number: '0042', by: '#12' },
        { number: '0041', by: 'base' },
      ],
    },
  },
  getIssue: {
    response: {
      number: 7,
      holder: WORKER,
      others: [
        {
          activity_id: OTHER_ID,
          actor: 'Grace Hopper',
          agent: null,
          branch: 'tidy',
          pr_url: OTHER_PR_URL,
          since: LATER,
        },
      ],
      done_by: null,
    },
  },
  listOverlaps: {
    response: {
      items: [
        {
          activity_ids: [ACTIVITY_ID, OTHER_ID],
          severity: 'medium',
          areas: [],
          paths: [
            {
              globs: ['src/checkout/**', 'src/**/retry.ts'],
              example: 'src/checkout/retry.ts',
              verdict: null,
              confidence: null,
              line_ranges: null,
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
      total: 1,
      checked_against: { activities: 2, as_of: STARTED, complete: true, reason: null },
    },
  },
  getMergeOrder: {
    response: {
      items: [
        { activity_id: OTHER_ID, pr_url: OTHER_PR_URL, conflicts_with: [ACTIVITY_ID], position: 1 },
        { activity_id: ACTIVITY_ID, pr_url: PR_URL, conflicts_with: [OTHER_ID], position: 2 },
      ],
      clear: [],
    },
  },
  getActivity: {
    response: { ...full, pr_reminder_due: false, drift: null, overlap: CURRENT_OVERLAP, issue: CLAIMED },
  },
  updateActivity: {
    request: { status: 'ready-for-review', risk: 'medium' },
    response: {
      ...brief,
      status: 'ready-for-review',
      risk: 'medium',
      updated_at: LATER,
      overlap: CURRENT_OVERLAP,
    },
  },
  heartbeatActivity: {
    response: {
      id: ACTIVITY_ID,
      heartbeat_at: LATER,
      expires_at: '2026-02-01T10:15:00.000Z',
      overlap: CURRENT_OVERLAP,
    },
  },
  archiveActivity: { response: { id: ACTIVITY_ID, status: 'archived', archived_at: LATER } },
  listNotables: { response: { items: [notableBrief], next_cursor: null } },
  createNotable: {
    request: {
      title: notableBrief.title,
      summary: 'No schema change before Friday: the cut-over to the new cluster is running.',
      importance: notableBrief.importance,
      category: notableBrief.category,
      decision_url: notableBrief.decision_url,
      applies_until: notableBrief.applies_until,
      scope: notableBrief.scope,
    },
    response: notableBrief,
  },
  getNotable: {
    response: {
      ...notableBrief,
      type: 'notable',
      summary: 'No schema change before Friday: the cut-over to the new cluster is running.',
    },
  },
  updateNotable: {
    request: { importance: 'critical' },
    response: { ...notableBrief, importance: 'critical', updated_at: LATER },
  },
  archiveNotable: { response: { id: NOTABLE_ID, status: 'archived', archived_at: LATER } },
  ...PROOF_EXAMPLES,
  getSignal: { response: SIGNAL },
  getSettings: {
    response: {
      ...settingsOf(LAYERS),
      source: 'file',
      errors: [],
      sources: sourcesOf(LAYERS),
      budget: SIGNAL.budget,
    },
  },
}
