/** What is known of pull request #7 when it is checked, beside #3, which was opened five minutes before. */

import type { Conclusion } from '../../src/engine/check/source.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'
import { describeCounterpart } from '../../src/server/tell/counterparts.ts'
import type { Facts } from '../../src/server/tell/read.ts'
import { groupOverlaps, pullRequestSubject, type Subject } from '../../src/server/tell/sides.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import type { PathPair } from '../../src/vocabulary/contract/overlap.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { NOT_COMPARED, type Verdict } from '../../src/vocabulary/verdict.ts'
import { type Collision, collision, linesFinding, NOTHING_FOUND } from './conclusion.ts'

export const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute))

export const ready = {
  ...{ number: 7, author: 'ada', branch: 'tidy', opened_at: at(10), is_bot: false },
  ...{ is_draft: false, is_queued: false, is_by_newcomer: false },
  ...{ pushed_at: at(10), push_received_at: at(10), is_push_seen: true },
  ...{ ready_at: null, own_event_at: at(10), commented_at: null, comment_deleted_at: null },
  head_sha: 'a'.repeat(40),
}
/** Both sides are shown, so that only the severity suppresses an overlap. */
export const comment = { ...DEFAULT_SETTINGS.comment, min_severity: 'low', audience: 'both' } as const
export const elsewhere = {
  ...{ now: at(20), room: 'any' as const, page_url: null, next_numbers: new Map(), pairs: new Map() },
  repo: { id: 1, web_urls: ['https://github.com/acme/shop'], is_notified: true },
}

export interface Given {
  min_severity?: Severity
  draft_min_severity?: Severity
  settings?: Partial<Settings>
  pr?: object
  /** When #3 was opened. */
  opened_at?: Date | undefined
  pairs?: Map<string, PairRow>
  room?: 'strong'
  repo?: object
  next_numbers?: Map<string, string>
  /** The new files of #7. */
  added?: string[]
  /** What else is known of #7, and of the open pull request #3. */
  subject?: object
  other?: Partial<PullRequestRow>
}

export function factsOf(found: Partial<Conclusion>, given: Given = {}) {
  const { min_severity = 'low', draft_min_severity = 'high', opened_at, ...facts } = given
  const times = { opened_at, pushed_at: opened_at, push_received_at: opened_at }
  const other = { ...ready, number: 3, author: 'ben', branch: 'three' }
  const open = opened_at && ({ ...other, ...times, ...given.other } as PullRequestRow)
  const conclusion = { ...NOTHING_FOUND, ...found }
  const thresholds = { ...comment, min_severity, draft_min_severity }
  const settings = { ...DEFAULT_SETTINGS, comment: thresholds, ...given.settings }
  const pr = { ...ready, ...given.pr } as PullRequestRow
  const files = given.added?.map((path) => ({ path, previous_path: null, status: 'added' })) ?? []
  const subject = { ...pullRequestSubject(pr, []), files, ...given.subject } as unknown as Subject
  const counterparts = groupOverlaps(conclusion.collisions).map((group) =>
    describeCounterpart(group, open, { subject, comment: settings.comment }),
  )
  return { ...elsewhere, ...facts, conclusion, subject, settings, counterparts, pr } as unknown as Facts & {
    conclusion: Conclusion
    pairs: Map<string, PairRow>
    pr: PullRequestRow
  }
}

export const pull = (number: number) => ({
  pr_number: number,
  pr_url: `https://github.com/acme/shop/pull/${number}`,
})

export const inFile = (verdict: Verdict | null, example: string = verdict ?? 'glob'): PathPair => ({
  ...{ yours: example, theirs: example, example, ...NOT_COMPARED, verdict },
  confidence: verdict === 'conflict' ? 'proved' : null,
})

export const inLines = (record: Partial<Collision['record']>, ...paths: PathPair[]) =>
  collision('a', 'high', record, {
    ...{ paths, findings: paths.map(({ verdict }) => linesFinding(verdict as Verdict)) },
  })

export const PROVED = inFile('conflict', 'a.ts')
