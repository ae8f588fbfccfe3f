/** Patches in the formats of GitHub and git, and invalid patches. */
import { describe, expect, test } from 'vitest'
import { PatchError, readPatch } from '../../src/engine/lines/patch.ts'

const read = (patch: string) => [...readPatch(patch, 1000)]

/** Each hunk as its first line number and its lines, in the format of the patch; `|` marks a last line without a newline. */
function shown(patch: string): string[] {
  const marks = { context: ' ', removed: '-', added: '+' }
  return read(patch).map(
    ({ start, lines }) =>
      `${start}:${lines.map(({ kind, text, ends }) => marks[kind] + text + (ends ? '' : '|')).join(',')}`,
  )
}

const NO_END = '\\ No newline at end of file'

describe('a patch is read', () => {
  test.each([
    [
      'as GitHub sends it',
      '@@ -3,3 +3,4 @@ function a() {\n one\n+two\n three\n four',
      ['3: one,+two, three, four'],
    ],
    [
      'as git diff writes it',
      'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n',
      ['1: one,-two,+TWO'],
    ],
    ['with omitted counts', '@@ -7 +7 @@\n-one\n+two', ['7:-one,+two']],
    ['of a file that is added', '@@ -0,0 +1,2 @@\n+one\n+two', ['1:+one,+two']],
    ['of a file that is removed', '@@ -1,2 +0,0 @@\n-one\n-two', ['1:-one,-two']],
    ['without context, where an insertion names the line before', '@@ -4,0 +5 @@\n+new', ['5:+new']],
    ['of several hunks', '@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n', ['1:-a,+b', '9:-c,+d']],
    ['with a last line without a newline, on one side', `@@ -1 +1 @@\n-a\n${NO_END}\n+a`, ['1:-a|,+a']],
    ['… on both sides', `@@ -1,2 +1,2 @@\n x\n-a\n${NO_END}\n+b\n${NO_END}`, ['1: x,-a|,+b|']],
    ['with CRLF lines', '@@ -1,2 +1,2 @@\n \r\n-a\r\n+b\r\n', ['1: \r,-a\r,+b\r']],
    ['with empty context that lost its space', '@@ -1,3 +1,3 @@\n\n-a\n+b\n\n', ['1: ,-a,+b, ']],
    ['with empty context at its end', '@@ -1,2 +1,2 @@\n-a\n+b\n\n', ['1:-a,+b, ']],
    ['with lines like headers', '@@ -1,2 +1,2 @@\n--- a\n+++ b\n @@ -1 @@', ['1:--- a,+++ b, @@ -1 @@']],
  ])('%s', (_, patch, hunks) => {
    expect(shown(patch)).toEqual(hunks)
  })
})

describe('a patch is rejected', () => {
  test.each([
    ['without a hunk', 'Binary files a/x and b/x differ', 'has no @@ hunk'],
    ['that is empty', '', 'has no @@ hunk'],
    ['of a merge', '@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b', 'has no @@ hunk'],
    ['that ends too early', '@@ -1,3 +1,3 @@\n one\n-two', 'line 1: the counts of @@ -1,3 +1,3 @@'],
    ['that lacks its last line', '@@ -1,2 +1,2 @@\n-a\n+b\n', 'line 1: the counts'],
    ['with too many removed lines', '@@ -1,1 +1,2 @@\n-a\n-b\n+c', 'line 1: the counts'],
    ['with too many added lines', '@@ -1,2 +1,1 @@\n+a\n+b', 'line 1: the counts'],
    ['with lines beyond its counts', '@@ -1 +1 @@\n-a\n+b\n c', 'line 4: " c" is beyond the counts'],
    ['with blank lines beyond its counts', '@@ -1 +1 @@\n-a\n+b\n\n\n', 'line 4: "" is beyond the counts'],
    ['of two files', '@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y', 'line 4: a second file begins'],
    ['with hunks out of order', '@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-c\n+d', 'line 4: hunks must be in order'],
    ['whose hunks overlap', '@@ -1,2 +1 @@\n-a\n b\n@@ -2 +1 @@\n-b\n+c', 'line 4: hunks must be in order'],
    ['whose marker follows no line', `@@ -1 +1 @@\n${NO_END}`, 'line 2: this marker must follow'],
  ])('%s', (_, patch, message) => {
    expect(() => read(patch)).toThrow(PatchError)
    expect(() => read(patch)).toThrow(message)
  })
})

test('lines beyond the limit are validated, but not returned', () => {
  const patch = (end: string) =>
    `@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9 +9 @@\n-d\n\\ No newline at end of file\n${end}`
  const lines = (text: string, most: number) => [...readPatch(text, most)].map((hunk) => hunk.lines.length)
  expect(lines(patch('+e'), 5)).toEqual([3, 2])
  expect(lines(patch('+e'), 4)).toEqual([3, 1])
  expect(lines(patch('+e'), 2)).toEqual([2, 0])
  expect(() => lines(patch('?e'), 2)).toThrow('line 5: the counts of @@ -9 +9 @@')
})
