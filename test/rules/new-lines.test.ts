/** Which lines of a change show that work was done already (docs/contract/issues.md#done-already). */
import { describe, expect, test } from 'vitest'
import { isMadeAgain, newLinesOf, numbersReverted } from '../../src/server/line-verdicts/new-lines.ts'
import { DEFAULT_NOISE } from '../../src/server/line-verdicts/noise.ts'
import { change } from '../support/lines.ts'
import { atOnce } from '../support/steps.ts'

const patchOf = (removed: string[], added: string[]) =>
  [
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n')
const counts = (...files: Parameters<typeof change>[0][]) => {
  const { added, removed, is_complete } = atOnce(newLinesOf(files.map(change), DEFAULT_NOISE))
  return { added: added.length, removed: removed.length, is_complete }
}

describe('new lines', () => {
  test.each<[string, Parameters<typeof change>[0][], ReturnType<typeof counts>]>([
    [
      'count once',
      [{ patch: patchOf([], ['retryPayment()', 'retryPayment()']) }],
      { added: 1, removed: 0, is_complete: true },
    ],
    [
      'count with their indentation',
      [{ patch: patchOf([], ['retryPayment()', '  retryPayment()']) }],
      { added: 2, removed: 0, is_complete: true },
    ],
    [
      'do not count if they are short',
      [{ patch: patchOf([], ['}', 'x = 1', 'return']) }],
      { added: 0, removed: 0, is_complete: true },
    ],
    [
      'count as removed',
      [{ patch: patchOf(['retryPayment()'], []) }],
      { added: 0, removed: 1, is_complete: true },
    ],
    [
      'do not count if they are moved, from any file',
      [
        { patch: patchOf(['retryPayment()'], []) },
        { path: 'src/b.ts', patch: patchOf([], ['retryPayment()', 'countRetries()']) },
      ],
      { added: 1, removed: 0, is_complete: true },
    ],
    [
      'do not count in a lock file',
      [{ path: 'package-lock.json', patch: patchOf([], ['retryPayment()']) }],
      { added: 0, removed: 0, is_complete: true },
    ],
    [
      'count in a manifest',
      [{ path: 'package.json', patch: patchOf([], ['"retry": "^1.2.3",']) }],
      { added: 1, removed: 0, is_complete: true },
    ],
    ['are not all known without a patch', [{}], { added: 0, removed: 0, is_complete: false }],
    ['are known of a removed file', [{ status: 'removed' }], { added: 0, removed: 0, is_complete: true }],
    [
      'are known of an image',
      [{ path: 'logo.png', changed_lines: 0 }],
      { added: 0, removed: 0, is_complete: true },
    ],
    [
      'are known of a renamed file',
      [{ status: 'renamed', previous_path: 'src/b.ts', changed_lines: 0 }],
      { added: 0, removed: 0, is_complete: true },
    ],
  ])('%s', (_, files, expected) => {
    expect(counts(...files)).toEqual(expected)
  })
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
