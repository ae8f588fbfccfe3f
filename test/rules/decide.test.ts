/** What a check leads to: which pairs are stored and notified, and what is published. One row per rule. */
import { expect, test } from 'vitest'
import type { Conclusion } from '../../src/engine/check/source.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'
import { TEXT_VERSION } from '../../src/server/tell/comment.ts'
import { type CommentText, decide, FAREWELL, farewellTo } from '../../src/server/tell/decide.ts'
import type { Facts } from '../../src/server/tell/read.ts'
import type { PairRow } from '../../src/server/tell/table.ts'
import type { Settings } from '../../src/vocabulary/contract/settings.ts'
import { collision, DONE_BY, matching, NOTHING_FOUND } from '../support/conclusion.ts'
import { at, comment, factsOf, type Given, inFile, inLines, PROVED, pull } from '../support/report-facts.ts'

const UNPUBLISHED = {
  ...{ is_muted: false, is_muted_by_comment: false, is_due: false, is_open: true },
  ...{ comment_id: null, comment_hash: null, comment_version: null, comment_refused: null },
  ...{ check_hash: null, check_refused: null },
}
const WRITTEN = { comment_id: 5, comment_hash: 'former', comment_version: TEXT_VERSION }
const MUTED = { is_muted: true }
/** #7 and #3, which was opened first, change the same line. */
const CONFLICT = { collisions: [inLines(pull(3), PROVED)] }

const [apart, NOTES] = [[collision('n', 'high')], [matching('n', 'high')]]

interface Ledger {
  pairs?: Record<string, PairRow>
  absent?: Record<string, { at: Date; head: string } | null>
}

function decideOn(found: Partial<Conclusion>, given: Given = {}, stored: Ledger = {}, more: object = {}) {
  const { pairs = {}, absent = {} } = stored
  const ledger = { pairs: new Map(Object.entries(pairs)), absent: new Map(Object.entries(absent)) }
  const facts = factsOf(found, { opened_at: at(5), ...given, pr: { ...UNPUBLISHED, ...given.pr } })
  return decide({ ...facts, is_partial: false, ledger, ...more } as unknown as Facts)
}

const publish = (...given: Parameters<typeof decideOn>) => decideOn(...given).pull_request?.publication
const rules = (changed: Partial<Settings['comment']>): Given => ({
  settings: { comment: { ...comment, ...changed } },
})
const checked: Given = { settings: { comment, check_run: true } }
/** What stands on #7 once the decision was published. */
function published(found: Partial<Conclusion>, pr: object = {}) {
  const { comment, check_run } = publish(found, { ...checked, pr: { ...WRITTEN, ...pr } }) ?? {}
  const stands = { ...pr, ...WRITTEN, comment_hash: (comment as CommentText).hash }
  return { ...stands, check_hash: check_run?.hash }
}
const [SHOWN, GONE, IS_MUTED] = [published(CONFLICT), published({}), published(CONFLICT, MUTED)]
const refused = { ...SHOWN, comment_id: null, comment_hash: null, comment_refused: SHOWN.comment_hash }
const OLD = { ...WRITTEN, comment_version: TEXT_VERSION - 1 }
const BOT = { author: 'renovate[bot]', is_bot: true }
const UNSEEN = { own_event_at: null }
const SHADOW = rules({ mode: 'shadow' })
const OTHER_COUNTS = { checked_against: { ...NOTHING_FOUND.checked_against, activities: 9, notables: 4 } }

const text = (part: string, is_overlap: boolean) => ({ text: expect.stringContaining(part), is_overlap })
const [overlap, ended] = [text('as of 2026-03-02T09:20', true), text('**No overlap any more.**', false)]

