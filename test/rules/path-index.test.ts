/** Which paths of others share one with a scope, compared with a list of all of them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LiveSet } from '../../src/engine/live-set.ts'
import { type NearOptions, type PathEntry, PathIndex } from '../../src/engine/path-index.ts'
import { issuePlace, type LiveRecord, type Outline, scopeOf } from '../../src/engine/record.ts'
import { fileGlob, parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { type PathSet, pathSet } from '../../src/vocabulary/scope/path-set.ts'
import { overlaps } from '../support/glob-pairs.ts'

interface Path {
  source: string
  is_file: boolean
}
const globOf = ({ source, is_file }: Path) => (is_file ? fileGlob(source) : parseGlob(source))
const textOf = ({ source, is_file, owner }: Path & { owner: string }) => `${source} ${is_file} ${owner}`
const setOf = (...sources: string[]) => pathSet(sources.map((source) => parseGlob(source)))

const OPTIONS: NearOptions<string> = {
  ...{ deadline: { isOver: false }, ignore: () => false, rankOf: (owners) => owners.join() },
}
const found = (index: PathIndex<string>, paths: PathSet, given: Partial<NearOptions<string>> = {}) =>
  [...index.near(paths, { ...OPTIONS, ...given })].flatMap((entry) => entry ?? [])

const source = fc.constantFrom(...'a ab a/b a/b/c a-b a/* a/** a/*.ts ** {a,b}/c'.split(' '))
const path = fc.record({ source, is_file: fc.boolean() }, { noNullPrototype: true })
const change = fc.record({ path, leaves: fc.option(fc.nat(), { freq: 2 }) })

test('an index finds what a list of all paths finds, whoever comes and leaves', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), fc.array(path, { maxLength: 3 }), (changes, mine) => {
      const index = new PathIndex<string>()
      const all: (Path & { owner: string; entry: PathEntry<string> })[] = []
      for (const [at, { path, leaves }] of changes.entries()) {
        const [gone] = leaves === null ? [] : all.splice(leaves % (all.length + 1), 1)
        if (gone) index.remove(gone.entry, gone.owner)
        else all.push({ ...path, owner: `${at}`, entry: index.add(path, `${at}`) })
        const near = found(index, pathSet(mine.map(globOf)))
        const shares = all.filter((each) => mine.some((own) => overlaps(globOf(own), globOf(each))))
        const owners = near.map((each) => each.owners.length && `${each.source} ${each.is_file}`)
        expect(new Set(owners.filter(Boolean)).size).toBe(near.length)
        const owned = near.flatMap((each) => each.owners.map((owner) => ({ ...each, owner })))
        expect(owned.map(textOf).sort()).toEqual(shares.map(textOf).sort())
        const files = all.filter(({ source, is_file }) => is_file && source.startsWith('a/'))
        const names = [...new Set(files.map(({ source }) => source))].sort()
        expect([...index.filesBeneath('a')].map(({ source }) => source)).toEqual(names)
      }
    }),
    { numRuns: 200 },
  )
})

describe('patterns', () => {
  const index = new PathIndex<string>()
  const OWNERS = { 'a*b*/x': 'low', 'c*d*/x': 'zenith', 'e*f*/x': 'middle', 'p/q': 'a', 'p/r/**': 'b' }
  for (const [source, owner] of Object.entries(OWNERS)) index.add({ source, is_file: false }, owner)
  const owners = (given: Partial<NearOptions<string>>) =>
    found(index, setOf('**'), given).flatMap(({ owners }) => owners)

  test('come after all others, the one of the greatest rank first', () => {
    expect(owners({})).toEqual(['a', 'b', 'zenith', 'middle', 'low'])
  })

  test('that nobody asks about are left out', () => {
    const rankOf = ([owner = '']: readonly string[]) => (owner === 'middle' ? null : owner)
    expect(owners({ rankOf })).toEqual(['a', 'b', 'zenith', 'low'])
  })

  test.each([0, 1, 3])('after the deadline, which comes after %i results, there is nothing more', (count) => {
    const deadline = { isOver: count === 0 }
    const results: (string | undefined)[] = []
    for (const entry of index.near(setOf('**'), { ...OPTIONS, deadline })) {
      if (entry) results.push(entry.owners[0])
      deadline.isOver = results.length === count
    }
    expect(results).toEqual(['a', 'b', 'zenith'].slice(0, count))
  })
})

test('a live set gives the scope of a record back, and counts its bytes until it leaves', () => {
  const set = new LiveSet()
  const scope = {
    areas: ['pay'],
    paths: ['src/a.ts'],
    is_literal: true,
    files: ['b.ts'],
    taken: [issuePlace(7)],
  }
  const outline = { id: 'a', kind: 'activity', scope } as unknown as Outline
  set.replace(outline)
  expect(scopeOf(set.get('a') as LiveRecord)).toEqual({ ...scope, taken: ['!7'] })
  expect(set.get('a')).toMatchObject({ has_files: true, is_ended: false })
  expect(set.bytes).toBe(400 + 2 * (3 + 2) + (150 + 2 * 8) + (150 + 2 * 4))
  set.replace({ ...outline, kind: 'notable', scope: { ...scope, is_literal: false, files: [] } })
  expect(set.get('a')).toMatchObject({ has_files: false, is_ended: true })
  set.remove('a')
  expect(set.bytes).toBe(0)
})
