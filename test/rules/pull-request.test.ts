/** What is read of GitHub's description of a pull request. */
import { expect, test } from 'vitest'
import { parsePullRequest } from '../../src/server/github/pull-request.ts'

const repo = { id: 1, default_branch: 'main' }
const PULL = {
  ...{
    number: 7,
    html_url: 'https://github.com/acme/shop/pull/7',
    title: 'Retry',
    state: 'open',
    labels: [],
  },
  ...{ created_at: '2026-03-02T09:00:00Z', updated_at: '2026-03-02T09:00:00Z', user: null },
  head: { ref: 'retry', sha: 'a'.repeat(40), repo },
  base: { ref: 'main', repo },
}

test.each<[string, object, object]>([
  ['without an account', { user: null }, { author: 'ghost', is_bot: false }],
  ['of a deleted fork', { head: { ...PULL.head, repo: null, label: 'eve:main' } }, { branch: 'eve:main' }],
  ['without a body', { body: null }, { summary: 'Retry' }],
  ['with 5,000 characters', { body: 'x'.repeat(5000) }, { summary: 'x'.repeat(4000) }],
  ['with characters that a database rejects', { body: 'a\u0000b\ud800c' }, { summary: 'ab\ufffdc' }],
])('a pull request %s is read', (_, given, expected) => {
  expect(parsePullRequest({ ...PULL, ...given })).toMatchObject(expected)
})

test.each([
  ['NONE', true],
  ['FIRST_TIMER', true],
  ['FIRST_TIME_CONTRIBUTOR', true],
  ['CONTRIBUTOR', false],
  [undefined, false],
])('an author whose association is %s is a newcomer: %s', (author_association, expected) => {
  expect(parsePullRequest({ ...PULL, author_association }).is_by_newcomer).toBe(expected)
})

test.each([
  [{ number: 50, position: 2 }, 50],
  [{ number: 0, position: 1 }, null],
  ['50', null],
  [null, null],
])('a stack of the form %j has the number %j', (stack, expected) => {
  expect(parsePullRequest({ ...PULL, stack }).stack_number).toBe(expected)
})
