/** How a replay reads changed files, and their distance by raw line numbers. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FileChange } from '../../src/server/line-verdicts/change.ts'
import { change, editOf, hash } from '../../test/support/lines.ts'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import type { TemporaryDirectory } from '../../test/support/temporary-directory.ts'
import { changedFiles } from './changed-files.ts'
import { gitIn, scratchOf } from './git.ts'
import { rawGap } from './raw-gap.ts'

const LINES = Array.from({ length: 40 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const TEXT = `${LINES.join('\n')}\n`
const before = {
  'edited.ts': TEXT,
  'moved.ts': TEXT.replaceAll('value', 'moved'),
  'moved-only.ts': TEXT.replaceAll('value', 'only'),
  'removed.ts': 'one\n',
  'image.png': 'PNG\0one',
  'with a "quote".ts': 'one\n',
}
const after = {
  'edited.ts': TEXT.replace('read(20)', 'write(20)'),
  'moved.ts': null,
  'renamed.ts': before['moved.ts'].replace('read(5)', 'write(5)'),
  'moved-only.ts': null,
  'renamed-only.ts': before['moved-only.ts'],
  'removed.ts': null,
  'added.ts': 'diff --git a/x b/x\n@@ -1 +1 @@\n',
  'empty.ts': '',
  'image.png': 'PNG\0two',
  'with a "quote".ts': 'two\n',
}

let mirror: TemporaryDirectory
let lists: FileChange[][]
beforeAll(async () => {
  const [author, day] = ['Ada', 1]
  mirror = await mirrorOf({
    commits: [
      { name: 'before', parents: [], author, day, files: before },
      { name: 'after', parents: ['before'], author, day, files: after },
    ],
    refs: { 'refs/heads/before': 'before', 'refs/heads/after': 'after' },
  })
  const git = gitIn(mirror.path, false)
  const ids = (await git.text(['rev-parse', 'before^{tree}', 'after^{tree}'])).trim().split('\n')
  const [from = '', to = ''] = ids
  const trees = [
    { from, to },
    { from, to: from },
    { from: to, to: from },
  ]
  lists = []
  for await (const files of changedFiles(git, trees, { hash })) lists.push(files)
})
afterAll(() => mirror.remove())

test('there is one list for each pair of trees, in their order', () => {
  expect(lists.map((files) => files.length)).toEqual([8, 0, 8])
})

test('a pair that only changes files which the mirror lacks has an empty list, and the next one keeps its place', async () => {
  const large = 'large.txt'
  const commits = ['one', 'two', 'three'].map(
    (name, at): MirrorCommit => ({
      ...{ name, author: 'Ada', day: 1 },
      parents: at === 0 ? [] : [['one', 'two'][at - 1] as string],
      files: at === 2 ? { 'small.txt': name } : { [large]: name },
    }),
  )
  const cut = await mirrorOf({ commits, refs: { 'refs/heads/main': 'three' } })
  onTestFinished(() => cut.remove())
  const own = gitIn(cut.path, false)
  const revisions = ['main~2', 'main~1', 'main']
  const blobs = await Promise.all(
    revisions.slice(0, 2).map((each) => own.text(['rev-parse', `${each}:${large}`])),
  )
  const git = await scratchOf(own, new Set(blobs.map((id) => id.trim())))
  onTestFinished(() => git.remove())
  const ids = (await own.text(['rev-parse', ...revisions.map((each) => `${each}^{tree}`)])).trim().split('\n')
  const [one = '', two = '', three = ''] = ids
  const trees = [
    { from: one, to: two },
    { from: two, to: three },
  ]
  const absent = new Set(blobs.map((id) => id.trim()))
  const paths: string[][] = []
  for await (const files of changedFiles(git, trees, { hash, absent }))
    paths.push(files.map(({ path }) => path))
  expect(paths).toEqual([[], ['small.txt']])
})

describe('a list of files has', () => {
  test.each<[what: string, expected: Partial<FileChange>, blocks: number | null]>([
    ['an edited file', { path: 'edited.ts', status: 'modified', changed_lines: 2 }, 1],
    [
      'a renamed one',
      { path: 'renamed.ts', previous_path: 'moved.ts', status: 'renamed', changed_lines: 2 },
      1,
    ],
    ['one only renamed', { path: 'renamed-only.ts', previous_path: 'moved-only.ts', changed_lines: 0 }, null],
    ['a removed one', { path: 'removed.ts', status: 'removed', changed_lines: 1 }, 1],
    [
      'an added one whose lines look like a patch',
      { path: 'added.ts', status: 'added', changed_lines: 2 },
      1,
    ],
    ['an empty one', { path: 'empty.ts', status: 'added', changed_lines: 0 }, null],
    ['a binary one', { path: 'image.png', status: 'modified', changed_lines: 0 }, null],
    [
      'a name with special characters',
      { path: 'with a "quote".ts', status: 'modified', changed_lines: 2 },
      1,
    ],
  ])('%s', (_, expected, blocks) => {
    const file = lists[0]?.find(({ path }) => path === expected.path)
    expect(file).toMatchObject(expected)
    expect(file?.digest?.blocks.length ?? null).toBe(blocks)
  })
})

describe('by raw line numbers', () => {
  const edit = (at: number, removed = 1, added = ['x']) =>
    change({ patch: editOf(LINES, at, removed, added) })
  test.each<[what: string, a: FileChange, b: FileChange, gap: number]>([
    ['edits of one line touch', edit(20), edit(20), 0],
    ['edits of neighbouring lines touch', edit(20), edit(21), 0],
    ['there may be lines between', edit(20), edit(24), 3],
    ['an insertion has its own position', edit(20, 0), edit(22), 2],
    ['a file without a patch has no position', edit(20), change(), Number.POSITIVE_INFINITY],
    ['a removal is the whole file', edit(20), change({ status: 'removed' }), 0],
  ])('%s', (_, a, b, gap) => {
    expect(rawGap(a, b)).toEqual(gap)
    expect(rawGap(b, a)).toEqual(gap)
  })
})
