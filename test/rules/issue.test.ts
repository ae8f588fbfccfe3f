/** Which issue a branch or a prompt names, and what is said about its holder. */
import { describe, expect, test } from 'vitest'
import {
  doneText,
  holderText,
  issueOfBranch,
  issueOfText,
  JOIN_OR_LEAVE,
} from '../../src/vocabulary/issue.ts'

describe('a branch names', () => {
  test.each([
    ['7-retry', 7],
    ['fix/7-retry', 7],
    ['claude/2147483647-retry', 2_147_483_647],
    ['issue-7', 7],
    ['issue-7-retry', 7],
    ['ISSUE-7_retry', 7],
    ['ada/issue-7', 7],
    ['gh-7', 7],
    ['GH-7-retry', 7],
    ['codex/gh-7-retry', 7],
  ])('%s: %i', (branch, issue) => expect(issueOfBranch(branch)).toBe(issue))

  test.each([
    null,
    ...`main 7 7- retry-7 v2-7 0042-carts release/2.7 2026-01-02-notes issue- issues-7 issue-0 my-issue-7 7-a/retry
    2147483648-retry`.split(/\s+/),
  ])('%j: none', (branch) => expect(issueOfBranch(branch)).toBeNull())
})

const REPOSITORY = { owner: 'acme', repo: 'shop', host: 'github.com' }

describe('a text names', () => {
  test.each([
    ['Fix #7', 7],
    ['#7', 7],
    ['Fix (#7), please: #7 is urgent', 7],
    ['Work on acme/Shop#7.', 7],
    ['https://github.com/acme/shop/issues/7', 7],
    ['Do https://github.com/acme/shop/issues/7#issuecomment-1 now', 7],
    ['Fix #7 like acme/other#8 and https://github.com/acme/other/issues/9', 7],
    ['Fix #7 as PR #8 and pull request #9 did', 7],
  ])('%s: %i', (text, issue) => expect(issueOfText(text, REPOSITORY)).toBe(issue))

  test.each([
    '',
    'Fix it',
    'Fix #7 and #8',
    'acme/other#7',
    'https://github.com/acme/other/issues/7',
    'https://example.com/acme/shop/issues/7',
    'https://github.com/acme/shop/pull/7',
    'Review PR #7',
    'the color #07f and &#39; and a#7 and ##7',
    '#2147483648',
    '# 7',
  ])('%s: none', (text) => expect(issueOfText(text, REPOSITORY)).toBeNull())
})

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
