/** What the check of a pull request leads to: one row for each situation. */

import { describe, expect, test } from 'vitest'
import type { ActivityRow } from '../../src/server/activities/table.ts'
import { type Decision, decide } from '../../src/server/decision/decide.ts'
import type { Facts, LedgerFacts } from '../../src/server/decision/facts.ts'
import {
  branchSubject,
  describeCounterpart,
  groupOverlaps,
  pullRequestSubject,
} from '../../src/server/decision/sides.ts'
import type { PairRow } from '../../src/server/ledger/table.ts'
import { DEFAULT_NOISE } from '../../src/server/line-verdicts/noise.ts'
import type { Conclusion } from '../../src/server/overlap/conclude.ts'
import { NO_RELATION } from '../../src/server/overlap/sides-by-lines.ts'
import type { PullRequestRow } from '../../src/server/pull-requests/table.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'
import { atOnce } from '../support/steps.ts'

type Collision = Conclusion['collisions'][number]

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute))
const NOW = at(30)

const pullRequest = (number: number, pushed: number, given: Partial<PullRequestRow> = {}) =>
  ({
    number,
    author: `author-${number}`,
    branch: `branch-${number}`,
    head_sha: String(number).repeat(40),
    opened_at: at(pushed),
    pushed_at: at(pushed),
    ready_at: null,
    own_event_at: at(pushed),
    push_received_at: at(pushed),
    changed_at: at(pushed),
    is_push_seen: true,
    is_draft: false,
    is_bot: false,
    is_muted: false,
    is_queued: false,
    is_by_newcomer: false,
    is_mergeable: true,
    comment_deleted_at: null,
    comment_id: null,
    comment_hash: null,
    comment_refused: null,
    commented_at: null,
    ...given,
  }) as PullRequestRow

/** #2, pushed last, and #1, which changes the same lines. */
const SECOND = pullRequest(2, 20)
const FIRST = pullRequest(1, 10)
const ACTIVITY = { id: 'act_2', source: 'api', created_by: 'ben', actor: 'Ben', created_at: at(20) }

const CONFLICT = {
  id: 'act_1',
  severity: 'high',
  heads: new Map(),
  match: {
    ...NO_RELATION,
    areas: [],
    lines: 'conflict',
    paths: [
      {
        ...{ yours: 'a.ts', theirs: 'a.ts', example: 'a.ts', verdict: 'conflict', confidence: 'proved' },
        ...{ your_lines: [4, 5], their_lines: [1, 2] },
      },
    ],
  },
  record: {
    ...{
      id: 'act_1',
      title: 'Retry',
      actor: 'author-1',
      source: 'pull_request',
      created_at: at(10),
      updated_at: at(10),
    },
    ...{ pr_number: 1, pr_url: 'https://github.com/acme/shop/pull/1', branch: 'branch-1' },
  },
} as unknown as Collision

const conclusionWith = (given: Partial<Conclusion>): Conclusion => ({
  checked: 'activities',
  branch: null,
  emptiness: null,
  expected: new Map(),
  other_base: [],
  collisions: [],
  notables: [],
  noise: [],
  cut: 0,
  merged: [],
  done_by: null,
  total_related: given.collisions?.length ?? 0,
  checked_against: { activities: 1, notables: 0, as_of: NOW.toISOString(), complete: true },
  ...given,
})
const FOUND = conclusionWith({ collisions: [CONFLICT] })
const NOTHING = conclusionWith({})

interface Given extends Partial<Omit<Facts, 'ledger' | 'settings'>> {
  pr?: PullRequestRow
  others?: PullRequestRow[]
  comment?: Partial<Settings['comment']>
  rows?: PairRow[]
  ledger?: Partial<LedgerFacts> | null
}

function decided({
  pr = SECOND,
  others = [FIRST],
  comment,
  rows = [],
  ledger,
  ...given
}: Given = {}): Decision {
  const settings = { ...DEFAULT_SETTINGS, comment: { ...DEFAULT_SETTINGS.comment, ...comment } }
  const { subject = pullRequestSubject(pr, []), conclusion = FOUND } = given
  const byNumber = new Map(others.map((other) => [other.number, other]))
  const pairs = new Map(rows.map((row) => [row.first === subject.key ? row.second : row.first, row]))
  const empty = { rows, pairs, absent: new Map(), own_lines: [], merged_files: new Map() }
  return atOnce(
    decide({
      is_partial: false,
      room: 'any',
      page_url: null,
      now: NOW,
      repo: {
        id: 1,
        web_urls: ['https://github.com/acme/shop'],
        is_notified: true,
        commenting_since: new Date(0),
      },
      noise: DEFAULT_NOISE,
      own_files: [],
      next_numbers: new Map(),
      counterparts: groupOverlaps(conclusion?.collisions ?? []).map((group) =>
        describeCounterpart(group, byNumber.get(group.number ?? 0), { subject, comment: settings.comment }),
      ),
      ...given,
      subject,
      conclusion,
      settings,
      ledger: ledger === null ? null : { ...empty, ...ledger },
    }),
  )
}

