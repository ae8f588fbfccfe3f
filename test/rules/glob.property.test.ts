/** Compares glob decisions on every short path with an oracle written from docs/contract/overlap.md#paths, and with picomatch. */
import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import {
  alternativesOf,
  type Glob,
  GlobError,
  literalDir,
  parseGlob,
} from '../../src/vocabulary/scope/glob.ts'
import { matchesPath } from '../../src/vocabulary/scope/intersect.ts'
import { intersect, overlaps } from '../support/glob-pairs.ts'

/** Pairs per test. Set the variable for a longer run. */
const RUNS = Number(process.env.GLOB_RUNS ?? 150)
/** The maximum number of brace alternatives. */
const ALTERNATIVES_MAX = 64
const plenty = () => ({ remaining: 10_000_000 })

// The oracle: the rules written as directly as possible, regardless of speed.

function expand(glob: string): string[] {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++
    else if (glob[at] === '[') at = classEnd(glob, at)
    else if (glob[at] === '{') {
      const group = groupAt(glob, at)
      if (group === null) continue
      return group.branches.flatMap((branch) =>
        expand(glob.slice(0, at) + branch + glob.slice(group.end + 1)),
      )
    }
  }
  return [glob]
}

function groupAt(glob: string, open: number): { branches: string[]; end: number } | null {
  const branches: string[] = []
  let depth = 0
  let from = open + 1
  for (let at = open; at < glob.length; at++) {
    if (glob[at] === '\\') at++
    else if (glob[at] === '[') at = classEnd(glob, at)
    else if (glob[at] === '{') depth++
    else if (glob[at] === ',' && depth === 1) {
      branches.push(glob.slice(from, at))
      from = at + 1
    } else if (glob[at] === '}' && --depth === 0) {
      branches.push(glob.slice(from, at))
      return branches.length > 1 ? { branches, end: at } : null
    }
  }
  return null
}

function classEnd(glob: string, open: number): number {
  let at = open + 1
  while (glob[at] !== ']') at += glob[at] === '\\' ? 2 : 1
  return at
}

