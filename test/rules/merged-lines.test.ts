/** Which merged work has most of the lines of other work. */
import { expect, test } from 'vitest'
import { MergedLines, NEW_LINES_MAX } from '../../src/engine/lines/added-lines.ts'

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
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