const [STORED] = decided().pairs.saved as [PairRow]
const shows = ({ pull_request }: Decision) => {
  const comment = pull_request?.publication.comment
  return typeof comment === 'object' ? `writes ${comment.is_overlap ? 'an overlap' : 'none'}` : comment
}

test('a conflict that this side caused becomes a pair, a comment and a notification', () => {
  const decision = decided()
  expect(decision).toMatchObject({
    pairs: {
      deleted: [],
      saved: [{ first: '#1', second: '#2', cause: 'second', confidence: 'proved', notified_at: NOW }],
    },
    notified: [{ first: '#1', second: '#2' }],
    pull_request: { changes: { related_ids: ['act_1'] }, named: ['#1'] },
  })
  expect(shows(decision)).toBe('writes an overlap')
})

test('the same check again writes no pair and posts no notification', () => {
  expect(decided({ rows: [STORED] })).toMatchObject({ pairs: { deleted: [], saved: [] }, notified: [] })
})

test.each<[string, Given, string]>([
  ['the other side caused it', { pr: pullRequest(2, 20), others: [pullRequest(1, 25)] }, 'shows_none'],
  [
    '… and a comment is there',
    { pr: { ...SECOND, comment_hash: 'x' }, others: [pullRequest(1, 25)] },
    'writes none',
  ],
  ['it is muted', { pr: { ...SECOND, is_muted: true } }, 'shows_none'],
  ['… and a comment is there', { pr: { ...SECOND, is_muted: true, comment_hash: 'x' } }, 'writes none'],
  ['a bot opened it', { pr: { ...SECOND, is_bot: true } }, 'shows_none'],
  [
    '… and comments on bots are on',
    { pr: { ...SECOND, is_bot: true }, comment: { on_bots: true } },
    'writes an overlap',
  ],
  ['the budget is exceeded', { room: 'strong' }, 'shows_none'],
  ['the mode is shadow', { comment: { mode: 'shadow' } }, 'shows_overlap'],
  ['the mode is off', { comment: { mode: 'off' }, ledger: null }, 'shows_none'],
  ['it has no live activity', { conclusion: null, ledger: null }, 'shows_none'],
])('the comment if %s', (_, given, comment) => {
  expect(shows(decided(given))).toBe(comment)
})

test('a comment whose text GitHub has, or has refused, is not written again', () => {
  const written = decided().pull_request?.publication.comment as { hash: string }
  const same = { ...SECOND, comment_id: 7, comment_version: 2, comment_hash: written.hash }
  expect(shows(decided({ pr: same }))).toBe('shows_overlap')
  expect(shows(decided({ pr: { ...SECOND, comment_refused: written.hash } }))).toBe('shows_none')
})

test('in shadow mode, the pull request counts as commented from the first overlap on', () => {
  const shadow = { comment: { mode: 'shadow' } } as const
  expect(decided(shadow).pull_request?.changes).toMatchObject({ commented_at: NOW })
  const before = { ...SECOND, commented_at: at(0) }
  expect(decided({ ...shadow, pr: before }).pull_request?.changes).not.toHaveProperty('commented_at')
})

describe('a pair that the check does not find any more', () => {
  const pushed = { ...SECOND, head_sha: '9'.repeat(40), pushed_at: at(28) }
  const absent = new Map([['#1', pullRequestSubject(FIRST, []).last_change]])
  const gone = (given: Given) =>
    decided({ pr: pushed, conclusion: NOTHING, rows: [STORED], ledger: { absent }, ...given }).pairs.saved

  test('is resolved by a push', () => {
    expect(gone({})).toMatchObject([{ outcome: 'resolved', ended_at: at(28) }])
  })

  test('stays open if not everything was compared', () => {
    expect(gone({ is_partial: true })).toEqual([])
    const cut = { ...NOTHING, checked_against: { ...NOTHING.checked_against, complete: false } }
    expect(gone({ conclusion: cut })).toEqual([])
  })

  test('is resolved if the side has no files any more', () => {
    expect(gone({ conclusion: conclusionWith({ emptiness: 'nothing_given' }) })).toHaveLength(1)
  })
})

test('pairs of the branch get the key of its pull request, and are not notified again', () => {
  const stored = { ...STORED, second: 'branch:branch-2' }
  const pairs = new Map([['#1', STORED]])
  const { pairs: changes, notified } = decided({ rows: [stored], ledger: { pairs } })
  expect(changes).toMatchObject({ deleted: [stored], saved: [{ first: '#1', second: '#2' }] })
  expect(notified).toEqual([])
})

test('a branch without a pull request gets pairs and no publication', () => {
  const subject = branchSubject('agent', [ACTIVITY as ActivityRow])
  expect(decided({ subject })).toMatchObject({
    pairs: { saved: [{ first: '#1', second: 'branch:agent', second_author: 'ben' }] },
    pull_request: null,
  })
})

test('files that share only noise are pairs of noise, once for each class', () => {
  const path = { ...CONFLICT.match.paths[0], example: 'yarn.lock' }
  const noise = { ...CONFLICT, match: { ...CONFLICT.match, paths: [path, path] } } as Collision
  expect(decided({ conclusion: conclusionWith({ noise: [noise] }) }).noise_pairs).toEqual([
    { noise: 'lock', first: '#1', second: '#2' },
  ])
})
