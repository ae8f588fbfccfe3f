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
const merged = (
  n: number,
  { day, on, message = `Work (#${n})` }: { day: number; on: string; message?: string },
  files: MirrorCommit['files'],
): MirrorCommit => ({
  ...{ name: `merged${n}`, parents: [on], author: 'Ada', day, message },
  files: files ?? {},
})

const COMMITS: MirrorCommit[] = [
  START,
  pull(1, 80, file('a.ts', RETRY)),
  // The same in the same file: a merge leaves nothing of it.
  pull(2, 81, file('a.ts', RETRY)),
  merged(
    1,
    { day: 82, on: 'start', message: 'Work (#1)\n\nCloses #2, and replaces #3.' },
    file('a.ts', RETRY),
  ),
  // Nearly the same elsewhere, closed; and merged after all.
  pull(3, 83, file('b.ts', RETRY.replace('(3)', '(99)'))),
  pull(4, 84, file('c.ts', RETRY)),
  merged(4, { day: 85, on: 'merged1' }, file('c.ts', RETRY)),
  // Other work, and a revert of a revert.
  pull(5, 86, file('d.ts', lines('other', 12))),
  pull(6, 86, file('e.ts', RETRY), 'Reapply "Work 1"'),
  // Merged after all, when its lines were there already: the merge brings the rest.
  pull(7, 87, file('f.ts', lines('rest', 12))),
  pull(8, 87, { ...file('f.ts', lines('rest', 12)), ...file('g.ts', lines('more', 2)) }),
  merged(7, { day: 88, on: 'merged4' }, file('f.ts', lines('rest', 12))),
  merged(8, { day: 89, on: 'merged7' }, file('g.ts', lines('more', 2))),
  // Opened again with the same commit.
  pull(9, 90, file('h.ts', lines('again', 12))),
  merged(10, { day: 91, on: 'merged8' }, file('h.ts', lines('again', 12))),
  // Somebody pushed its work, so GitHub closed it, and the service keeps no lines of it.
  pull(11, 92, file('i.ts', lines('hand', 12))),
  pull(12, 92, file('i.ts', lines('hand', 12))),
  merged(11, { day: 93, on: 'merged10', message: 'Work (taken from #11)' }, file('i.ts', lines('hand', 12))),
  merged(13, { day: 150, on: 'merged11' }, file('end.txt', 'end\n')),
]
const HEADS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12].map((n) => [`refs/pull/${n}/head`, `pull${n}`])
const REFS = {
  'refs/heads/main': 'merged13',
  'refs/pull/10/head': 'pull9',
  'refs/pull/13/head': 'merged13',
  // GitHub has tried to merge this one, so the others are closed.
  'refs/pull/5/merge': 'merged13',
  ...Object.fromEntries(HEADS),
}

let mirror: TemporaryDirectory
let measured: Measured
beforeAll(async () => {
  mirror = await mirrorOf({ commits: COMMITS, refs: REFS })
  measured = await replayDone(mirror.path, { days: 90, closed_after_days: 14, report: () => {} })
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
      [8, 7, 12, 14, 'rest'],
      [9, 10, 12, 12, 'given_up'],
    ])
  })

  test('is written as a table', () => {
    const text = doneTables(measured)
    expect(text).toContain('| … of a person, for 200 pull requests | 5, 76.9 |')
    // The one that was opened again has the author of the merged one.
    expect(text).toContain('| … about the work of another, for 200 pull requests | 4, 61.5 |')
    expect(text).toContain('| right, of those that ended | 4 of 5 (80.0 %) |')
  })
})
