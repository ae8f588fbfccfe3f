/** Which branches of a clone are built on which. */
import { expect, test } from 'vitest'
import { linksIn } from '../../src/local/stacks.ts'

// b is two commits above a; c joins a and d; e is beside them; f has the head of a.
const GRAPH = ['b2 b1', 'b1 a1', 'c1 a1 d1', 'a1 main', 'd1 main', 'e1 main'].join('\n')
const SHAS = { a: 'a1', b: 'b2', c: 'c1', d: 'd1', e: 'e1', f: 'a1', main: 'main' }
const HEADS = Object.entries(SHAS).map(([branch, sha]) => ({ branch, sha }))

test('a branch is built on each one whose head is below its own', () => {
  const links = linksIn(GRAPH, HEADS).map(({ branch, base_branch }) => `${branch}>${base_branch}`)
  expect(links).toEqual(['b>a', 'b>f', 'c>a', 'c>d', 'c>f'])
  expect(linksIn('', HEADS)).toEqual([])
})
