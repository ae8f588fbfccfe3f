/** Merges of only the files that a case is about, compared with merges of whole trees, on a small mirror. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import { narrow, wholeTree } from './file-trees.ts'
import { type Git, gitIn, type ScratchGit, scratchOf } from './git.ts'
import { mergeAll } from './merge-tree.ts'

/** A file of 20 lines, one of them replaced. */
const text = (line: number, by: string) =>
  Array.from({ length: 20 }, (_, at) => `${at + 1 === line ? by : `read(${at + 1})`}\n`).join('')
const START = {
  'same.ts': text(0, ''),
  'apart.ts': text(0, ''),
  'old.ts': text(0, ''),
  'only.ts': text(0, ''),
}
const COMMITS: MirrorCommit[] = [
  { name: 'start', parents: [], author: 'Ada', day: 0, files: START },
  {
    name: 'mine',
    parents: ['start'],
    author: 'Ada',
    day: 1,
    files: {
      ...{ 'same.ts': text(5, 'mine()'), 'apart.ts': text(2, 'mine()'), 'added.ts': 'mine()\n' },
      ...{ 'old.ts': null, 'new.ts': text(5, 'mine()'), 'only.ts': text(5, 'mine()') },
    },
  },
  {
    name: 'theirs',
    parents: ['start'],
    author: 'Bob',
    day: 1,
    files: {
      ...{
        'same.ts': text(5, 'theirs()'),
        'apart.ts': text(18, 'theirs()'),
        'added.ts': 'theirs()\n',
      },
      ...{ 'old.ts': text(5, 'theirs()') },
    },
  },
]

let mirror: Awaited<ReturnType<typeof mirrorOf>>
let git: ScratchGit
let trees: { base: string; ours: string; theirs: string }
beforeAll(async () => {
  const refs = Object.fromEntries(COMMITS.map(({ name }) => [`refs/heads/${name}`, name]))
  mirror = await mirrorOf({ commits: COMMITS, refs })
  const own: Git = gitIn(mirror.path, false)
  git = await scratchOf(own, new Set())
  const ids = await own.text(['rev-parse', ...COMMITS.map(({ name }) => `${name}^{tree}`)])
  const [base = '', ours = '', theirs = ''] = ids.trim().split('\n')
  trees = { base, ours, theirs }
})
afterAll(async () => {
  await git.remove()
  await mirror.remove()
})

test.each<[what: string, paths: string[], conflicts: string[]]>([
  ['of which both edit the same line', ['same.ts'], ['same.ts']],
  ['of which both edit distant lines', ['apart.ts'], []],
  ['that one side edits', ['only.ts'], []],
  ['that both add', ['added.ts'], ['added.ts']],
  ['that one side renames and both edit', ['old.ts', 'new.ts'], ['new.ts']],
  ['together', ['apart.ts', 'same.ts'], ['same.ts']],
])('a file %s conflicts as in a merge of the whole trees', async (_, paths, expected) => {
  const whole = { base: wholeTree(trees.base), ours: wholeTree(trees.ours), theirs: wholeTree(trees.theirs) }
  const merged = await mergeAll(git, [...(await narrow(git, [{ trees, paths }])), whole])
  const found = merged.map(({ conflicts }) => paths.filter((path) => conflicts.has(path)))
  expect(found).toEqual([expected, expected])
})

test('a merge in which one side has no changes takes the other side', async () => {
  const [both] = await narrow(git, [{ trees: { ...trees, ours: trees.base }, paths: ['same.ts'] }])
  if (both === undefined) throw new Error('no case')
  const [merged] = await mergeAll(git, [both])
  expect(merged).toEqual({ tree: both.theirs, conflicts: new Set() })
})
