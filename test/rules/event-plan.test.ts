/** What an event of a pull request changes. */
import { describe, expect, test } from 'vitest'
import {
  type ActivityPlan,
  type Current,
  changesQueue,
  isEnd,
  isQueued,
  needsRecheck,
  type PullRequestEvent,
  planOf,
} from '../../src/server/github/tracking/event-plan.ts'
import type { PullRequestRow } from '../../src/server/records/pull-requests/table.ts'

const CURRENT: Current = {
  is_open: true,
  is_draft: false,
  head_sha: 'a1',
  base_branch: 'main',
  title: 'Retry payments',
  summary_hash: 'retries',
  changed_at: new Date('2026-03-02T09:00:00Z'),
}
/** Stored, unless a test changes it: the same pull request. */
const STORED = {
  ...CURRENT,
  is_queued: false,
  queue_changed_at: null,
  is_behind: false,
  is_muted: false,
  comment_id: null,
} as PullRequestRow

const NOTHING: ActivityPlan = { link: false, track: false, refresh: null }
const FIELDS = { title: false, summary: false, base_branch: false, files: false }
const refresh = (changed: Partial<typeof FIELDS> = {}): ActivityPlan => ({
  ...NOTHING,
  refresh: { ...FIELDS, ...changed },
})
const imported = ({ title = false, summary = false } = {}): ActivityPlan => ({
  link: true,
  track: true,
  refresh: { title, summary, base_branch: true, files: true },
})

describe('the activities of an open pull request', () => {
  const next = { base_branch: 'next' }
  const edit = { title: true, summary: true, base_branch: true }
  test.each<[string, PullRequestEvent, Partial<PullRequestRow> | 'none', Partial<Current>, ActivityPlan]>([
    ['opened', 'opened', 'none', {}, imported()],
    ['opened, delivered again', 'opened', {}, {}, imported()],
    ['reopened', 'reopened', { is_open: false }, {}, imported()],
    ['stored as closed, its reopening missed', 'other', { is_open: false }, {}, imported()],
    ['an earlier event was not applied', 'other', { is_behind: true }, {}, imported()],
    ['edited after one', 'edited', { is_behind: true }, {}, imported({ title: true, summary: true })],
    ['pushed', 'files', {}, { head_sha: 'b2' }, refresh({ files: true })],
    ['pushed, the head already stored', 'files', {}, {}, refresh({ files: true })],
    ['a push that was missed', 'other', {}, { head_sha: 'b2' }, refresh({ files: true })],
    ['another base', 'edited', {}, next, refresh({ ...edit, files: true })],
    ['a base change that was missed', 'other', {}, next, refresh({ base_branch: true, files: true })],
    ['edited', 'edited', {}, {}, refresh(edit)],
    ['read, unchanged', 'seen', {}, {}, refresh()],
    ['read, with another title', 'seen', { title: 'Retry' }, {}, refresh({ title: true, base_branch: true })],
    ['read, with another summary', 'seen', { summary_hash: 'other' }, {}, refresh({ summary: true })],
    ['read, with a summary not known before', 'seen', { summary_hash: null }, {}, refresh({ summary: true })],
    ['another summary with an event that keeps it', 'other', { summary_hash: 'other' }, {}, NOTHING],
    ['another title with an event that keeps it', 'other', { title: 'Retry' }, {}, NOTHING],
    ['converted to draft', 'draft', { is_draft: false }, { is_draft: true }, { ...NOTHING, link: true }],
    ['a conversion that was missed', 'other', { is_draft: true }, {}, { ...NOTHING, link: true }],
    ['labeled', 'other', {}, {}, NOTHING],
    ['unlocked', 'unlocked', {}, {}, NOTHING],
    ['enqueued for merge', 'queued', {}, {}, NOTHING],
    ['an event of an unknown pull request', 'other', 'none', {}, NOTHING],
  ])('%s', (_, event, stored, changed, plan) => {
    const before = stored === 'none' ? undefined : { ...STORED, ...stored }
    expect(planOf(event, { ...CURRENT, ...changed }, { before, is_untracked: false })).toEqual(plan)
  })

  test('every event imports a pull request that has none', () => {
    expect(planOf('other', CURRENT, { before: STORED, is_untracked: true })).toEqual(imported())
  })
})

test.each<[PullRequestEvent, boolean | undefined, boolean, boolean]>([
  ['closed', true, false, true],
  ['closed', false, false, true],
  ['closed', undefined, false, true],
  ['seen', true, false, true],
  ['other', false, false, false],
  ['other', undefined, false, false],
  ['other', true, true, false],
])('%s, open before: %s, open now: %s; its work ends: %s', (event, wasOpen, is_open, ends) => {
  const before = wasOpen === undefined ? undefined : { ...STORED, is_open: wasOpen }
  expect(isEnd(event, { ...CURRENT, is_open }, before)).toBe(ends)
})

test.each<[string, PullRequestEvent, Partial<PullRequestRow>, Partial<Current>, boolean]>([
  ['enters', 'queued', {}, {}, true],
  ['stays with a label', 'other', { is_queued: true }, {}, true],
  ['leaves', 'dequeued', { is_queued: true }, {}, false],
  ['leaves with a push', 'files', { is_queued: true }, { head_sha: 'b2' }, false],
  ['leaves as a draft', 'draft', { is_queued: true }, { is_draft: true }, false],
  ['leaves with the merge', 'closed', { is_queued: true }, { is_open: false }, false],
  ['does not enter by itself', 'other', {}, {}, false],
])('a pull request %s the merge queue', (_, event, stored, changed, expected) => {
  expect(isQueued(event, { ...CURRENT, ...changed }, { ...STORED, ...stored })).toBe(expected)
})

test.each<[string, PullRequestEvent, Date | null, boolean]>([
  ['the first event', 'queued', null, true],
  ['an event of the same second as the last one', 'dequeued', CURRENT.changed_at, true],
  ['one before the last one, which arrives after it', 'dequeued', new Date('2026-03-02T09:00:01Z'), false],
  ['a label', 'other', null, false],
])('%s changes the merge queue or not', (_, event, queue_changed_at, expected) => {
  expect(changesQueue(event, CURRENT, { queue_changed_at })).toBe(expected)
})

test.each<[string, PullRequestEvent, Partial<PullRequestRow> | null, boolean]>([
  ['a push', 'files', {}, true],
  ['an edit', 'edited', {}, true],
  ['a label', 'other', {}, false],
  ['a label where there is a comment', 'other', { comment_id: 7 }, true],
  ['the label that mutes it', 'other', { is_muted: true }, true],
  ['a label after a push whose event was missed', 'other', { head_sha: 'a0' }, true],
  ['a label after a change of the base branch', 'other', { base_branch: 'next' }, true],
  ['a label after an event that could not be applied', 'other', { is_behind: true }, true],
  ['a label of one that was never seen', 'other', null, true],
])('%s rechecks the pull request: %s, stored %o: %s', (_, event, stored, expected) => {
  const before = stored === null ? undefined : { ...STORED, ...stored }
  expect(needsRecheck(event, { ...CURRENT, is_muted: false }, before)).toBe(expected)
})
