/** The digest of a patch: hashes of lines, positions of blocks, and the stored bytes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIGEST_LINES_MAX, decodeDigest, digestOf, encodeDigest } from '../../src/engine/lines/digest.ts'
import { isTelling, KEY_BYTES, lineHasher, trimmedHash } from '../../src/engine/lines/line-hash.ts'
import { digest, hash } from '../support/lines.ts'
import { randomMerges } from '../support/random-merges.ts'

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
    expect(trimmedHash(a)).toBe(trimmedHash(b))
  })

  test('distinguishes a last line without a newline from one with it', () => {
    expect(hash('return null', false).word).not.toBe(hash('return null', true).word)
  })

  test.each([
    ['return null', true],
    ['   }        ', false],
    ['if (a) b', false],
    ['if (abc) d', true],
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

  test('contains no line of the patch', () => {
    const [merge] = randomMerges(1, { material: 'different', drifts: false, seed: 1 })
    const rows = (merge?.ours ?? '').split('\n').filter(Boolean)
    const patch = `@@ -0,0 +1,${rows.length} @@\n${rows.map((row) => `+${row}`).join('\n')}`
    expect(Buffer.from(encodeDigest(digest(patch))).toString('latin1')).not.toContain('something')
  })
})
