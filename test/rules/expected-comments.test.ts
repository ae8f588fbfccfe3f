/** How many comments settings would have led to, by the pairs of the ledger. */
import { describe, expect, test } from 'vitest'
import {
  type CountedPair,
  type CountedPullRequest,
  countComments,
} from '../../src/server/admin/expected-comments.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-03-31T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)
const SINCE = daysAgo(30)

const pull = (number: number, given: Partial<CountedPullRequest> = {}): CountedPullRequest => ({
  number,
  author: `author-${number}`,
  is_bot: false,
  is_draft: false,
  is_muted: false,
  opened_at: daysAgo(10),
  ready_at: null,
  own_event_at: daysAgo(10),
  ...given,
})
/** `#1` and `#2` conflict; the second was pushed last. */
const pair = (given: Partial<CountedPair> = {}): CountedPair => ({
  first: '#1',
  second: '#2',
  first_author: 'author-1',
  second_author: 'author-2',
  first_active_at: daysAgo(10),
  second_active_at: daysAgo(5),
  cause: 'second',
  is_done: false,
  merged: null,
  is_duplicate: false,
  fails_together: false,
  confidence: 'proved',
  files: [{ path: 'src/pay.ts', first_lines: null, second_lines: null }],
  sequence: [],
  seen_at: daysAgo(5),
  ...given,
})
/** `#1` is merged and has the lines of `#2`. */
const DONE: Partial<CountedPair> = { is_done: true, merged: 'first', confidence: null, files: [] }
const count = (
  comment: Partial<Settings['comment']> = {},
  pairs = [pair()],
  pull_requests = [pull(1), pull(2)],
) => countComments({ pairs, pull_requests }, { ...DEFAULT_SETTINGS.comment, ...comment }, SINCE)

describe('a pair leads to', () => {
  test.each<[string, number, Partial<Settings['comment']>, Partial<CountedPair>]>([
    ['a comment on the side that caused it', 1, {}, {}],
    ['comments on both sides', 2, { audience: 'both' }, {}],
    ['none in shadow mode', 0, { mode: 'shadow' }, {}],
    ['none if comments are off', 0, { mode: 'off' }, {}],
    [
      'none if it is likely and only high ones are shown',
      0,
      { min_severity: 'high' },
      { confidence: 'likely' },
    ],
    ['one if it is proved and only high ones are shown', 1, { min_severity: 'high' }, {}],
    ['none if a side is stale', 0, { stale_after_days: 3 }, {}],
    ['none between work of one author', 0, {}, { second_author: 'Author-1' }],
    ['one between work of one author', 1, { same_author: true }, { second_author: 'Author-1' }],
    ['none with a bot', 0, { bots: ['author-1'] }, {}],
    ['none on a bot', 0, { bots: ['author-2'] }, {}],
    ['one with work without a pull request', 1, {}, { second: 'branch:b', cause: 'first' }],
    ['none on work without a pull request', 0, {}, { second: 'branch:b' }],
    ['none in this period if it is older', 0, {}, { seen_at: daysAgo(31) }],
    ['one on the later side if the cause is unknown', 1, {}, { cause: null }],
    ['one on work that a merged one has done', 1, {}, DONE],
    ['none on work that its author has done', 0, {}, { ...DONE, second_author: 'author-1' }],
    ['none on the merged side of finished work', 0, { bots: ['author-2'] }, DONE],
    ['one on each side if a proof failed', 2, {}, { fails_together: true }],
  ])('%s', (_, expected, comment, given) => {
    const [first, second] = [pull(1), pull(2, { opened_at: daysAgo(9) })]
    expect(count(comment, [pair(given)], [first, second])).toBe(expected)
  })
})

describe('a pull request gets no comment', () => {
  test.each<[string, Partial<CountedPullRequest>]>([
    ['while it is muted', { is_muted: true }],
    ['if it was only imported', { own_event_at: null }],
  ])('%s', (_, given) => {
    expect(count({}, [pair()], [pull(1), pull(2, given)])).toBe(0)
  })

  test('below the threshold of drafts, if it was a draft then', () => {
    const likely = pair({ confidence: 'likely' })
    const later = pull(2, { ready_at: daysAgo(1) })
    expect(count({}, [likely], [pull(1), later])).toBe(0)
    expect(count({ draft_min_severity: 'medium' }, [likely], [pull(1), later])).toBe(1)
  })
})

test('a pull request with several pairs gets one comment', () => {
  const other = pair({ first: '#2', second: '#3', second_author: 'author-3', cause: 'first' })
  expect(count({}, [pair(), other], [pull(1), pull(2), pull(3)])).toBe(1)
})

test('the budget ends comments, and leaves two to strong pairs', () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index + 100)
  const pulls = numbers.map((number) => pull(number))
  const withFiles = (files: number) =>
    numbers.slice(1).map((number, index) =>
      pair({
        first: '#100',
        first_author: 'author-100',
        second: `#${number}`,
        second_author: `author-${number}`,
        seen_at: new Date(daysAgo(5).getTime() + index),
        files: Array.from({ length: files }, (_, at) => ({
          path: `${at}`,
          first_lines: null,
          second_lines: null,
        })),
      }),
    )
  expect(count({ budget: 1 }, withFiles(1), pulls)).toBe(39)
  expect(count({ budget: 0.1 }, withFiles(1), pulls)).toBe(5)
  expect(count({ budget: 0.1 }, withFiles(2), pulls)).toBe(7)
})
