/** The index of a scope's globs, compared with checking all pairs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Deadline } from '../../src/vocabulary/clock.ts'
import { fileGlob, type Glob, matchesPath, parseGlob } from '../../src/vocabulary/scope/glob.ts'
import {
  type Exclusion,
  isIgnored,
  overlapsAny,
  type PairOptions,
  type PathSet,
  pairsOf,
  pathSet,
  takePairs,
} from '../../src/vocabulary/scope/path-set.ts'
import { overlaps } from '../support/glob-pairs.ts'
import { atOnce } from '../support/steps.ts'

const globsOf = (sources: string[]) => sources.map((source) => parseGlob(source))
const deadline = new Deadline()

function pairsBetween(yours: PathSet, theirs: Glob[], { max, ...options }: PairOptions & { max: number }) {
  return atOnce(takePairs(pairsOf(yours, theirs, options), max))
}

function pairs(yours: string[], theirs: string[], max = 1000) {
  return pairsBetween(pathSet(globsOf(yours)), globsOf(theirs), { max, deadline })
}

const glob = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'ab', 'a-b', 'a.b', 'a*', '*', '**', '{a,b}', '{a/b,b}', '[ab]'), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('', '', '/', '/*.ts', '/**'),
  )
  .map(([segments, end]) => segments.join('/') + end)
const scope = fc.uniqueArray(glob, { maxLength: 8 })

describe('the pairs of two scopes', () => {
  test('equal those of comparing every glob with every other', () => {
    fc.assert(
      fc.property(scope, scope, (yours, theirs) => {
        const found = pairs(yours, theirs)
        const expected = theirs.flatMap((b) =>
          yours.filter((a) => overlaps(parseGlob(a), parseGlob(b))).map((a) => `${a} ${b}`),
        )
        expect(found.map((pair) => `${pair.yours} ${pair.theirs}`).sort()).toEqual(expected.sort())
        for (const pair of found) {
          expect(matchesPath(parseGlob(pair.yours), pair.example)).toBe(true)
          expect(matchesPath(parseGlob(pair.theirs), pair.example)).toBe(true)
        }
        const some = Math.floor(found.length / 2)
        expect(pairs(yours, theirs, some)).toEqual(found.slice(0, some))
      }),
      { numRuns: 1000 },
    )
  })

  test('are ordered by the other scope, then from the root down', () => {
    expect(pairs(['src/b', 'src/a', 'src', 'src/a/c.ts'], ['lib', 'src/a'])).toEqual([
      { yours: 'src', theirs: 'src/a', example: 'src/a' },
      { yours: 'src/a', theirs: 'src/a', example: 'src/a' },
      { yours: 'src/a/c.ts', theirs: 'src/a', example: 'src/a/c.ts' },
    ])
  })

  test('contain the original globs', () => {
    expect(pairs(['./src/'], ['/src//**'])).toEqual([
      { yours: './src/', theirs: '/src//**', example: 'src/x' },
    ])
  })

  test('stop at the deadline', () => {
    const set = pathSet(globsOf(['*a*/x', '*b*/y', '*c*/z']))
    const theirs = [parseGlob('?*?/*')]
    expect(pairsBetween(set, theirs, { max: 20, deadline })).toHaveLength(3)
    expect(pairsBetween(set, theirs, { max: 20, deadline: new Deadline(0) })).toEqual([])
  })

  test('pause after each alternative of a glob, even if none comes near, and stop at the deadline', () => {
    const set = pathSet(['src/a.ts', 'src/b.ts'].map(fileGlob))
    const theirs = globsOf(['x{1..64}*', 'y{1..64}*'])
    const steps = (given: PairOptions['deadline']) => [...overlapsAny(set, theirs, { deadline: given })]
    expect(steps(deadline)).toHaveLength(128)
    expect(steps({ isOver: true })).toEqual([])
  })
})

function matching(paths: string[]): Exclusion {
  const globs = globsOf(paths)
  return (path) => globs.some((glob) => matchesPath(glob, path))
}

describe('ignored', () => {
  const ignore = ['**/package-lock.json', 'vendor/**', '**/gen/**', '*.{lock,snap}', 'dist', '**/*.min.*']
  const kept = (paths: string[]) =>
    globsOf(paths).flatMap((glob) => (isIgnored(glob, matching(ignore)) ? [] : glob.source))

  test.each(
    'package-lock.json web/package-lock.json vendor/a/b.go a/gen/b yarn.lock dist dist/a.js a/b.min.js'.split(
      ' ',
    ),
  )('is the plain path %s', (path) => expect(kept([path, 'src/a.ts'])).toEqual(['src/a.ts']))

  test.each(
    'vendor a/gen a/yarn.lock src/** vendor/* dist/* {dist,src} *.lock dist2 package-lock.jso'.split(' '),
  )('is not %s', (path) => expect(kept([path])).toEqual([path]))
})

test('an ignored path forms no pair', () => {
  const set = pathSet([parseGlob('src/**'), parseGlob('lib/x.lock')])
  const theirs = [parseGlob('src/a.lock'), parseGlob('src/b.ts'), parseGlob('src/*.lock')]
  const pairs = pairsBetween(set, theirs, { max: 20, deadline, ignore: matching(['**/*.lock']) })
  expect(pairs.map((pair) => pair.theirs)).toEqual(['src/b.ts', 'src/*.lock'])
})