test.each<[string, Partial<Conclusion>, Given, unknown]>([
  ['an overlap', CONFLICT, {}, { ...overlap, charge: { commented_at: at(20) } }],
  ['… before an event of its own', CONFLICT, { pr: UNSEEN }, 'shows_none'],
  ['… on one that has a comment', CONFLICT, { pr: { ...UNSEEN, ...WRITTEN } }, overlap],
  ['nothing', {}, {}, 'shows_none'],
  ['the end of an overlap', {}, { pr: WRITTEN }, ended],
  ['what stands there', CONFLICT, { pr: SHOWN }, 'shows_overlap'],
  ['… with other counts', { ...CONFLICT, ...OTHER_COUNTS }, { pr: SHOWN }, 'shows_overlap'],
  ['… of which no comment is known', CONFLICT, { pr: { ...SHOWN, comment_id: null } }, 'shows_none'],
  ['an end that stands there', OTHER_COUNTS, { pr: GONE }, 'shows_none'],
  ['what was refused', CONFLICT, { pr: refused }, 'shows_none'],
  ['… and another text', { collisions: [inLines(pull(4), PROVED)] }, { pr: refused }, overlap],
  ['a muted overlap', CONFLICT, { pr: MUTED }, 'shows_none'],
  ['… on one that has a comment', CONFLICT, { pr: { ...MUTED, ...WRITTEN } }, text('**Muted.**', false)],
  ['… that says so', CONFLICT, { pr: IS_MUTED }, 'shows_none'],
  ['… by a comment', CONFLICT, { pr: { is_muted_by_comment: true } }, 'shows_none'],
  ['a former text, without an event of its own', CONFLICT, { pr: OLD }, 'shows_none'],
  ['… with one', CONFLICT, { pr: { ...OLD, is_due: true } }, overlap],
  ['… of a comment that is gone', CONFLICT, { pr: { ...OLD, comment_id: null } }, overlap],
  ['in mode off', CONFLICT, rules({ mode: 'off' }), 'shows_none'],
  ['on the pull request of a bot', CONFLICT, { pr: BOT }, 'shows_none'],
  ['… and on_bots is on', CONFLICT, { pr: BOT, ...rules({ on_bots: true }) }, overlap],
  ['in shadow mode an overlap', CONFLICT, SHADOW, 'shows_overlap'],
  ['… before an event of its own', CONFLICT, { ...SHADOW, pr: UNSEEN }, 'shows_none'],
  ['… after one counted', CONFLICT, { ...SHADOW, pr: { ...UNSEEN, commented_at: at(9) } }, 'shows_overlap'],
  ['… that is muted', CONFLICT, { ...SHADOW, pr: MUTED }, 'shows_none'],
  ['… that has ended', {}, { ...SHADOW, pr: { commented_at: at(9) } }, 'shows_none'],
])('the comment: %s', (_, found, given, expected) => {
  expect(publish(found, given)).toMatchObject({ comment: expected, check_run: null })
})

const run = (conclusion: string) => ({ run: { conclusion, head_sha: 'a'.repeat(40) } })

test.each<[string, Partial<Conclusion>, Given, unknown]>([
  ['an overlap', CONFLICT, {}, run('neutral')],
  ['nothing', {}, {}, run('success')],
  ['what stands there', CONFLICT, { pr: SHOWN }, null],
  ['… with other counts', OTHER_COUNTS, { pr: GONE }, null],
  ['… on an earlier commit', CONFLICT, { pr: { ...SHOWN, head_sha: 'b' } }, { run: { head_sha: 'b' } }],
  ['what was refused', CONFLICT, { pr: { check_refused: SHOWN.check_hash } }, null],
  ['a muted overlap', CONFLICT, { pr: MUTED }, null],
  ['on the pull request of a bot', CONFLICT, { pr: BOT }, null],
  ['in shadow mode', CONFLICT, { settings: { ...SHADOW.settings, check_run: true } }, null],
])('the check run, if it is on: %s', (_, found, given, expected) => {
  const { check_run } = publish(found, { ...checked, ...given }) ?? {}
  expect({ check_run }).toMatchObject({ check_run: expected })
})

