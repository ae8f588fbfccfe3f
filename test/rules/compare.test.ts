/** What two scopes share with a repository's settings, and the result when the budget is exhausted. */

import { describe, expect, test } from 'vitest'
import { storedScopeOf } from '../../src/server/activities/compared-scope.ts'
import { claimsOf } from '../../src/server/claims-index/claim.ts'
import { readGitAttributes } from '../../src/server/line-verdicts/git-attributes.ts'
import { compare, proposalOf } from '../../src/server/overlap/compare.ts'
import { rulesOf } from '../../src/server/overlap/rules.ts'
import { globsOfPaths, Scope } from '../../src/vocabulary/contract/scope.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/vocabulary/contract/settings.ts'

const plenty = () => ({ remaining: 1_000_000 })
const none = DEFAULT_SETTINGS

interface Given {
  areas?: string[]
  paths?: string[]
  is_literal?: boolean
}

function scopeOf({ areas = [], paths = [], is_literal = false }: Given) {
  const unchanged = { changed_files: [], pushed_files: null, pr_number: null, draft_pr: false }
  return storedScopeOf({ scope: { areas, paths }, scope_is_literal: is_literal, ...unchanged })
}

function shared(yours: Given | Given[], theirs: Given, settings = none, max = 10, attributes = '') {
  const rules = rulesOf(settings, readGitAttributes(attributes))
  const proposal = proposalOf([yours].flat().map(scopeOf), rules, plenty())
  return compare(proposal, scopeOf(theirs), { rules, max, budget: plenty() })
}

describe('what two scopes share', () => {
  test('is empty when neither a label nor a path is shared', () => {
    expect(shared({ areas: ['pay'], paths: ['src/**'] }, { areas: ['till'], paths: ['docs/**'] })).toBeNull()
    expect(shared({}, {})).toBeNull()
    expect(shared({ paths: ['**'] }, {})).toBeNull()
  })

  test('uses the proposal’s spelling of labels and both globs of paths', () => {
    expect(shared({ areas: ['PAY'], paths: ['./src/*'] }, { areas: [' pay'], paths: ['/src/a.ts'] })).toEqual(
      {
        areas: ['PAY'],
        paths: [{ yours: './src/*', theirs: '/src/a.ts', example: 'src/a.ts' }],
      },
    )
  })

  test('covers all scopes of a proposal', () => {
    const yours = [{ areas: ['pay'] }, { paths: ['docs/a.md'] }, { paths: ['docs/b.md'] }]
    expect(shared(yours, { areas: ['Pay'], paths: ['docs/b.md'] })).toEqual({
      areas: ['pay'],
      paths: [{ yours: 'docs/b.md', theirs: 'docs/b.md', example: 'docs/b.md' }],
    })
  })

  test('has at most the requested number of pairs of paths', () => {
    const theirs = { paths: ['a', 'b', 'c'] }
    expect(shared({ paths: ['*'] }, theirs)?.paths).toHaveLength(3)
    expect(shared({ paths: ['*'] }, theirs, none, 2)?.paths).toHaveLength(2)
  })

  test.each([
    ['yours', { areas: [' Till'] }, { paths: ['src/till/a.ts'] }],
    ['theirs', { paths: ['src/till/a.ts'] }, { areas: ['TILL'] }],
  ])('includes the globs that the settings define for %s', (_, yours, theirs) => {
    const settings = { ...none, areas: { till: ['src/till/**'] } }
    expect(shared(yours, theirs)).toBeNull()
    expect(shared(yours, theirs, settings)?.paths).toMatchObject([{ example: 'src/till/a.ts' }])
  })

  test.each([
    ['yours', { paths: ['a/x.lock'] }, { paths: ['**'] }],
    ['theirs', { paths: ['**'] }, { paths: ['a/x.lock'] }],
    ['theirs, as the name of a file', { paths: ['**'] }, { paths: ['a/x.lock'], is_literal: true }],
  ])('excludes an ignored plain path of %s', (_, yours, theirs) => {
    expect(shared(yours, theirs)).not.toBeNull()
    expect(shared(yours, theirs, { ...none, ignore_paths: ['**/*.lock'] })).toBeNull()
  })

  test.each<[string, Partial<Settings>, string?]>([
    ['go.mod', {}],
    ['api/CHANGELOG.md', {}],
    ['testdata/a.txt', { noise_paths: { snapshot: ['testdata/**'] } }],
    ['api/next.txt', {}, 'api/*.txt linguist-generated'],
    ['vendor/History.md', { noise_classes: { vendored: false } }],
  ])('leaves out the noise %s, but keeps other files', (path, settings, attributes) => {
    const all = { paths: [path, 'src/a.ts'] }
    const found = shared(all, all, { ...none, ...settings }, 10, attributes)
    expect(found?.paths.map(({ example }) => example)).toEqual(['src/a.ts'])
  })

  test.each<[string, Partial<Settings>, string?]>([
    ['go.mod', { noise_classes: { manifest: false } }],
    ['TestData/a.txt', { noise_paths: { snapshot: ['testdata/**'] } }],
    ['testdata/a.txt', { noise_paths: { snapshot: ['testdata/**'] }, noise_classes: { snapshot: false } }],
    ['vendor/a.c', {}, 'vendor/** -linguist-vendored'],
    ['web/*.lock', {}],
    ['src/history', {}],
  ])('compares %s, which is not noise here', (path, settings, attributes) => {
    expect(
      shared({ paths: [path] }, { paths: [path] }, { ...none, ...settings }, 10, attributes),
    ).not.toBeNull()
  })

  test('keeps a glob with wildcards even if all its matches are ignored', () => {
    const settings = { ...none, ignore_paths: ['**/*.lock'] }
    expect(shared({ paths: ['a/*.lock'] }, { paths: ['a/x*.lock'] }, settings)).not.toBeNull()
  })

  test('treats file names literally on either side', () => {
    const file = { paths: ['app/[id]/*.ts'], is_literal: true }
    expect(shared(file, { paths: ['app/i/a.ts'] })).toBeNull()
    expect(shared({ paths: ['app/i/a.ts'] }, file)).toBeNull()
    expect(shared(file, { paths: ['app/**'] })?.paths[0]?.example).toBe('app/[id]/*.ts')
    expect(shared({ paths: ['app/**'] }, file)?.paths[0]?.example).toBe('app/[id]/*.ts')
  })
})

