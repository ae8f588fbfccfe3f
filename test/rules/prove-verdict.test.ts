/** What runs of the base, of each side and of the merge say about a pair. */
import { describe, expect, test } from 'vitest'
import { proveHeads, twice } from '../../src/cli/prove/verdict.ts'

const HEADS = ['a', 'b'] as const

/** `runs`: by the heads that are merged into the base. The order in which they are asked for is recorded. */
async function proved(runs: Record<string, boolean | null>) {
  const asked: string[] = []
  const result = await proveHeads(HEADS, async (heads) => {
    const name = heads.join('+') || 'base'
    asked.push(name)
    return runs[name] as boolean | null
  })
  return { result, asked }
}

test.each<[string, Record<string, boolean | null>, string | null, string[]]>([
  ['whose merge passes', { 'a+b': true }, 'passed', ['a+b']],
  ['that git cannot merge', { 'a+b': null }, null, ['a+b']],
  ['whose base fails', { 'a+b': false, base: false }, 'base_failed', ['a+b', 'base']],
  ['whose first side fails', { 'a+b': false, base: true, a: false }, 'side_failed', ['a+b', 'base', 'a']],
  [
    'whose second side fails',
    { 'a+b': false, base: true, a: true, b: false },
    'side_failed',
    ['a+b', 'base', 'a', 'b'],
  ],
  [
    'of which only the merge fails',
    { 'a+b': false, base: true, a: true, b: true },
    'failed',
    ['a+b', 'base', 'a', 'b'],
  ],
])('a pair %s', async (_, runs, result, asked) => {
  expect(await proved(runs)).toEqual({ result, asked })
})

describe('a run', () => {
  const outcomes = async (...all: (boolean | null)[]) => {
    const left = [...all]
    const outcome = await twice(async () => left.shift() as boolean | null)
    return { outcome, runs: all.length - left.length }
  }

  test.each([
    ['that passes is run once', [true, false], true, 1],
    ['that fails is run twice', [false, false], false, 2],
    ['that fails once counts as passed', [false, true], true, 2],
    ['that git cannot merge is run once', [null, true], null, 1],
  ])('%s', async (_, given, outcome, runs) => {
    expect(await outcomes(...given)).toEqual({ outcome, runs })
  })
})
