/** Globs by the rules of docs/contract/overlap.md#paths, and hostile globs. */
import { describe, expect, test } from 'vitest'
import { Deadline } from '../../src/vocabulary/clock.ts'
import {
  alternativesOf,
  fileGlob,
  GlobError,
  literalDir,
  matchesName,
  matchesPath,
  parseGlob,
} from '../../src/vocabulary/scope/glob.ts'
import { intersect, overlaps } from '../support/glob-pairs.ts'

describe('the globs of a settings file match a name', () => {
  test.each([
    ['200 globs', 199, 'team/**/*-{fix,feature}-*'],
    ['3,000 names', 2_999, 'x'.repeat(90)],
  ])('by the last of %s', (_, count, other) => {
    const others = Array.from({ length: count }, (_, at) => `${other}${at}`)
    expect(matchesName([...others, 'agents/*'], 'agents/a')).toBe(true)
  })

  test('only as far as their work is bounded', () => {
    const costly = `${'**/*a*/'.repeat(55)}{${Array.from({ length: 40 }, (_, at) => at)}}`
    const others = Array.from({ length: 5_000 }, (_, at) => `${at}/${costly}`)
    expect(matchesName([...others, 'a*'], 'a'.repeat(240))).toBe(false)
  })
})

describe('a glob matches by these rules:', () => {
  test.each<[rule: string, glob: string, matched: string[], unmatched: string[]]>([
    [
      'a plain name matches itself and everything beneath it',
      'src/api',
      ['src/api', 'src/api/users.ts', 'src/api/v1/a.ts'],
      ['src', 'src/apiary', 'lib/src/api'],
    ],
    ['a leading slash is dropped', '//src', ['src', 'src/a'], ['a/src']],
    ['a leading ./ is dropped', '././src', ['src', 'src/a'], ['a']],
    ['empty and dot segments are dropped', 'a//b/./c', ['a/b/c', 'a/b/c/d'], ['a/b']],
    ['a trailing slash matches everything beneath', 'src/', ['src', 'src/a/b'], ['srcs']],
    ['a trailing slash after a wildcard matches everything beneath', 's*/', ['src', 'src/a/b'], ['a/src']],
    ['a wildcard at the end matches nothing beneath', 's*', ['src'], ['src/a', 'a']],
    ['* matches within a segment, possibly nothing', 'a*b', ['ab', 'axb', 'a.b'], ['a/b', 'ab/c']],
    ['* alone matches a whole name', 'a/*', ['a/b', 'a/.b'], ['a', 'a/b/c']],
    ['wildcards match dot files', '**/*', ['.env', '.github/workflows/ci.yml'], []],
    ['** in the middle can match nothing', 'a/**/b', ['a/b', 'a/x/b', 'a/x/y/b/c'], ['a', 'a/xb', 'b']],
    ['** at the start can match nothing', '**/a', ['a', 'x/a', 'x/y/a/b'], ['xa', 'x']],
    ['** at the end matches at least one name', 'a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['** alone matches every path', '**', ['a', 'a/b/c'], []],
    ['** beside other characters is *', 'a**', ['a', 'ab'], ['a/b']],
    ['*** is *', 'a/***', ['a/b'], ['a', 'a/b/c']],
    ['an escaped ** is two literal stars', 'a/\\*\\*', ['a/**', 'a/**/b'], ['a/b']],
    ['? matches one character', 'a?', ['ab', 'a.', 'a😀'], ['a', 'abc', 'a/']],
    ['a class matches one of its characters', '[abc]', ['a', 'c'], ['d', 'ab', 'a/b']],
    ['a class can contain ranges', '[a-c0-9]', ['b', '7'], ['d', '-']],
    ['a class with ! matches all other characters', '[!ab]', ['c', '!', '😀'], ['a', 'b', 'cd']],
    ['a dash at either end is literal', '[-a][b-]', ['-b', 'a-', '--'], ['bb']],
    ['an escaped bracket in a class is literal', '[\\]a]', [']', 'a', '[\\]a]'], ['\\']],
    ['a reversed range adds nothing', '[user-id]', ['u', 's', 'd', '[user-id]'], ['r', '-', 'i']],
    [
      'a class matches its own text',
      'app/[id]/page.tsx',
      ['app/[id]/page.tsx', 'app/i/page.tsx'],
      ['app/id/page.tsx'],
    ],
    [
      'nested brackets match their own text',
      'app/[[...slug]]/a',
      ['app/[[...slug]]/a', 'app/s]/a'],
      ['app/[...slug]/a'],
    ],
    ['a POSIX class is literal characters', '[[:alpha:]]', ['a]', ':]', '[[:alpha:]]'], ['z', 'z]']],
    ['braces are alternatives', 'src/{a,b*}.ts', ['src/a.ts', 'src/bc.ts'], ['src/c.ts', 'src/{a,b*}.ts']],
    ['braces nest', '{a,b{c,d}}x', ['ax', 'bcx', 'bdx'], ['bx', 'cx']],
    ['alternatives can contain slashes and **', '{a/b,c/**}/d', ['a/b/d', 'c/d', 'c/x/d'], ['a/d']],
    [
      'each alternative decides whether it ends in a plain name',
      '{ab,b*}',
      ['ab', 'ab/c', 'b', 'bc'],
      ['b/c', 'bc/d'],
    ],
    ['an empty alternative is dropped', '{a,}', ['a', 'a/b'], ['b']],
    ['an alternative can be empty', 'a{,b}', ['a', 'ab'], ['b']],
    ['braces without a comma are literal', '{x}', ['{x}', '{x}/a'], ['x']],
    ['an unclosed brace is literal', '{a,{b,c}', ['{a,b', '{a,c'], ['a', 'b']],
    ['a comma outside braces is literal', 'a,b', ['a,b'], ['a', 'b']],
    ['braces in a class are literal', '[{a,b}]', ['{', ',', '}', 'a', '[{a,b}]'], ['[{a', 'b}]']],
    ['escaped braces are literal', '\\{a,b\\}', ['{a,b}'], ['a', 'b']],
    ['an escaped comma separates nothing', '{a\\,b,c}', ['a,b', 'c'], ['a', 'b']],
    ['a range of numbers is alternatives', 'v{1..3}', ['v1', 'v2', 'v3'], ['v4', 'v', 'v{1..3}']],
    ['a range keeps leading zeros', 'p{08..10}', ['p08', 'p09', 'p10'], ['p8', 'p9']],
    ['a range of letters is alternatives', '{a..c}', ['a', 'b', 'c'], ['d']],
    ['every character of a range is literal', 'x{Z..a}', ['xZ', 'x[', 'x\\', 'x`', 'xa'], ['x', 'xb']],
    ['a backslash escapes the next character', '\\*\\?\\[a\\]\\\\', ['*?[a]\\'], ['aba\\']],
    ['a trailing backslash is literal', 'a\\', ['a\\'], ['a']],
    ['an escaped slash separates', 'a\\/b', ['a/b', 'a/b/c'], ['a']],
    ['an escaped exclamation mark can come first', '\\!a', ['!a'], ['a']],
    ['parentheses, +, @ and | are literal', '+(a|b)@(c)', ['+(a|b)@(c)'], ['a', 'c']],
    ['case matters', 'README.md', ['README.md'], ['readme.md', 'README.MD']],
  ])('%s: %s', (_, source, matched, unmatched) => {
    const glob = parseGlob(source)
    expect(matched.filter((path) => !matchesPath(glob, path))).toEqual([])
    expect(unmatched.filter((path) => matchesPath(glob, path))).toEqual([])
  })

  test.each([
    ['src/api', true],
    ['a\\*b', true],
    ['{x}', true],
    ['a/./b/', true],
    ['a*', false],
    ['a?', false],
    ['[a]', false],
    ['{a,b}', false],
    ['{1..2}', false],
  ])('%s is plain: %s', (source, isPlain) => {
    expect(parseGlob(source).is_plain).toBe(isPlain)
  })

  test.each([
    ['src/a', 'plain', 'src/a'],
    ['src/a/**', 'subtree', 'src/a'],
    ['src/**/**', 'subtree', 'src'],
    ['src/*/', 'subtree', 'src'],
    ['**', 'subtree', ''],
    ['src/*', 'pattern', 'src'],
    ['src/a*/b', 'pattern', 'src'],
    ['**/a', 'pattern', ''],
  ])('%s is a %s of "%s"', (source, kind, dir) => {
    expect(alternativesOf(parseGlob(source))).toMatchObject([{ kind, dir }])
  })

  test.each([
    ['src/api/{1..9}/x', 'src/api'],
    ['src/api{1..9}/x', 'src'],
    ['a/./b//c*{d,e}/f', 'a/b'],
    ['a/\\*/b', 'a'],
    ['{src/a,src/b}/c', ''],
    ['src/api/x', 'src/api/x'],
    ['./src//api/', 'src/api'],
    ['**', ''],
  ])('the matches of %s are in "%s"', (source, dir) => {
    expect(literalDir(source)).toBe(dir)
  })

  test('a file of a pull request matches only itself, whatever characters it contains', () => {
    const glob = fileGlob('app/[id]/{a,b}*.tsx')
    expect(glob.is_plain).toBe(true)
    expect(matchesPath(glob, 'app/[id]/{a,b}*.tsx')).toBe(true)
    expect(matchesPath(glob, 'app/[id]/{a,b}*.tsx/x')).toBe(false)
    expect(matchesPath(glob, 'app/i/a.tsx')).toBe(false)
  })

  test.each([
    ['docs/[id].md', '**/*.md', true],
    ['docs/[id].md', 'docs', true],
    ['docs/[id].md', 'docs/**', true],
    ['docs/[id].md', 'docs/[id].md', true],
    ['docs/i.md', 'docs/[id].md', true],
    ['docs/a.md', '**/*.sql', false],
    ['docs/a.md', 'docs/a.md/**', false],
    ['docs/a.md', 'doc', false],
  ])('the file %s and the glob %s share a path: %s', (path, glob, expected) => {
    const [file, other] = [fileGlob(path), parseGlob(glob)]
    for (const [a, b] of [
      [file, other],
      [other, file],
    ] as const) {
      expect(overlaps(a, b)).toBe(expected)
      expect(intersect(a, b)).toBe(expected ? path : null)
    }
  })

  test('two files share a path if they are the same', () => {
    expect(intersect(fileGlob('a*'), fileGlob('a*'))).toBe('a*')
    expect(intersect(fileGlob('a'), fileGlob('a/b'))).toBeNull()
  })
})

describe('a glob is rejected when', () => {
  test.each<[why: string, glob: string, says: RegExp]>([
    ['it is empty', '', /matches no path/],
    ['it is the root as a slash', '/', /`?\*\*/],
    ['it is the root as a dot', './.', /matches no path/],
    ['all its alternatives are empty', '{,/}', /matches no path/],
    ['it has a parent segment', 'a/../b', /'\.\.'/],
    ['it has an escaped parent segment', '\\.\\.', /'\.\.'/],
    ['one alternative has a parent segment', 'a/{b,.}.', /'\.\.'/],
    ['it starts with an exclamation mark', '!a', /'!'/],
    ['a class is not closed', 'a[b', /not closed/],
    ['a class would contain a slash', 'a[b/c]', /not closed/],
    ['a class would contain an escaped slash', 'a[b\\/c]', /not closed/],
    ['a class is empty', '[]', /empty/],
    ['a class is empty and a bracket follows', '[]a]', /empty/],
    ['a negated class is empty', '[!]a]', /empty/],
    ['the other negated class is empty', '[^]', /empty/],
    ['it contains an unpaired surrogate', 'a\ud83d', /Unicode/],
    ['it is too long', 'a'.repeat(1025), /1024/],
    ['it has a wildcard and is too long', `${'a'.repeat(512)}*`, /512/],
    ['it has braces and is too long', `${'a'.repeat(508)}{a,b}`, /512/],
    ['it has too many alternatives', '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b,c}', /64/],
    ['a range is too long', '{1..65}', /64/],
  ])('%s', (_, source, says) => {
    expect(() => parseGlob(source)).toThrow(GlobError)
    expect(() => parseGlob(source)).toThrow(says)
  })

  test.each([
    ['1,024 literal characters', 'a'.repeat(1024)],
    ['1,024 characters with escapes', '\\*'.repeat(512)],
    ['512 characters with wildcards', `${'a'.repeat(511)}*`],
    ['64 alternatives', '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'],
    ['a range of 64', '{1..64}'],
  ])('not for %s', (_, source) => {
    expect(parseGlob(source).source).toBe(source)
  })

  test('the message never repeats the glob', () => {
    expect(() => parseGlob('secret-name[')).toThrow(/^(?!.*secret-name)/)
  })
})

describe('two globs share', () => {
  test.each<[a: string, b: string, example: string | null]>([
    ['src/*.ts', 'src/a*', 'src/a.ts'],
    ['src', 'src/api', 'src/api'],
    ['src/**', 'src', 'src/x'],
    ['src/**/*.ts', '**/test/*', 'src/test/x.ts'],
    ['.*', '*.', '.x.'],
    ['..*', '*.', '...'],
    ['.?', '?.', null],
    ['.[.]', '..?', null],
    ['[.]', '?', null],
    ['[.]', '[[].]', '[.]'],
    ['[!a-z]', '?', '0'],
    ['[!\u0001-~]', '?', '\u007f'],
    ['[\u0001-!]', '?', '!'],
    ['[\0]', '?', null],
    ['[!\u0001-.0-\u{10ffff}]', '?', null],
    ['[!\u0001-\ud7ff\ue000-\u{10ffff}]', '?', null],
    ['app/[id]/page.tsx', 'app/*/page.tsx', 'app/d/page.tsx'],
    ['app/\\[id\\]/*', 'app/[id]/page.tsx', 'app/[id]/page.tsx'],
  ])('%s and %s: %s', (a, b, example) => {
    const [x, y] = [parseGlob(a), parseGlob(b)]
    expect(intersect(x, y)).toBe(example)
    expect(overlaps(x, y)).toBe(example !== null)
    expect(overlaps(y, x)).toBe(example !== null)
  })
})

const six = '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'
const HOSTILE: [a: string, b: string, overlap: boolean][] = [
  [`${'*a'.repeat(250)}c*`, `${'*b'.repeat(250)}d*`, true],
  [`${'*a'.repeat(250)}z*`, '[!z]'.repeat(127), false],
  [`${'*a'.repeat(250)}b*`, 'a'.repeat(1000), false],
  [`${'**/'.repeat(170)}a`, `${'**/'.repeat(170)}b`, true],
  [`${'**/a/'.repeat(102)}*`, `${'**/b/'.repeat(102)}*`, false],
  [`${'**/a/'.repeat(100)}*.c`, `${'**/b/'.repeat(100)}*.d`, false],
  [`${'**/*a*/'.repeat(70)}c?*`, `${'**/*b*/'.repeat(70)}?d*`, true],
  ['?*'.repeat(250), '*?a'.repeat(160), true],
  ['[a-c]*'.repeat(80), '*[b-d]'.repeat(80), true],
  [`${six}${'*a'.repeat(240)}`, `${six}${'*b'.repeat(240)}`, false],
]

describe('a hostile glob', () => {
  test.each(HOSTILE)('is decided: pair %#', (a, b, overlap) => {
    expect(overlaps(parseGlob(a), parseGlob(b))).toBe(overlap)
  })

  test.each([
    '{'.repeat(512),
    '{,'.repeat(170) + '}'.repeat(170),
    '{a,b}'.repeat(102),
    '{1..64}'.repeat(70),
    '{1..999999999}',
  ])('with braces is parsed or rejected without expanding it: %#', (source) => {
    const read = () => alternativesOf(parseGlob(source)).length
    if (source.includes('}')) expect(read).toThrow(/64/)
    else expect(read()).toBe(1)
  })

  test('is compared with nothing after the deadline', () => {
    const [one, other] = [parseGlob('src/a*'), parseGlob('src/*b')]
    expect(overlaps(one, other)).toBe(true)
    expect(overlaps(one, other, new Deadline(0))).toBe(false)
  })
})
