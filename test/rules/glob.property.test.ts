/** Compares glob decisions on every short path with the paths that both globs match, and with picomatch; `glob.test.ts` has the rules. */
import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import {
  alternativesOf,
  type Glob,
  GlobError,
  literalDir,
  matchesPath,
  parseGlob,
} from '../../src/vocabulary/scope/glob.ts'
import { intersect, overlaps } from '../support/glob-pairs.ts'

/** Pairs per test. Set the variable for a longer run. */
const RUNS = Number(process.env.GLOB_RUNS ?? 150)

// Every path of one name of up to three characters, or of two or three names of up to two.

const LETTERS = ['a', 'b', '.']
const upTo2 = [...LETTERS, ...LETTERS.flatMap((x) => LETTERS.map((y) => x + y))].filter(isName)
const upTo3 = [...upTo2, ...LETTERS.flatMap((x) => upTo2.filter((y) => y.length === 2).map((y) => x + y))]
const PATHS = [
  ...upTo3,
  ...upTo2.flatMap((x) => upTo2.map((y) => `${x}/${y}`)),
  ...upTo2.flatMap((x) => upTo2.flatMap((y) => ['a', 'b', '.b', 'ba'].map((z) => `${x}/${y}/${z}`))),
]

function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..'
}

function read(source: string): Glob | null {
  try {
    return parseGlob(source)
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}

const pieces = fc.constantFrom(
  ...'a b . * * ? / / ** **/ /**/ *a b* .* ?? { , } \\* \\['.split(' '),
  ...'[ab] [!a] [.] [^.b] [b-a] [a-b] [.-b] [{,}] {a,b} {a,*} {,b} {a/b,*} {*,**}'.split(' '),
)
const anyGlob = fc
  .array(pieces, { minLength: 1, maxLength: 7 })
  .map((some) => some.join(''))
  .filter((source) => read(source) !== null)

/** Checks the decision on a pair against the paths that match both by `matcherOf`. */
function expectExact(a: string, b: string, matcherOf: (glob: string) => (path: string) => boolean): void {
  const [x, y] = [parseGlob(a), parseGlob(b)]
  const [isInA, isInB] = [matcherOf(a), matcherOf(b)]
  const example = intersect(x, y)
  const both = PATHS.filter((path) => isInA(path) && isInB(path))
  if (both.length > 0) expect(example).not.toBeNull()
  expect(overlaps(x, y)).toBe(example !== null)
  expect(overlaps(y, x)).toBe(example !== null)
  if (example === null) return
  expect(example.split('/').every(isName), example).toBe(true)
  expect(isInA(example), example).toBe(true)
  expect(isInB(example), example).toBe(true)
}

test('the decision and its example agree with the paths that both globs match', () => {
  const matcherOf = (source: string) => {
    const glob = parseGlob(source)
    return (path: string) => matchesPath(glob, path)
  }
  fc.assert(
    fc.property(anyGlob, anyGlob, (a, b) => expectExact(a, b, matcherOf)),
    { numRuns: RUNS },
  )
})

test('every match of a glob is in the directory that its text starts with', () => {
  fc.assert(
    fc.property(fc.constantFrom('', 'a', 'a/', './a//b.', 'a/./b/'), anyGlob, (front, source) => {
      const glob = read(front + source)
      if (glob === null) return
      const dir = literalDir(front + source)
      for (const alternative of alternativesOf(glob))
        expect(`${alternative.dir}/`.startsWith(dir === '' ? '' : `${dir}/`)).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

// Globs with the same meaning for picomatch and the contract: no `.` segment; no `**` and no plain name at the end; no
// negated class, because picomatch does not match its own text; no `**` within a segment, which picomatch treats as a
// globstar if a brace follows. Options: with `dot`, wildcards match dot files; with `nonegate` and `noextglob`, `!` and
// parentheses are plain characters; with `posix`, `[!a]` negates; `fastpaths` is off, because the one for `*.*` misses `a.`.
const segment = fc
  .array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '{a,b}', '{a,b*}'), { minLength: 1, maxLength: 4 })
  .map((some) => some.join(''))
  .filter((text) => !text.includes('**') && (text.includes('{') || isName(text)))
/** Each of its alternatives has a wildcard. */
const wildSegment = segment.filter((text) => /[*?[]/.test(text.replaceAll(/\{.*?\}/g, '')))
const sharedGlob = fc
  .tuple(fc.array(fc.oneof(segment, fc.constant('**')), { maxLength: 3 }), wildSegment)
  .map(([front, last]) => [...front, last].join('/'))
  .filter((source) => read(source) !== null)

const PICOMATCH = { dot: true, nonegate: true, noextglob: true, posix: true, fastpaths: false }

test('the decision and its example agree with picomatch on every short path', () => {
  fc.assert(
    fc.property(sharedGlob, sharedGlob, (a, b) => expectExact(a, b, (glob) => picomatch(glob, PICOMATCH))),
    { numRuns: RUNS },
  )
})
