/** An example of the signal report for the OpenAPI document. */
import type { OutputOf } from '../../../vocabulary/contract/contract.ts'

const PAIRS = { shown: 13, came_true: 6, resolved: 3, wrong: 1, given_up: 1, open: 2 }
const PATH = 'src/checkout/retry.ts'
const FOUND = '2026-01-31T10:15:00.000Z'

export const SIGNAL: OutputOf<'getSignal'> = {
  days: 30,
  mode: 'shadow',
  budget: { share: 0.11, limit: 0.15, in_force: false },
  pull_requests: 84,
  commented: 9,
  pairs: PAIRS,
  precision: 0.9,
  done: { shown: 2, given_up: 2, merged: 0 },
  noise: { changelog: 30, lock: 12 },
  hot_files: [{ path: PATH, pairs: 6, people: 4 }],
  recorded: 17,
  feedback: { up: 3, down: 1 },
  months: [{ month: '2026-01', ...PAIRS, precision: 0.9 }],
  recent: [
    {
      sides: [
        { pr_url: 'https://github.com/acme/shop/pull/12', branch: null, author: 'ben', shown_at: null },
        { pr_url: 'https://github.com/acme/shop/pull/15', branch: null, author: 'ada', shown_at: FOUND },
      ],
      kind: 'conflict',
      verdict: 'conflict',
      confidence: 'proved',
      duplicate: false,
      files: [
        {
          path: PATH,
          line_ranges: [
            [12, 14],
            [13, 13],
          ],
        },
      ],
      outcome: 'came_true',
      seen_at: FOUND,
    },
  ],
}
