/** What the end of a session does with the work of its working tree. */
import { expect, test } from 'vitest'
import { endingOf } from '../../src/cli/hook/ending.ts'

const MERGED = { is_continued: false, is_unmerged: false, is_declared: false }

test.each<[string, Partial<typeof MERGED>, ReturnType<typeof endingOf>]>([
  ['with nothing left to merge', {}, 'archived'],
  ['with nothing left to merge, which somebody declared', { is_declared: true }, null],
  ['that is not merged', { is_unmerged: true }, 'paused'],
  ['that is not merged, which somebody declared', { is_unmerged: true, is_declared: true }, 'paused'],
  ['that the next session goes on with at once', { is_continued: true, is_unmerged: true }, null],
])('the end of a session with work %s', (_, of, expected) => {
  expect(endingOf({ ...MERGED, ...of })).toBe(expected)
})