test('with a pull request is stored what it is about, whom the comment names, and in shadow mode what counts', () => {
  const found = { ...CONFLICT, notables: NOTES }
  const related_ids = ['a', 'n']
  expect(decideOn(found).pull_request).toMatchObject({ changes: { related_ids }, named: ['#3'] })
  expect(decideOn(CONFLICT, { pr: SHOWN }).pull_request?.changes).toEqual({ related_ids: ['a'] })
  const charge = { commented_at: at(20), is_over_budget: false }
  expect(decideOn(found, SHADOW).pull_request?.changes).toEqual({ related_ids, ...charge })
  expect(decideOn(found, { ...SHADOW, pr: UNSEEN }).pull_request?.changes).toEqual({ related_ids })
  expect(decideOn(found, { subject: { pr: null } }).pull_request).toBeNull()
})

test('without a comparison the pairs stay, and the comment says so', () => {
  const decision = decideOn({}, { pr: WRITTEN }, {}, { conclusion: null, ledger: null })
  expect(decision).toMatchObject({ pairs: new Map(), notified: [], unshown: new Set() })
  const publication = { comment: text('**Not compared.**', false), check_run: null }
  expect(decision.pull_request).toMatchObject({ changes: { related_ids: [] }, named: [], publication })
})

const ROW = decideOn(CONFLICT).pairs.get('#3') as PairRow
const STORED = { ...ROW, seen_at: at(12) }
const ofBranch = { 'branch:three': { ...STORED, a: '#7', b: 'branch:three', seen_at: at(13) } }
const gone = { 'branch:three': null }
const DONE = decideOn({ done_by: DONE_BY }).pairs.get('#40') as PairRow
const both = { '#3': STORED }
const three = { pairs: both }
const lost = { ...three, absent: { '#3': { at: at(15), head: 'c' } } }
const total_related = 1
const incomplete = { checked_against: { ...NOTHING_FOUND.checked_against, complete: false } }
const pushed = { subject: { last_change: { at: at(18), received_at: at(18), is_exact: true, head: 'd' } } }
const [open, resolved] = [{ outcome: 'open' }, { outcome: 'resolved', ended_at: at(15) }]
const DONE_SIDES = { a: { author: 'ben', head: DONE_BY.head_sha } }
const isDone = { ...open, is_done: true, a: '#40', merged: 'a', merged_at: at(0), sides: DONE_SIDES }
const BY_41 = { ...DONE_BY, number: 41 }
const done = { pairs: { '#40': DONE } }
const ENDED = { ...DONE, outcome: 'given_up', ended_at: at(19) } as const

test.each<[string, Partial<Conclusion>, Ledger, object, Given?, object?]>([
  ['a new one', CONFLICT, {}, { '#3': { a: '#3', b: '#7', repo_id: 1, cause: 'b', ...open } }],
  ['one that is found again', CONFLICT, three, { '#3': { seen_at: at(12), notified_at: at(20) } }],
  ['changes apart', { collisions: [inLines(pull(3), inFile('far'))] }, {}, {}],
  ['work on no branch', { collisions: [inLines({}, PROVED)] }, {}, {}],
  ['in mode off', CONFLICT, {}, {}, {}, { ledger: null }],
  ['one of a branch that got #3', CONFLICT, { pairs: ofBranch }, { '#3': { seen_at: at(13) } }],
  ['… whose work ended', CONFLICT, { pairs: ofBranch, absent: gone }, { '#3': open }],
  ['… and has it itself', CONFLICT, { pairs: { ...both, ...ofBranch } }, { '#3': { seen_at: at(12) } }],
  ['one that is not found', {}, lost, { '#3': resolved }],
  ['… because the work ended', {}, { ...three, absent: { '#3': null } }, { '#3': { outcome: 'given_up' } }],
  ['… by a part of the work', {}, lost, { '#3': open }, {}, { is_partial: true }],
  ['… by a search that was cut short', incomplete, lost, { '#3': open }],
  ['… of work without files', { ...incomplete, emptiness: 'no_files' as never }, lost, { '#3': resolved }],
  ['… with more than what was compared', { total_related }, lost, { '#3': open }],
  ['… with no more than the work', { total_related, collisions: apart }, lost, { '#3': resolved }],
  ['… with no more than the notables', { total_related, notables: NOTES }, lost, { '#3': resolved }],
  ['a push while it stays unknown', incomplete, three, { '#3': open }, pushed],
  ['work that is done already', { done_by: DONE_BY }, {}, { '#40': isDone }],
  ['… on the base branch', { done_by: { ...DONE_BY, number: null } }, {}, {}],
  ['… on a branch', { done_by: DONE_BY }, {}, {}, { subject: { pr: null } }],
  ['… still, after a push', { done_by: DONE_BY }, done, { '#40': isDone }, pushed],
  ['… no more, after a push', {}, done, { '#40': { outcome: 'resolved', ended_at: at(18) } }, pushed],
  ['… by #41 as well', { done_by: BY_41 }, done, { '#40': { outcome: 'resolved' }, '#41': {} }, pushed],
  ['… and ended before', {}, { pairs: { '#40': ENDED } }, { '#40': ENDED }, pushed],
])('the pairs: %s', (_, found, stored, expected, given, more) => {
  const pairs = Object.fromEntries(decideOn(found, given, stored, more).pairs)
  expect(pairs).toMatchObject(expected)
  expect(Object.keys(pairs)).toEqual(Object.keys(expected))
})

