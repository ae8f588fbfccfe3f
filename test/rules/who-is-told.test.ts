/** Which overlapping work a comment names (docs/contract/publishing.md#who-gets-it): one row per rule. */
import { expect, test } from 'vitest'
import type { Counterpart } from '../../src/server/tell/counterparts.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import {
  type CommentRules,
  computeRoom,
  earnsComment,
  findSuppression,
  inOrderOfComment,
  isDoneShown,
  isNotificationDue,
} from '../../src/server/tell/who-is-told.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import type { Finding } from '../../src/vocabulary/finding-kinds.ts'
import { isBot } from '../../src/vocabulary/names.ts'
import { SAME_NUMBER } from '../support/conclusion.ts'

const now = new Date('2026-03-15T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

/** `cause`: whose event brought the overlap about. */
type Candidate = Counterpart & { cause: 'this' | 'other' | null }
const FILE = {} as Counterpart['conflicts'][number]
const CONFLICT = {
  ...{ severity: 'high', findings: [], confidence: 'proved', conflicts: [FILE] },
  ...{ is_risky: false, is_blocking: false, breadth: null, is_bot: false, is_same_author: false },
  ...{ active_at: daysAgo(1), cause: 'this', is_earlier: true },
} as Partial<Candidate> as Candidate

const comment = DEFAULT_SETTINGS.comment
const draft = { is_draft: true }
const duplicate = { findings: [{ kind: 'issue', issue: 7 }] as Finding[] }
const number = { findings: [SAME_NUMBER] as Finding[] }
const full = { room: 'strong' } as const
const closed = { room: 'none' } as const
const both = { comment: { ...comment, audience: 'both' as const } }

type Given = Partial<Candidate>
type Rules = Partial<CommentRules>

test.each<[string, Given, Rules, ReturnType<typeof findSuppression>]>([
  ['a conflict that this side brought about', {}, {}, null],
  ['severity below min_severity', { severity: 'low' }, {}, 'below_threshold'],
  ['the other side was last pushed 14 days ago', { active_at: daysAgo(14) }, {}, null],
  ['… earlier', { active_at: daysAgo(14.1) }, {}, 'stale'],
  [
    '… within stale_after_days',
    { active_at: daysAgo(20) },
    { comment: { ...comment, stale_after_days: 30 } },
    null,
  ],
  ['the other side is a bot’s', { is_bot: true }, {}, 'bot'],
  ['the other side is the author’s own', { is_same_author: true }, {}, 'same_author'],
  ['… and same_author is on', { is_same_author: true }, { comment: { ...comment, same_author: true } }, null],
  ['… but does the same work', { is_same_author: true, ...duplicate }, {}, null],
  ['… but takes the same number', { is_same_author: true, ...number }, {}, null],
  ['the other side brought it about', { cause: 'other' }, {}, 'other_side'],
  ['… and audience is both', { cause: 'other' }, both, null],
  ['unknown who brought it about: this was opened later', { cause: null, is_earlier: true }, {}, null],
  ['… the other was opened later', { cause: null, is_earlier: false }, {}, 'other_side'],
  ['blocking work is shown to both', { cause: 'other', is_blocking: true }, {}, null],
  ['… unless it is stale', { is_blocking: true, active_at: daysAgo(15) }, {}, 'stale'],
  ['… or a bot’s', { is_blocking: true, is_bot: true }, {}, 'bot'],
  ['over budget: a conflict in one file', {}, full, 'over_budget'],
  ['… in two files', { conflicts: [FILE, FILE] }, full, null],
  ['… a duplicate', { ...duplicate, conflicts: [] }, full, null],
  ['… a shared number', { ...number, conflicts: [] }, full, null],
  ['… raised risk', { is_risky: true }, full, null],
  ['far over budget: a duplicate', { ...duplicate, conflicts: [] }, closed, 'over_budget'],
  ['… blocking work', { is_blocking: true }, closed, null],
  ['this side was last pushed 15 days ago', {}, { active_at: daysAgo(15) }, 'stale'],
  ['work declared by globs', { breadth: 'plain' }, {}, 'declared_by_glob'],
  ['… of high risk', { breadth: 'risky' }, {}, null],
  ['… that blocks', { breadth: 'plain', is_blocking: true }, {}, null],
])('%s', (_, other, rules, suppression) => {
  const defaults = { comment, is_draft: false, room: 'any' as const, active_at: now, now }
  const { cause, ...candidate } = { ...CONFLICT, ...other }
  expect(findSuppression(candidate, cause, { ...defaults, ...rules })).toBe(suppression)
})

test('a comment names the work of others first: duplicates, then shared numbers, then proved conflicts', () => {
  const likely = { ...CONFLICT, name: 'likely', severity: 'medium', confidence: 'likely' } as const
  const risky = { ...likely, name: 'risky', severity: 'high' } as const
  const proved = { ...CONFLICT, name: 'proved' }
  const twin = { ...likely, name: 'duplicate', severity: 'high', ...duplicate } as const
  const named = (others: (Candidate & { name: string })[]) => inOrderOfComment(others).map(({ name }) => name)
  expect(named([likely, risky, proved, twin])).toEqual(['duplicate', 'proved', 'risky', 'likely'])
  const taking = { ...likely, name: 'number', ...number } as const
  expect(named([risky, proved, taking, twin])).toEqual(['duplicate', 'number', 'proved', 'risky'])
  expect(named([likely, risky])).toEqual(['risky', 'likely'])
  expect(named([{ ...twin, is_same_author: true }, likely])).toEqual(['likely', 'duplicate'])
  expect(named([])).toEqual([])
})

const changed = (days: number) => ({ author: null, active_at: daysAgo(days).toISOString(), head: null })
const PAIR = {
  ...{ outcome: 'open', confidence: 'proved', consequence: 'conflict', notified_at: null },
  sides: { a: changed(1), b: changed(1) },
} as PairRow
const TWIN = { ...PAIR, confidence: null, consequence: 'same_work' } as const
const TAKER = { ...TWIN, consequence: 'same_number' } as const
const people = { is_of_bot: false, is_same_author: false, findings: [] }

test.each<[string, Partial<PairRow>, { before?: PairRow; between?: object; same_author?: boolean }, boolean]>(
  [
    ['a conflict that was proved before', {}, { before: PAIR }, false],
    ['… but stale', {}, { before: { ...PAIR, sides: { a: changed(20), b: changed(1) } } }, true],
    ['a likely conflict', { confidence: 'likely' }, {}, false],
    ['… that does the same work', { confidence: 'likely' }, { between: duplicate }, true],
    ['… but was the same work before', { confidence: 'likely' }, { between: duplicate, before: TWIN }, false],
    ['… or took the same number', { confidence: 'likely' }, { between: number, before: TAKER }, false],
    [
      '… but is stale',
      { confidence: 'likely', sides: { a: changed(20), b: changed(1) } },
      { between: number },
      false,
    ],
    ['declared work', { confidence: null, consequence: 'possible' }, {}, false],
    ['a pair that was notified', { notified_at: now }, {}, false],
    ['a pair that has ended', { outcome: 'resolved' }, {}, false],
    ['a pair of which either side is stale', { sides: { a: changed(1), b: changed(15) } }, {}, false],
    ['a pair of one author', {}, { between: { is_same_author: true } }, false],
    ['… and same_author is on', {}, { between: { is_same_author: true }, same_author: true }, true],
    ['… that does the same work', {}, { between: { is_same_author: true, ...duplicate } }, true],
  ],
)('a notification: %s', (_, pair, { before, between, same_author = false }, expected) => {
  const rules = { comment: { ...comment, same_author }, now }
  expect(isNotificationDue({ pair: { ...PAIR, ...pair }, before }, { ...people, ...between }, rules)).toBe(
    expected,
  )
})

test.each<[string, string, boolean, Partial<typeof comment>, boolean]>([
  ['an account of type Bot', 'renovate', true, {}, true],
  ['a login that ends in [bot]', 'dependabot[bot]', false, {}, true],
  ['… in any case', 'Dependabot[BOT]', false, {}, true],
  ['a person', 'ben', false, {}, false],
  ['a coding agent', 'Copilot', true, {}, false],
  ['… with [bot]', 'claude[bot]', true, {}, false],
  ['who the settings call an agent', 'our-agent[bot]', true, { agents: ['our-agent'] }, false],
  ['… with [bot]', 'our-agent[bot]', true, { agents: ['our-agent[bot]'] }, false],
  ['who they do not call one', 'our-agent[bot]', true, { agents: ['their-agent'] }, true],
  ['who they call a bot', 'Acme-CI', false, { bots: ['acme-ci[bot]'] }, true],
  ['… and an agent', 'Acme-CI', false, { agents: ['acme-ci'], bots: ['acme-ci'] }, false],
])('%s (%s) is a bot or not', (_, login, is_of_type_bot, lists, expected) => {
  expect(isBot({ login, is_of_type_bot }, { ...comment, ...lists })).toBe(expected)
})

const WORK = { breadth: null, is_blocking: false, updated_at: daysAgo(1) }
const GLOBS_BLOCKED = { ...WORK, breadth: 'plain', is_blocking: true } as const
const HIGH = { severity: 'high', updated_at: daysAgo(1) } as const
const MEDIUM = { ...HIGH, severity: 'medium' } as const

test.each([
  ['work', { activities: [WORK] }, daysAgo(2), true],
  ['work that blocks globs, before the last event', { activities: [GLOBS_BLOCKED] }, now, true],
  ['… since then', { activities: [GLOBS_BLOCKED] }, daysAgo(2), false],
  ['… and other work', { activities: [GLOBS_BLOCKED, { ...WORK, is_blocking: true }] }, daysAgo(2), true],
  ['a high notable from before the last event', { notables: [HIGH] }, daysAgo(1), true],
  ['… from since then', { notables: [HIGH] }, daysAgo(2), false],
  ['a medium notable', { notables: [MEDIUM] }, now, false],
  ['nothing', {}, now, false],
])('a first comment is made for %s', (_, shown, own_event_at, expected) => {
  expect(earnsComment({ activities: [], notables: [], ...shown }, { own_event_at })).toBe(expected)
})

test.each([
  ['room for all at the limit', 300, 45, 0, 'any'],
  ['room for strong candidates above it', 300, 46, 0, 'strong'],
  ['… up to 1 % of the pull requests', 1000, 160, 9, 'strong'],
  ['no room beyond', 1000, 160, 10, 'none'],
  ['room for two comments above it in a small repository', 20, 9, 1, 'strong'],
  ['no room for a third', 20, 10, 2, 'none'],
  ['room for all with fewer than 20 pull requests', 19, 19, 0, 'any'],
])('the budget leaves %s', (_, pull_requests, commented, over_budget, room) => {
  expect(computeRoom({ pull_requests, commented, over_budget }, 0.15)).toBe(room)
})

const rules = { comment, is_draft: false, room: 'any', active_at: daysAgo(1), now } as const

test.each<[string, Rules, boolean]>([
  ['is named', {}, true],
  ['is named on a draft', draft, true],
  ['is named over the budget', full, true],
  ['is not named beyond that', closed, false],
  ['is not named on one that was pushed 15 days ago', { active_at: daysAgo(15) }, false],
])('a merged pull request that has the work %s', (_, changed, expected) => {
  expect(isDoneShown({ ...rules, ...changed })).toBe(expected)
})
