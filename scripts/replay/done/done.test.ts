/** `npm run replay -- --done` on a small mirror in which work is done twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../../test/support/mirror.ts'
import type { TemporaryDirectory } from '../../../test/support/temporary-directory.ts'
import { type Measured, replayDone } from './done.ts'
import { doneTables, outcomeOf } from './table.ts'

const lines = (name: string, count: number) =>
  `${Array.from({ length: count }, (_, at) => `  ${name}.retryPayment(${at})`).join('\n')}\n`
const file = (path: string, text: string) => ({ [path]: text })
const RETRY = lines('till', 12)

const START: MirrorCommit = {
  ...{ name: 'start', parents: [], author: 'Ada', day: 0 },
  files: file('README.md', 'Shop\n'),
}
const pull = (n: number, day: number, files: MirrorCommit['files'], message = `Work ${n}`): MirrorCommit => ({
  ...{ name: `pull${n}`, parents: ['start'], author: `Author${n}`, day, message },
  files: files ?? {},
})
const merged = (n: number, day: number, on: string, files: MirrorCommit['files']): MirrorCommit => ({
  ...{ name: `merged${n}`, parents: [on], author: 'Ada', day, message: `Work (#${n})` },
  files: files ?? {},
})

const COMMITS: MirrorCommit[] = [
  START,
  pull(1, 80, file('a.ts', RETRY)),
  // The same in the same file: a merge leaves nothing of it.
  pull(2, 81, file('a.ts', RETRY)),
  merged(1, 82, 'start', file('a.ts', RETRY)),
  // Nearly the same elsewhere, closed; and merged after all.
  pull(3, 83, file('b.ts', RETRY.replace('(3)', '(99)'))),
  pull(4, 84, file('c.ts', RETRY)),
  merged(4, 85, 'merged1', file('c.ts', RETRY)),
  // Other work, and a revert of a revert.
  pull(5, 86, file('d.ts', lines('other', 12))),
  pull(6, 86, file('e.ts', RETRY), 'Reapply "Work 1"'),
  merged(7, 120, 'merged4', file('end.txt', 'end\n')),
]
const HEADS = [1, 2, 3, 4, 5, 6].map((n) => [`refs/pull/${n}/head`, `pull${n}`])
const REFS = {
  'refs/heads/main': 'merged7',
  'refs/pull/7/head': 'merged7',
  // GitHub has tried to merge this one, so the others are closed.
  'refs/pull/5/merge': 'merged7',
  ...Object.fromEntries(HEADS),
}

let mirror: TemporaryDirectory
let measured: Measured
beforeAll(async () => {
  mirror = await mirrorOf({ commits: COMMITS, refs: REFS })
  measured = await replayDone(mirror.path, { days: 60, closed_after_days: 14, report: () => {} })
})
afterAll(() => mirror.remove())

describe('a mirror in which work is done twice', () => {
  test('shows who is told, of what, and what became of it', () => {
    expect(
      measured.told.map((each) => [
        each.pr.n,
        each.by.n,
        each.shared,
        each.lines,
        outcomeOf(each, measured.elsewhere),
      ]),
    ).toEqual([
      [2, 1, 12, 12, 'given_up'],
      [3, 1, 11, 12, 'given_up'],
      [4, 1, 12, 12, 'merged'],
    ])
  })

  test('shows the closed ones of which a merge leaves nothing', () => {
    expect(measured.superseded.map(({ pr, by, lines: added }) => [pr.n, by?.n, added])).toEqual([[2, 1, 12]])
  })

  test('is written as a table', () => {
    const text = doneTables(measured)
    expect(text).toContain('| right: closed or pushed, of those that ended | 2 of 3 (66.7 %) |')
    expect(text).toContain('| … of these told | 1 of 1 (100.0 %) |')
  })
})