const unnotified = { pairs: { '#3': { ...STORED, confidence: 'likely', notified_at: null } } } as const
const PERSON = { subject: { pr: null, key: 'branch:tidy', author: 'ada' } }

test.each<[string, Given, Ledger, string[]]>([
  ['a conflict', {}, {}, ['#7']],
  ['… that was likely before', {}, unnotified, ['#7']],
  ['… that was notified', {}, three, []],
  ['… of a branch', PERSON, {}, ['branch:tidy']],
  ['… of a bot’s pull request', { pr: { is_bot: true } }, {}, []],
  ['… of a login that is a bot’s', { pr: { author: 'renovate[bot]' } }, {}, []],
  ['… with a bot’s', { other: { is_bot: true } }, {}, []],
  ['nothing without an address', { repo: { id: 1, web_urls: ['x'], is_notified: false } }, {}, []],
])('a notification is posted about %s', (_, given, stored, expected) => {
  const { notified, pairs } = decideOn(CONFLICT, given, stored)
  expect(notified.map(({ b }) => b)).toEqual(expected)
  const told = stored === three ? at(20) : null
  expect(pairs.get('#3')?.notified_at).toEqual(expected.length > 0 ? at(20) : told)
})

const LATER = rules({ audience: 'later' })

test.each<[string, Given, string[]]>([
  ['that it brought about', LATER, ['#3']],
  ['… and both are told', {}, []],
  ['… and blocks', { ...LATER, subject: { activities: [{ blocking: true, assignee: null }] } }, []],
  ['that the other brought about', { ...LATER, opened_at: at(15) }, []],
])('only one side is shown a pair %s', (_, given, expected) => {
  expect([...decideOn(CONFLICT, given).unshown]).toEqual(expected)
})

const LEFT = 'Deconflict is not watching this repository any more (as of 2026-03-02).'
const STANDS = { comment_hash: 'shown', check_hash: 'run' }

test.each([
  ['where both stand', STANDS, true, true],
  ['where none was published', {}, false, false],
  ['where only the comment was', { comment_hash: 'shown' }, true, false],
  ['on a closed one', { ...STANDS, is_open: false }, true, false],
  ['where it stands already', { comment_hash: FAREWELL, check_hash: FAREWELL }, false, false],
  ['where it was refused', { ...STANDS, comment_refused: FAREWELL, check_refused: FAREWELL }, false, false],
])('when Deconflict leaves, it says so %s', (_, pr, comment, check) => {
  const row = { head_sha: 'a', ...UNPUBLISHED, ...pr } as unknown as PullRequestRow
  const said = { ...text(`\n\n${LEFT}`, false), hash: FAREWELL, charge: null }
  const run = { head_sha: 'a', title: LEFT, conclusion: 'neutral', summary: LEFT, annotations: [] }
  const check_run = check ? { run, hash: FAREWELL } : null
  expect(farewellTo(row, at(20))).toEqual({ comment: comment ? said : 'shows_none', check_run })
})
