/** Where the lines of a change stand in the changed file. */
import { describe, expect, test } from 'vitest'
import { headLinesOf } from '../../src/engine/lines/pair-verdict.ts'
import type { LineRange } from '../../src/vocabulary/verdict.ts'
import { digest } from '../support/lines.ts'

describe('the head lines of a patch with an inserted, a changed, a removed and a replaced place', () => {
  const patch = [
    '@@ -1,4 +1,6 @@\n one\n+x\n+y\n two\n three\n four',
    '@@ -10,5 +12,5 @@\n ten\n-eleven\n+ELEVEN\n twelve\n thirteen\n fourteen',
    '@@ -20,5 +22,3 @@\n twenty\n-a\n-b\n c\n d',
    '@@ -30,4 +30,5 @@\n thirty\n-e\n-f\n+E\n+F\n+G\n h',
  ].join('\n')

  test.each<[string, LineRange, LineRange | null]>([
    ['the insertion', [2, 2], [2, 3]],
    ['the changed line, after two inserted ones', [11, 11], [13, 13]],
    ['the line before the removed ones', [21, 22], [22, 22]],
    ['the replaced lines, of which there are more', [31, 32], [31, 33]],
    ['all that is within the range', [2, 22], [2, 22]],
    ['nothing, where nothing is changed', [15, 18], null],
  ])('are %s', (_, range, expected) => {
    expect(headLinesOf(digest(patch), range)).toEqual(expected)
  })
})

test('the head lines of an emptied file are its first line', () => {
  expect(headLinesOf(digest('@@ -1,2 +0,0 @@\n-a\n-b'), [1, 2])).toEqual([1, 1])
})

test('the head lines of a new file are its lines', () => {
  expect(headLinesOf(digest('@@ -0,0 +1,3 @@\n+a\n+b\n+c'), [1, 1])).toEqual([1, 3])
})
