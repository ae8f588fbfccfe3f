/** The measurement of seeded conflicts, on a small project with one of them. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import { seedClone } from './branches.ts'
import type { Seed } from './edits.ts'
import { measure } from './measure.ts'
import { SEEDS } from './seeds/seeds.ts'
import { summaryOf, tableOf } from './table.ts'

const COMMITS: MirrorCommit[] = [
  {
    name: 'start',
    parents: [],
    author: 'Ada',
    day: 0,
    files: { 'pay.mjs': 'export const payAll = () => 1\n' },
  },
  { name: 'later', parents: ['start'], author: 'Ben', day: 1, files: { 'notes.md': 'Pay.\n' } },
]
const USES = "import { payAll } from './pay.mjs'\nif (payAll() !== 1) throw new Error('paid')\n"
const SEED: Seed = {
  kind: 'removed function',
  one: [{ word: 'payAll', put: 'settle' }],
  other: [{ file: 'check.mjs', add: USES }],
}
const COMMAND = ['sh', '-c', 'for file in *.mjs; do node "$file" || exit 1; done']

test('a seeded conflict is chosen and proved among other pull requests', async () => {
  const mirror = await mirrorOf({ commits: COMMITS, refs: { 'refs/heads/main': 'later' } })
  const seeded = await seedClone(mirror.path, [SEED], 1)
  try {
    const measured = await measure(seeded, COMMAND, () => {})
    expect(measured.broken).toEqual([])
    expect(measured.pull_requests).toBe(3)
    expect(measured.seeds).toEqual([
      {
        kind: 'removed function',
        reason: 'symbol_removed',
        result: 'failed',
        pairs: 1,
        runs: 5,
        wrong: 0,
        others_failed: 0,
      },
    ])
    expect(await promisify(execFile)('git', ['-C', mirror.path, 'for-each-ref', 'refs/pull'])).toMatchObject({
      stdout: '',
    })
  } finally {
    await seeded.remove()
    await mirror.remove()
  }
})

test('a seed that passes together is named', async () => {
  const mirror = await mirrorOf({ commits: COMMITS, refs: { 'refs/heads/main': 'later' } })
  const seeded = await seedClone(mirror.path, [{ ...SEED, one: [{ file: 'a.md', add: 'a\n' }] }], 0)
  try {
    const measured = await measure(seeded, COMMAND, () => {})
    expect(measured.broken).toEqual(['removed function: passed'])
  } finally {
    await seeded.remove()
    await mirror.remove()
  }
})

test('the table counts what was found', () => {
  const seed = {
    kind: 'a',
    reason: 'near',
    result: 'failed',
    pairs: 2,
    runs: 6,
    wrong: 0,
    others_failed: 0,
  } as const
  const missed = { ...seed, reason: null, result: null, pairs: 1, runs: 1 }
  expect(summaryOf({ seeds: [seed, missed] })).toEqual({
    seeds: 2,
    chosen: 1,
    found: 1,
    wrong: 0,
    pairs: 3,
    runs: 7,
  })
  expect(tableOf({ seeds: [seed, missed], broken: [], pull_requests: 9 })).toContain(
    'Of 2 seeds among 9 pull requests: 1 chosen, 1 found',
  )
})

test('there are 40 seeds', () => {
  expect(Object.values(SEEDS).map(({ length }) => length)).toEqual([8, 8, 8, 8, 8])
})