function classHolds(text: string, character: string): boolean {
  const negated = /^\[[!^]/.test(text)
  const inner = text.slice(negated ? 2 : 1, -1)
  let holds = false
  for (let at = 0; at < inner.length; ) {
    const low = inner[at] as string
    const high = inner[at + 2]
    const isRange = inner[at + 1] === '-' && high !== undefined
    if (isRange ? low <= character && character <= high : low === character) holds = true
    at += isRange ? 3 : 1
  }
  return holds !== negated
}

function nameMatches(glob: string, name: string): boolean {
  if (glob === '') return name === ''
  if (glob[0] === '*')
    return nameMatches(glob.slice(1), name) || (name !== '' && nameMatches(glob, name.slice(1)))
  if (glob[0] === '[') {
    const end = classEnd(glob, 0) + 1
    const text = glob.slice(0, end)
    const rest = glob.slice(end)
    if (name.startsWith(text) && nameMatches(rest, name.slice(text.length))) return true
    return name !== '' && classHolds(text, name[0] as string) && nameMatches(rest, name.slice(1))
  }
  if (glob[0] === '?') return name !== '' && nameMatches(glob.slice(1), name.slice(1))
  const literal = glob[0] === '\\' && glob.length > 1 ? 1 : 0
  return name[0] === glob[literal] && nameMatches(glob.slice(literal + 1), name.slice(1))
}

function segmentsOf(glob: string): string[] {
  return glob.split('/')
}

function oracle(glob: string, path: string): boolean {
  return expand(glob).some((alternative) => {
    const written = segmentsOf(alternative)
    const segments = written.filter((segment) => segment !== '' && segment !== '.' && segment !== '\\.')
    if (segments.length === 0) return false
    const last = written.at(-1) as string
    const isPlain = !/[*?[]/.test(last.replace(/\\./g, ''))
    return rowMatches(segments, path.split('/'), isPlain)
  })
}

function rowMatches(segments: string[], names: string[], coversBeneath: boolean): boolean {
  const [segment, ...rest] = segments
  if (segment === undefined) return names.length === 0 || coversBeneath
  if (names.length === 0) return false
  const [name, ...beneath] = names as [string, ...string[]]
  if (segment === '**') {
    if (rest.every((each) => each === '**')) return true
    return rowMatches(rest, names, coversBeneath) || rowMatches(segments, beneath, coversBeneath)
  }
  return nameMatches(segment, name) && rowMatches(rest, beneath, coversBeneath)
}

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

/** The weight that `intersect` minimizes: names with a leading dot, then characters. */
function weight(path: string): number {
  return path.length + 1000 * path.split('/').filter((name) => name.startsWith('.')).length
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

/** Checks the decision on a pair against the paths that match both according to `matches`. */
function expectExact(a: string, b: string, matches: (glob: string, path: string) => boolean): void {
  const [x, y] = [parseGlob(a), parseGlob(b)]
  const example = intersect(x, y, plenty())
  const both = PATHS.filter((path) => matches(a, path) && matches(b, path))
  if (both.length > 0) expect(example).not.toBeNull()
  expect(overlaps(x, y, plenty())).toBe(example !== null)
  expect(overlaps(y, x, plenty())).toBe(example !== null)
  if (example === null) return
  expect(example.split('/').every(isName), example).toBe(true)
  expect(matches(a, example), example).toBe(true)
  expect(matches(b, example), example).toBe(true)
  expect(both.filter((path) => weight(path) < weight(example))).toEqual([])
}

test('the decision and its example agree with the rules on every short path', () => {
  fc.assert(
    fc.property(anyGlob, anyGlob, (a, b) => expectExact(a, b, oracle)),
    { numRuns: RUNS },
  )
})

test('a glob matches exactly the short paths that match by the rules', () => {
  fc.assert(
    fc.property(anyGlob, (source) => {
      const glob = parseGlob(source)
      expect(PATHS.filter((path) => matchesPath(glob, path) !== oracle(source, path))).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

const anyText = fc
  .array(fc.oneof(pieces, fc.constantFrom('.', '..', '/', '{', ',', '}', '{.,a}', '{./,/}', '{.,}', '\\.')), {
    minLength: 1,
    maxLength: 9,
  })
  .map((some) => some.join(''))

test('a glob is rejected for its alternatives before any of them is built', () => {
  fc.assert(
    fc.property(anyText, (source) => {
      const rows = expand(source).map((each) => segmentsOf(each.replaceAll('\\.', '.')))
      const named = rows.filter((row) => row.some((segment) => segment !== '' && segment !== '.'))
      const glob = read(source)
      const isTooMuch = rows.length > ALTERNATIVES_MAX
      expect(glob === null).toBe(isTooMuch || named.length === 0 || rows.some((row) => row.includes('..')))
      if (glob !== null) expect(alternativesOf(glob, plenty())).toHaveLength(named.length)
    }),
    { numRuns: 4 * RUNS },
  )
})

test('every match of a glob is in the directory that its text starts with', () => {
  fc.assert(
    fc.property(fc.constantFrom('', 'a', 'a/', './a//b.', 'a/./b/'), anyGlob, (front, source) => {
      const glob = read(front + source)
      if (glob === null) return
      const dir = literalDir(front + source)
      for (const alternative of alternativesOf(glob, plenty()))
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
  .filter((text) => !text.includes('**') && expand(text).every(isName))
const wildSegment = segment.filter((text) =>
  expand(text).every((each) => /[*?[]/.test(each) && each !== '**'),
)
const sharedGlob = fc
  .tuple(fc.array(fc.oneof(segment, fc.constant('**')), { maxLength: 3 }), wildSegment)
  .map(([front, last]) => [...front, last].join('/'))
  .filter((source) => read(source) !== null)

const matchers = new Map<string, (path: string) => boolean>()
function picomatches(glob: string, path: string): boolean {
  const known =
    matchers.get(glob) ??
    picomatch(glob, { dot: true, nonegate: true, noextglob: true, posix: true, fastpaths: false })
  if (matchers.size > 10_000) matchers.clear()
  matchers.set(glob, known)
  return known(path)
}

test('the decision and its example agree with picomatch on every short path', () => {
  fc.assert(
    fc.property(sharedGlob, sharedGlob, (a, b) => expectExact(a, b, picomatches)),
    { numRuns: RUNS },
  )
})
