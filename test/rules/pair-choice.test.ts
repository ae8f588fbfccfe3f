/** Which pairs of pull requests that git merges are worth a run. */
import { describe, expect, test } from 'vitest'
import type { ChangedFile } from '../../src/server/line-verdicts/change.ts'
import { choosePairs, type Reason } from '../../src/server/pair-choice/choose.ts'
import { companionsOf, removedDirectories, removedUnder } from '../../src/server/pair-choice/reasons.ts'

const file = (path: string, status: ChangedFile['status'] = 'modified'): ChangedFile => ({
  path,
  status,
  previous_path: null,
  blob_sha: null,
})
const renamed = (previous_path: string, path: string): ChangedFile => ({
  ...file(path, 'renamed'),
  previous_path,
})

test.each<[string, ChangedFile[], string[]]>([
  [
    'two files of which are removed',
    [file('src/a/x.ts', 'removed'), file('src/a/y.ts', 'removed')],
    ['src/a'],
  ],
  ['two files of which are renamed', [renamed('a/x.ts', 'b/x.ts'), renamed('a/y.ts', 'b/y.ts')], ['a']],
  ['one file of which is removed', [file('a/x.ts', 'removed')], []],
  ['that keeps a file', [file('a/x.ts', 'removed'), file('a/y.ts', 'removed'), file('a/z.ts')], []],
  ['whose files are renamed within it', [renamed('a/x.ts', 'a/1.ts'), renamed('a/y.ts', 'a/2.ts')], []],
  ['that is the root', [file('x.ts', 'removed'), file('y.ts', 'removed')], []],
])('a directory %s', (_, files, expected) => {
  expect([...removedDirectories(files)]).toEqual(expected)
})

const moved = [renamed('src/pay/a.ts', 'src/bill/a.ts'), renamed('src/pay/b.ts', 'src/bill/b.ts')]

test.each<[string, ChangedFile[], string[]]>([
  ['adds a file to a directory that is moved', [file('src/pay/c.ts', 'added')], ['src/pay/c.ts']],
  ['adds one beneath it', [file('src/pay/new/c.ts', 'added')], ['src/pay/new/c.ts']],
  ['changes a file that is moved', [file('src/pay/a.ts')], ['src/pay/a.ts']],
  ['changes another file of the directory', [file('src/pay/z.ts')], []],
  ['removes a file that is moved', [file('src/pay/a.ts', 'removed')], []],
  ['works elsewhere', [file('src/payments.ts', 'added')], []],
])('a pull request that %s', (_, files, expected) => {
  expect(removedUnder(moved, files)).toEqual(expected)
})

describe('the companions of a file', () => {
  const together = ['a.ts', 'b.ts']
  test('are those that conflicted together with it three times', () => {
    const pairs = [together, together, ['a.ts', 'b.ts', 'c.ts']]
    expect([...companionsOf(new Set(['a.ts']), pairs)]).toEqual(['b.ts'])
  })

  test('are none after two times', () => {
    expect([...companionsOf(new Set(['a.ts']), [together, together])]).toEqual([])
  })
})

describe('the choice', () => {
  const own = { number: 9, head_sha: 'h9' }
  const others = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ number, head_sha: `h${number}` }))
  const reason = (number: number, reason: Reason['reason'], paths = ['a.ts']): Reason => ({
    number,
    reason,
    paths,
  })
  const chosen = (...reasons: Reason[]) =>
    choosePairs(own, others, reasons).map(({ pull_requests, reason }) => `${pull_requests[1]} ${reason}`)

  test('names both heads and the paths of the reason', () => {
    expect(choosePairs(own, others, [reason(2, 'near', ['a', 'b', 'a', 'c', 'd'])])).toEqual([
      { pull_requests: [9, 2], heads: ['h9', 'h2'], reason: 'near', paths: ['a', 'b', 'c'] },
    ])
  })

  test('has the best reasons first, then more files, then the newest', () => {
    expect(
      chosen(
        reason(1, 'changed_together'),
        reason(2, 'path_removed'),
        reason(3, 'near'),
        reason(4, 'near', ['a.ts', 'b.ts']),
        reason(5, 'touching'),
      ),
    ).toEqual(['5 touching', '4 near', '3 near', '2 path_removed', '1 changed_together'])
  })

  test('has at most five pairs', () => {
    expect(chosen(...others.map(({ number }) => reason(number, 'near')))).toEqual([
      '7 near',
      '6 near',
      '5 near',
      '4 near',
      '3 near',
    ])
  })

  test('has each pull request once, with its best reason', () => {
    expect(chosen(reason(1, 'path_removed'), reason(1, 'touching'))).toEqual(['1 touching'])
  })

  test('leaves out pull requests that cannot be chosen', () => {
    expect(chosen(reason(99, 'touching'))).toEqual([])
  })
})
