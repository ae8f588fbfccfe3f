/** Which lines of a change show that work was done already (docs/contract/issues.md#done-already). */
import { expect, test } from 'vitest'
import {
  isComparable,
  isMadeAgain,
  MergedLines,
  NEW_LINES_MAX,
  newLinesOf,
  numbersReverted,
} from '../../src/engine/lines/added-lines.ts'
import { EMPTY_BLOB } from '../../src/engine/lines/change.ts'
import { DEFAULT_NOISE } from '../../src/engine/lines/noise.ts'
import { change } from '../support/lines.ts'
import { atOnce } from '../support/steps.ts'

const patchOf = (removed: string[], added: string[]) =>
  [
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n')
/** The added and removed lines that count, and whether all are known. */
const counts = (...files: Parameters<typeof change>[0][]) => {
  const { added, removed, is_complete } = atOnce(newLinesOf(files.map(change), DEFAULT_NOISE))
  return [added.length, removed.length, is_complete]
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
const adding = (...lines: string[]) => ({ patch: patchOf([], lines) })
const removing = (line: string) => ({ patch: patchOf([line], []) })

test.each<[string, Parameters<typeof change>[0][], ReturnType<typeof counts>]>([
  ['count once', [adding('retryPayment()', 'retryPayment()')], [1, 0, true]],
  ['count with their indentation', [adding('retryPayment()', '  retryPayment()')], [2, 0, true]],
  ['do not count if they are short', [adding('}', 'x = 1', 'return')], [0, 0, true]],
  ['count as removed', [removing('retryPayment()')], [0, 1, true]],
  [
    'do not count if they are moved, from any file',
    [removing('retryPayment()'), { path: 'src/b.ts', ...adding('retryPayment()', 'countRetries()') }],
    [1, 0, true],
  ],
  ['do not count in a lock file', [{ path: 'package-lock.json', ...adding('retryPayment()') }], [0, 0, true]],
  ['count in a manifest', [{ path: 'go.mod', ...adding('require retry v1.2.3') }], [1, 0, true]],
  ['are not all known without a patch', [{}], [0, 0, false]],
  ['are known of a removed file', [{ status: 'removed' }], [0, 0, true]],
  ['are known of an empty file', [{ status: 'added', changed_lines: 0, blob_sha: EMPTY_BLOB }], [0, 0, true]],
  ['are known of an image', [{ path: 'logo.png', changed_lines: 0 }], [0, 0, true]],
  ['are known of a rename', [{ status: 'renamed', previous_path: 'b', changed_lines: 0 }], [0, 0, true]],
])('new lines %s', (_, files, expected) => {
  expect(counts(...files)).toEqual(expected)
})

test.each<[string, number, boolean, boolean]>([
  ['eight lines', 8, true, true],
  ['seven lines', 7, true, false],
  ['eight lines, and others that are unknown', 8, false, false],
  ['5,000 lines', 5000, true, true],
  ['5,001 lines', 5001, true, false],
])('whether work of %s can show that it is done', (_, count, is_complete, expected) => {
  expect(isComparable({ added: range(0, count), removed: [], is_complete })).toBe(expected)
})

test.each([
  ['Revert "Retry payments"', true],
  ['revert: feat(pay): retry payments', true],
  ['Reapply "Retry payments"', true],
  ['fix(pay)!: re-land retries', true],
  ['Reland retries', true],
  ['fix: restore, "fix: retry payments (#7)"', true],
  ['Add a button to revert a payment', false],
  ['Retry payments', false],
])('whether the title “%s” says that work is made again: %s', (title, expected) => {
  expect(isMadeAgain(title)).toBe(expected)
})

test.each<[string, number[]]>([
  ['Revert "Retry payments (#40)"', [40]],
  ['fix: revert "perf(pay): retry payments (#40)" (#41)', [40]],
  ['Revert "Retry payments"\n\nThis reverts commit 1234567 of #40.', []],
  ['Retry "payments (#40)"', []],
  ['Revert the retries of #40', []],
])('the commit “%s” takes back %j', (message, expected) => {
  expect(numbersReverted(message)).toEqual(expected)
})

const TEN = range(0, 10)

/** Merges, in order: a name, the lines that it adds, and those that it removes. */
type Merge = [name: string, added: number[], removed?: number[]]

test.each<[string, Merge[], [string, number, number][]]>([
  ['all of the lines', [['a', TEN]], [['a', 10, 10]]],
  ['four of five', [['a', range(2, 12)]], [['a', 8, 10]]],
  ['too few of them', [['a', range(3, 13)]], []],
  [
    'the one with the most first',
    [
      ['a', range(1, 10)],
      ['b', TEN],
    ],
    [
      ['b', 10, 10],
      ['a', 9, 10],
    ],
  ],
  [
    'none whose lines were removed later',
    [
      ['a', TEN],
      ['b', [], range(0, 3)],
    ],
    [],
  ],
  ['none that adds too many', [['a', range(0, NEW_LINES_MAX + 1)]], []],
  // Two lines are in three merges, so they count as lines of none.
  [
    'others without common lines',
    [
      ['a', TEN],
      ['b', [0, 1]],
      ['c', [0, 1]],
    ],
    [['a', 8, 8]],
  ],
  [
    'too few without common lines',
    [
      ['a', TEN],
      ['b', [0, 1, 2]],
      ['c', [0, 1, 2]],
    ],
    [],
  ],
])('of merged work, it finds %s', (_, merges, expected) => {
  const lines = new MergedLines<string>()
  for (const [name, added, removed = []] of merges) lines.merge(name, { added, removed }, () => true)
  expect(lines.having(TEN).map(({ merged, shared, lines: of }) => [merged, shared, of])).toEqual(expected)
})

test('work that was taken back, or that does not count here, is not found', () => {
  const lines = new MergedLines<string>()
  lines.merge('a', { added: TEN, removed: [] }, () => true)
  lines.merge('b', { added: [], removed: TEN }, (other) => other !== 'a')
  expect(lines.having(TEN)).toHaveLength(1)
  expect(lines.having(TEN, (other) => other !== 'a')).toEqual([])
  lines.forget((other) => other === 'a')
  expect(lines.having(TEN)).toEqual([])
})