describe('a proposal', () => {
  test('and its claims are made of the globs that validation parsed', async () => {
    const { areas, paths } = Scope.parse({ paths: ['docs', 'src/**/once-*.ts'] })
    const budget = plenty()
    const parsed = globsOfPaths(paths, budget)
    expect(budget).toEqual(plenty())
    const scope = { areas, paths, is_literal: false, files: [], taken: [] }
    const { globs } = proposalOf([scope], rulesOf(none, []), plenty())
    expect(globs.globs.length).toBe(2)
    for (const [at, glob] of globs.globs.entries()) expect(glob).toBe(parsed[at])
    await claimsOf({ ...scope, is_literal: false, files: [], taken: [] })
    expect(globsOfPaths(paths)).toBe(parsed)
  })

  test.each([
    [[], 'nothing_given'],
    [[{}], 'nothing_given'],
    [[{ paths: ['a.lock'] }, {}], 'all_ignored'],
    [[{ paths: ['a.lock', 'a.ts'] }], null],
    [[{ paths: ['a.lock'], areas: ['pay'] }], null],
    [[{}, { areas: ['pay'] }], null],
  ])('of %o is empty as %s', (scopes, emptiness) => {
    const rules = rulesOf({ ...none, ignore_paths: ['*.lock'] }, [])
    expect(proposalOf(scopes.map(scopeOf), rules, plenty()).emptiness).toBe(emptiness)
  })

  test('stops parsing scopes when the budget is exhausted', () => {
    const budget = { remaining: 10 }
    const scopes = Array.from({ length: 100 }, (_, index) => scopeOf({ paths: [`{a,b,c}${index}/*`] }))
    const { paths } = proposalOf(scopes, rulesOf(none, []), budget)
    expect(budget.remaining).toBeLessThan(0)
    expect(paths.globs.length).toBeLessThan(10)
  })
})

describe('the budget', () => {
  test('is charged for parsing alone: braces make a short glob expensive', () => {
    const rules = rulesOf(none, [])
    const proposal = proposalOf([scopeOf({ paths: ['docs/**'] })], rules, plenty())
    const spentOn = (paths: string[]) => {
      const budget = plenty()
      compare(proposal, scopeOf({ paths }), { rules, max: 1, budget })
      return 1_000_000 - budget.remaining
    }
    const tail = 'x'.repeat(300)
    expect(spentOn([`{1..64}${tail}*`])).toBeGreaterThan(20 * spentOn([`1${tail}*`]))
  })

  test('ends the comparison when it is exhausted, and is then below zero', () => {
    const rules = rulesOf(none, [])
    const hostile = (end: string) => ({ paths: [`${'*a'.repeat(200)}[${end}${end}]`] })
    const proposal = proposalOf([scopeOf(hostile('x'))], rules, plenty())
    const budget = { remaining: 5_000 }
    expect(compare(proposal, scopeOf(hostile('y')), { rules, max: 1, budget })).toBeNull()
    expect(budget.remaining).toBeLessThan(0)
    expect(budget.remaining).toBeGreaterThan(-5_000)
  })
})
