/** Verdicts compared with git on random files and edits. The seeds are fixed, so that runs are reproducible. */
import { expect, test } from 'vitest'
import { fileVerdict } from '../../src/engine/lines/pair-verdict.ts'
import { change } from '../support/lines.ts'
import { type MergeWithTruth, mergesWithTruth } from '../support/merge-oracle.ts'
import { type Material, randomMerges } from '../support/random-merges.ts'

function verdictOf({ our_patch, their_patch }: MergeWithTruth, one_base: boolean) {
  const [ours, theirs] = [change({ patch: our_patch }), change({ patch: their_patch })]
  return fileVerdict(ours, theirs, one_base)
}

/** Precision and recall in percent. */
function score(merges: readonly MergeWithTruth[], isCalled: (merge: MergeWithTruth) => boolean) {
  const conflicts = merges.filter(({ is_conflict }) => is_conflict)
  const called = merges.filter(isCalled)
  const found = called.filter(({ is_conflict }) => is_conflict).length
  return { precision: (100 * found) / called.length, recall: (100 * found) / conflicts.length }
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

test.each<Material>(['different', 'code', 'few'])(
  'on one base they agree with git merge-file in every file of %s lines',
  async (material) => {
    const merges = await mergesWithTruth(
      randomMerges(150, { material, drifts: false, seed: 1 }),
      'merge-file',
    )
    expect(merges.filter(({ is_conflict }) => is_conflict).length).toBeGreaterThan(20)
    const wrong = merges.filter(
      (merge) => (verdictOf(merge, true).verdict === 'conflict') !== merge.is_conflict,
    )
    expect(wrong).toEqual([])
  },
)

test.each<[Material, number]>([
  ['different', 100],
  // git merge-tree matches repeated lines differently (histogram) than the diff in our input (Myers).
  ['code', 98],
  ['few', 95],
])('on one base they agree with git merge-tree on files of %s lines', async (material, least) => {
  const merges = await mergesWithTruth(randomMerges(1000, { material, drifts: false, seed: 1 }), 'merge-tree')
  const { precision, recall } = score(merges, (merge) => verdictOf(merge, true).verdict === 'conflict')
  say(`  one base, ${material}: precision ${precision.toFixed(1)} %, recall ${recall.toFixed(1)} %`)
  expect(precision).toBeGreaterThanOrEqual(least)
  expect(recall).toBeGreaterThanOrEqual(least)
})

const drifted = new Map<Material, Promise<MergeWithTruth[]>>()

/** Merges into a base branch that moved on, made once. */
function driftedMerges(material: Material): Promise<MergeWithTruth[]> {
  const made =
    drifted.get(material) ??
    mergesWithTruth(randomMerges(1000, { material, drifts: true, seed: 1 }), 'merge-tree')
  drifted.set(material, made)
  return made
}

test('they are the same for both sides', async () => {
  const merges = await driftedMerges('code')
  for (const { our_patch, their_patch, ...merge } of merges) {
    const mine = verdictOf({ ...merge, our_patch, their_patch }, false)
    const its = verdictOf({ ...merge, our_patch: their_patch, their_patch: our_patch }, false)
    const is_whole = { yours: mine.is_whole.theirs, theirs: mine.is_whole.yours }
    expect(its).toEqual({ ...mine, your_lines: mine.their_lines, their_lines: mine.your_lines, is_whole })
  }
})

test.each<[Material, number, number]>([
  ['different', 99, 95],
  // Repeated lines do not show where a hunk belongs, so conflicts are missed rather than invented.
  ['code', 97, 80],
])(
  'on a base branch that moved on they still find conflicts in %s lines',
  async (material, precise, found) => {
    const merges = await driftedMerges(material)
    const likely = score(merges, (merge) => verdictOf(merge, false).verdict === 'conflict')
    const proved = score(merges, (merge) => verdictOf(merge, false).confidence === 'proved')
    say(
      `  other base, ${material}: precision ${likely.precision.toFixed(1)} %, recall ${likely.recall.toFixed(1)} %`,
    )
    expect(likely.precision).toBeGreaterThanOrEqual(precise)
    expect(likely.recall).toBeGreaterThanOrEqual(found)
    expect(proved.precision).toBeGreaterThanOrEqual(precise)
  },
)

test('of work that conflicts with the base branch they are about the base that it has', async () => {
  const random = randomMerges(1000, { material: 'different', drifts: true, seed: 1 })
  const merges = await mergesWithTruth(random, 'own-base')
  const { precision, recall } = score(merges, (merge) => verdictOf(merge, false).verdict === 'conflict')
  say(
    `  own base, ${merges.length} files: precision ${precision.toFixed(1)} %, recall ${recall.toFixed(1)} %`,
  )
  expect(precision).toBeGreaterThanOrEqual(90)
  expect(recall).toBeGreaterThanOrEqual(80)
})
