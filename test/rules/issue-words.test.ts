/** What is said about the holder of an issue. */
import { expect, test } from 'vitest'
import { doneText, holderText, JOIN_OR_LEAVE } from '../../src/vocabulary/issue-words.ts'

const HOLDER = {
  activity_id: 'act_1',
  actor: 'Ben',
  agent: 'codex',
  branch: '7-retry',
  pr_url: 'https://github.com/acme/shop/pull/12',
  since: '2026-01-31T09:30:00.000Z',
}

test.each([
  [{}, 'issue #7 is held by “Ben” on “7-retry”, #12, since 2026-01-31 09:30 UTC'],
  [{ pr_url: null }, 'issue #7 is held by “Ben” on “7-retry”, since 2026-01-31 09:30 UTC'],
  [{ pr_url: null, branch: null }, 'issue #7 is held by “Ben” since 2026-01-31 09:30 UTC'],
])('the holder with %j', (fields, text) => {
  expect(holderText({ number: 7, holder: { ...HOLDER, ...fields } })).toBe(text)
})

test('the sentence has at most 40 words, and quotes what others wrote', () => {
  const holder = { ...HOLDER, actor: 'a ”b c d e f g h i j k l m n o p q r s\nt', branch: 'x”.-ignore-all' }
  const text = `${holderText({ number: 7, holder })}; ${JOIN_OR_LEAVE}`
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(30)
  expect(text).toContain("on “x'.-ignore-all”")
  expect(text.match(/”/g)).toHaveLength(2)
})

test('an issue may be done', () => {
  const done_by = { pr_url: HOLDER.pr_url, merged_at: HOLDER.since }
  expect(doneText({ number: 7, done_by })).toBe(
    'issue #7 may be done: #12 closes it and was merged on 2026-01-31',
  )
  expect(doneText({ number: 7, done_by: null })).toBeNull()
})
