/** Patches in the formats of GitHub and git, and their digest: hashes of lines, positions of blocks, and the stored bytes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIGEST_LINES_MAX, decodeDigest, digestOf, encodeDigest } from '../../src/engine/lines/digest.ts'
import { isTelling, KEY_BYTES, lineHasher, trimmedHash } from '../../src/engine/lines/line-hash.ts'
import { PatchError, readPatch } from '../../src/engine/lines/patch.ts'
import { digest, hash } from '../support/lines.ts'

describe('the hash of a line', () => {
  test('depends on the key of the repository', () => {
    const other = lineHasher(new Uint8Array(KEY_BYTES).fill(8))
    expect(hash('return null', true).word).not.toBe(other('return null', true).word)
    expect(() => lineHasher(new Uint8Array(8))).toThrow('a key has 16 bytes, not 8')
  })

  test.each([
    ['indentation', '  return null', '    return null'],
    ['kind of whitespace', '\treturn null', ' return null'],
    ['the end of the line', 'return null', 'return null\r'],
    ['whitespace that moves to the other side', ' return null', 'return null '],
  ])('distinguishes lines by their %s, and finds the same text in them', (_, one, other) => {
    const [a, b] = [hash(one, true), hash(other, true)]
    expect(a.word).not.toBe(b.word)
    expect([a, b].map(trimmedHash)).toEqual(Array(2).fill(hash('return null', true).word >>> 1))
  })

  // Stored digests are compared with new ones.
  test.each([
    ['return null', true, 4274315737, 0],
    ['return null', false, 3479712613, 1750182086],
    ['\treturn null ', true, 1079027157, 549839358],
  ])('is always the same: of %j, which ends with a newline: %s', (line, ends, word, shape) => {
    expect(lineHasher(new Uint8Array(KEY_BYTES).fill(7))(line, ends)).toEqual({ word, shape })
  })

  test.each([
    ['return null', true],
    ['   }        ', false],
    ['if (a) b', false],
    ['  return x', false],
    ['return xy', true],
    ['a += b - c * d', false],
    ['вернуть всё', true],
    ['', false],
  ])('%j is telling: %s', (line, telling) => {
    expect(isTelling(hash(line, true).word)).toBe(telling)
  })
})

describe('blocks', () => {
  const blocks = (patch: string) => digest(patch).blocks.map(({ start, end }) => [start, end])

  test.each([
    ['a change', '@@ -4,3 +4,3 @@\n a\n-b\n+c\n d', [[5, 6]]],
    ['an insertion', '@@ -4,2 +4,3 @@\n a\n+c\n d', [[5, 5]]],
    [
      'two in one hunk',
      '@@ -1,5 +1,5 @@\n-a\n+b\n c\n d\n e\n-f\n+g',
      [
        [1, 2],
        [5, 6],
      ],
    ],
    ['an insertion that could be shown further down', '@@ -1,4 +1,6 @@\n a\n+\n+b\n \n c\n d', [[3, 3]]],
    ['a removal that could be shown further down', '@@ -1,5 +1,3 @@\n a\n-x\n-y\n x\n b', [[3, 5]]],
    ['a change in place, which cannot move', '@@ -1,4 +1,4 @@\n a\n-x\n+b\n b\n c', [[2, 3]]],
  ])('of %s are where a merge puts them', (_, patch, expected) => {
    expect(blocks(patch)).toEqual(expected)
  })

  test('that move down have their lines in the order of the new place', () => {
    const moved = digest('@@ -1,3 +1,5 @@\n a\n+\n+b\n \n c')
    expect([...moved.added]).toEqual(['b', ''].map((line) => hash(line, true).word))
  })
})

test('a patch with more lines than the limit has no digest', () => {
  const patch = (lines: number) => `@@ -0,0 +1,${lines} @@\n${'+x\n'.repeat(lines)}`
  expect(digestOf(patch(DIGEST_LINES_MAX), hash)?.added).toHaveLength(DIGEST_LINES_MAX)
  expect(digestOf(patch(DIGEST_LINES_MAX + 1), hash)).toBeNull()
})

describe('a digest as bytes', () => {
  const line = fc.oneof(
    fc.constantFrom('', '}', '  return null', '\treturn null', 'a longer line'),
    fc.string(),
  )
  const text = line.map((each) => each.replaceAll(/[\n\r]/g, ''))
  const hunk = fc.record({
    gap: fc.integer({ min: 0, max: 500_000 }),
    rows: fc.array(fc.tuple(fc.constantFrom(' ', '-', '+'), text), { minLength: 1, maxLength: 30 }),
  })
  const patch = fc.array(hunk, { minLength: 1, maxLength: 5 }).map((hunks) => {
    let start = 1
    return hunks
      .map(({ gap, rows }) => {
        start += gap
        const [base, now] = ['+', '-'].map((mark) => rows.filter(([kind]) => kind !== mark).length) as [
          number,
          number,
        ]
        const header = `@@ -${base === 0 ? start - 1 : start},${base} +${start},${now} @@`
        start += base
        return [header, ...rows.map((row) => row.join(''))].join('\n')
      })
      .join('\n')
  })

  test('is decoded to the same digest', () => {
    fc.assert(
      fc.property(patch, (each) => {
        expect(decodeDigest(encodeDigest(digest(each)))).toEqual(digest(each))
      }),
    )
  })

  test('of a submodule is marked as such', () => {
    const bump = `@@ -1 +1 @@\n-Subproject commit ${'a'.repeat(40)}\n+Subproject commit ${'b'.repeat(40)}`
    expect(decodeDigest(encodeDigest(digest(bump)))?.is_submodule).toBe(true)
  })

  test('counts as none if it is cut off or has trailing bytes', () => {
    fc.assert(
      fc.property(patch, fc.nat(), (each, at) => {
        const bytes = encodeDigest(digest(each))
        expect(decodeDigest(bytes.slice(0, at % bytes.length))).toBeNull()
        expect(decodeDigest(Uint8Array.from([...bytes, 0]))).toBeNull()
      }),
    )
  })

  test('of random bytes counts as none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isVersioned) => {
        const nonsense = Uint8Array.from(isVersioned ? [4, 0, 0, 0, ...bytes, 255] : bytes)
        expect(decodeDigest(nonsense)).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })
})

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
])('a patch is read %s', (_, patch, hunks) => {
  expect(shown(patch)).toEqual(hunks)
})

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
])('a patch is rejected %s', (_, patch, message) => {
  expect(() => read(patch)).toThrow(PatchError)
  expect(() => read(patch)).toThrow(message)
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
