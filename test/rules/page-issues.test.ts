/** Which issues the page shows. */
import { expect, test } from 'vitest'
import { liveWork, sharedIssues } from '../../src/page/live-work.ts'
import { pageActivity, pageOverlap } from '../support/page-records.ts'

const shown = (...given: Parameters<typeof liveWork>) =>
  sharedIssues(liveWork(...given)).map(({ number, activities }) => [number, activities.map(({ id }) => id)])

test('an issue is shown if two or more are on it, those with the most first', () => {
  const on = (id: string, issue: number | null) => pageActivity(id, { issue })
  const work = [
    on('d', 8),
    on('c', 8),
    on('b', 7),
    on('a', 9),
    on('e', 8),
    on('f', 9),
    on('g', null),
    on('h', null),
  ]
  expect(shown(work, [])).toEqual([
    [8, ['c', 'd', 'e']],
    [9, ['a', 'f']],
  ])
})

test('so is one that two pull requests close beside others', () => {
  const work = [pageActivity('a', { issue: 7 }), pageActivity('b', { issue: 8 })]
  const findings = [{ kind: 'issue' as const, issue: 9 }]
  expect(shown(work, [{ ...pageOverlap('a', 'b', 'high'), findings }])).toEqual([[9, ['a', 'b']]])
})
