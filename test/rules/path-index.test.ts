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

const OPTIONS: NearOptions<string> = { deadline: { isOver: false }, ignore: () => false, rankOf: String }
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

test('a live set gives the scope of a record back, and counts it and its bytes until it ends or leaves', () => {
  const set = new LiveSet()
  const taken = [issuePlace(7)]
  const scope = { areas: ['pay'], paths: ['a.ts'], is_literal: true, files: ['b.ts'], taken }
  const outline = { id: 'a', kind: 'activity', scope, branch: 'b', ends_at: 5 } as unknown as Outline
  const replace = (given: object) => set.replace({ ...outline, ...given })
  const record = () => set.get('a') as LiveRecord
  const at = (now: number) =>
    `${Object.values(set.countAt(now))} ${set.seemEnded(now).length} ${set.onBranch('b', now).length}`
  replace({})
  expect(scopeOf(record())).toEqual({ ...scope, taken: ['!7'] })
  expect(record()).toMatchObject({ has_files: true, is_ended: false })
  expect(set.bytes).toBe(400 + 2 * (3 + 2) + (150 + 2 * 4) + (150 + 2 * 4))
  expect(`${at(4)}, ${at(5)}`).toBe('1,0 0 1, 0,0 1 0')
  set.moveEnds([record()], new Map([['a', 9]]), 9)
  expect(`${at(8)}, ${at(9)}`).toBe('1,0 0 1, 0,0 1 0')
  set.moveEnds([record()], new Map([['a', 9]]), 10)
  expect(at(9)).toBe('0,0 0 0')
  replace({ kind: 'notable', scope: { ...scope, is_literal: false, files: [] } })
  expect(record()).toMatchObject({ has_files: false, is_ended: true })
  expect(`${at(4)}, ${at(5)}`).toBe('0,1 0 1, 0,0 0 0')
  Object.assign(set, { version: 3, links_version: 3 }).clear()
  expect([set, at(4)]).toMatchObject([{ bytes: 0, version: -1, links_version: -1 }, '0,0 0 0'])
  replace({})
  set.moveEnds([record()], new Map(), 9)
  expect(at(4)).toBe('0,0 0 0')
})
