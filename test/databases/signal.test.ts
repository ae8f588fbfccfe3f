/** `GET …/signal`: which pairs were shown, and what became of them. */
import { expect, test } from 'vitest'
import { pull_requests } from '../../src/server/records/pull-requests/table.ts'
import { pairs } from '../../src/server/tell/table.ts'
import type { Signal } from '../../src/vocabulary/contract/signal.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const DAY_MS = 86_400_000
const { fixture, repository } = usePullRequests()

const signal = async (): Promise<Signal> => {
  const { status, body } = await repository.request('GET', '/signal')
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const db = () => fixture.service.app.database.connection()
const daysAgo = (days: number) => new Date(fixture.service.clock.now.getTime() - days * DAY_MS)

const by_consequence = { same_work: 0, same_number: 0, conflict: 0, possible: 0 }
const NONE = { shown: 0, resolved: 0, merged_anyway: 0, given_up: 0, open: 0, by_consequence }

test('the report is empty for a repository without pull requests', async () => {
  expect(await signal()).toEqual({
    mode: 'on',
    budget: { share: null, limit: 0.15, in_force: false },
    periods: [7, 30].map((days) => ({
      days,
      pairs: NONE,
      comments: { posted: 0, edited: 0 },
      feedback: { up: 0, down: 0 },
    })),
    recent: [],
  })
})

test('the report counts each pair by when it was first shown', async () => {
  const row = (number: number, outcome: 'resolved' | 'given_up', days: number) => ({
    repo_id: repository.id,
    a: '#1',
    b: `#${number}`,
    sides: {
      a: { author: 'Ada', active_at: daysAgo(days).toISOString(), head: null },
      b: { author: 'ben', active_at: daysAgo(days).toISOString(), head: null },
    },
    consequence: 'conflict' as const,
    files: [{ path: 'src/pay.ts', a: null, b: null }],
    seen_at: daysAgo(days),
    a_shown_at: daysAgo(days),
    b_shown_at: daysAgo(days - 1),
    outcome,
    ended_at: daysAgo(days),
  })
  await db()
    .insert(pairs)
    .values([row(2, 'resolved', 5), row(3, 'given_up', 8), row(4, 'resolved', 30.5)])
  expect((await signal()).periods).toMatchObject([
    { days: 7, pairs: { shown: 1, resolved: 1, given_up: 0, by_consequence: { conflict: 1 } } },
    { days: 30, pairs: { shown: 2, resolved: 1, given_up: 1, by_consequence: { conflict: 2 } } },
  ])
})

test('the report and the settings show when the budget is in force', async () => {
  const pull = (number: number) => ({
    repo_id: repository.id,
    number,
    is_open: false,
    is_draft: false,
    is_bot: number === 21,
    is_muted: false,
    is_behind: false,
    author: number === 21 ? 'renovate[bot]' : 'ada',
    head_sha: 'a'.repeat(40),
    title: 'Retry payments',
    branch: 'retries',
    base_branch: 'main',
    pushed_at: daysAgo(2),
    push_received_at: daysAgo(2),
    opened_at: daysAgo(2),
    changed_at: daysAgo(2),
    related_ids: [],
    commented_at: [1, 2, 3, 4, 21].includes(number) ? daysAgo(2) : null,
  })
  const budget = async () => (await repository.request('GET', '/settings')).body.budget
  const rows = Array.from({ length: 21 }, (_, at) => pull(at + 1))
  await db().insert(pull_requests).values(rows.slice(1))
  expect(await budget()).toEqual({ share: 3 / 19, limit: 0.15, in_force: false })
  await db().insert(pull_requests).values(rows.slice(0, 1))
  expect(await budget()).toEqual({ share: 0.2, limit: 0.15, in_force: true })
  expect((await signal()).budget).toEqual({ share: 0.2, limit: 0.15, in_force: true })
})
